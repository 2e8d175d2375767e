/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Cores at the ports of a memory that is right by construction: flat, with random latencies. What
 * they do is allowed by their model, shows more the weaker it is, and a memory that misbehaves is
 * told so.
 */
#include "collider/agent.h"
#include "collider/check.h"
#include "harness.h"
#include "judge/trace/black_box.h"
#include "memory.h"
#include "protocol/simulate/oracle_random.h"

#include <string.h>

enum { ROUNDS = 1500 };

static void notice(void *context, const col_event *event) {
    chk_returned_notice(context, event);
}

static bool is_allowed(const chk_returned *returned, col_model model) {
    col_verdict verdict = COL_UNDECIDED;
    col_problem problem;
    const col_trace_settings settings = {.model = model};
    if (returned->what != NULL)
        return false;
    assert_int_equal(col_trace_check(&returned->trace, &settings, &verdict, NULL, &problem),
                     COL_OK);
    return verdict == COL_ALLOWED;
}

static void open_agents(memory *m, col_agent_core core, bool losses, bool commits) {
    const col_agent_settings settings = memory_settings(core, losses, commits);
    memory_open(m, &settings);
}

static void make_program(base_rng *rng, col_program *program) {
    const mixture mix = {.threads = PORTS,
                         .operations = 16 + below(rng, 40),
                         .locations = 1 + below(rng, 4),
                         .packed = true,
                         .atomic = below(rng, 4) == 0,
                         .awaits = false};
    random_program(rng, &mix, program);
}

/* ---- By what reads returned. */

/* In how many rounds what reads returned is not allowed by the model, up to `most` of them; what
 * the core keeps allows all. */
static uint32_t count_weaker(memory m, col_agent_core core, bool losses, const col_model *kept,
                             col_model stronger, uint32_t most) {
    chk_returned returned = {0};
    col_program program = COL_PROGRAM_EMPTY;
    const col_observer observer = {&returned, notice, 1U << COL_VALUE_RETURNED};
    base_rng rng;
    col_problem problem;
    uint32_t weaker = 0;
    base_rng_seed(&rng, core, losses);
    open_agents(&m, core, losses, false);
    for (uint64_t i = 0; i < ROUNDS && weaker < most; i++) {
        make_program(&rng, &program);
        assert_int_equal(chk_returned_load(&returned, &program, &problem), COL_OK);
        assert_int_equal(col_agents_load(m.agents, &program, &problem), COL_OK);
        memory_run(&m, &observer, i);
        if (col_agents_trouble(m.agents) != NULL)
            fail_msg("%s", col_agents_trouble(m.agents));
        assert_true(col_agents_are_done(m.agents));
        chk_returned_finish(&returned, true);
        if (kept != NULL && !is_allowed(&returned, *kept))
            fail_msg("%s core, round %llu: not allowed by %s", col_agent_cores[core],
                     (unsigned long long)i, col_models[*kept]);
        weaker += !is_allowed(&returned, stronger);
    }
    col_agents_free(m.agents);
    chk_returned_free(&returned);
    col_program_free(&program);
    return weaker;
}

TEST(cores_keep_their_models_and_no_more) {
    const memory m = {.drops = false};
    const col_model sc = COL_SC, tso = COL_TSO, weak = COL_RVWMO;
    assert_int_equal(count_weaker(m, COL_AGENT_SC, false, &sc, COL_SC, ROUNDS), 0);
    const uint32_t of_tso = count_weaker(m, COL_AGENT_TSO, false, &tso, COL_SC, ROUNDS);
    const uint32_t ahead = count_weaker(m, COL_AGENT_TSO, true, &tso, COL_SC, ROUNDS);
    const uint32_t of_weak = count_weaker(m, COL_AGENT_WEAK, false, &weak, COL_TSO, ROUNDS);
    print_message("not SC: %u and, running ahead, %u of %d by tso; not TSO: %u by weak\n", of_tso,
                  ahead, ROUNDS, of_weak);
    assert_true(of_tso > ROUNDS / 150 && ahead > ROUNDS / 150 && of_weak > ROUNDS / 50);
}

/* Loads that ran ahead and are not told of losses break TSO: the test can fail. */
TEST(losses_that_are_not_told_are_seen) {
    const memory m = {.never_loses = true};
    assert_int_equal(count_weaker(m, COL_AGENT_TSO, true, NULL, COL_TSO, 1), 1);
}

/* ---- By events. */

TEST(commits_make_events) {
    static const struct {
        col_agent_core core;
        col_model model;
    } cases[] = {{COL_AGENT_SC, COL_SC}, {COL_AGENT_TSO, COL_TSO}, {COL_AGENT_WEAK, COL_RVWMO}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        memory m = {.drops = false};
        col_checker *checker;
        col_program program = COL_PROGRAM_EMPTY;
        base_rng rng;
        col_problem problem;
        base_rng_seed(&rng, c, 5);
        assert_int_equal(col_checker_new(&checker, cases[c].model, &problem), COL_OK);
        const col_observer observer = col_checker_observer(checker);
        open_agents(&m, cases[c].core, false, true);
        for (uint64_t i = 0; i < ROUNDS / 3; i++) {
            make_program(&rng, &program);
            assert_int_equal(col_checker_load(checker, &program, &problem), COL_OK);
            assert_int_equal(col_agents_load(m.agents, &program, &problem), COL_OK);
            memory_run(&m, &observer, i);
            assert_null(col_agents_trouble(m.agents)); /* the memory is current */
            if (!col_checker_finish(checker, true))
                fail_msg("%s core, round %llu: %s", col_agent_cores[cases[c].core],
                         (unsigned long long)i, col_checker_violation(checker)->reason);
        }
        col_agents_free(m.agents);
        col_checker_free(checker);
        col_program_free(&program);
    }
}

/* ---- By hand. */

typedef struct trial {
    memory m;
    col_program program;
} trial;

static void begin(trial *t, const col_agent_settings *settings, const char *lines,
                  const col_observer *observer) {
    col_problem problem;
    *t = (trial){.program = COL_PROGRAM_EMPTY};
    assert_int_equal(col_program_read(&t->program, lines, strlen(lines), "text", &problem), COL_OK);
    memory_open(&t->m, settings);
    assert_int_equal(col_agents_load(t->m.agents, &t->program, &problem), COL_OK);
    col_agents_begin(t->m.agents, 1, observer);
}

static void end(trial *t) {
    col_agents_free(t->m.agents);
    col_program_free(&t->program);
}

static void note_kinds(void *context, const col_event *event) {
    char *kinds = context;
    kinds[strlen(kinds)] = event->kind == COL_STORE_MERGED ? 'm' : 'p';
}

/* Two stores of one word are taken and answered, and only the second commits. */
TEST(a_merged_store_is_over_once_the_next_commits) {
    static const char stores[] =
        "collider program 1\nlocation a0 0x8\nthread 0\nstore a0 1\nstore a0 2\nend\n";
    for (int merges = 0; merges < 2; merges++) {
        trial t;
        col_agent_settings s;
        col_agents *agents;
        char kinds[4] = "";
        const col_observer observer = {kinds, note_kinds,
                                       1U << COL_STORE_MERGED | 1U << COL_STORE_PERFORMED};
        col_agent_default(&s);
        s.core = COL_AGENT_TSO;
        s.merges = merges != 0;
        assert_int_equal(col_agents_new(&agents, &s, NULL), s.merges ? COL_BAD_INPUT : COL_OK);
        col_agents_free(agents);
        s.tells_commits = true;
        s.skew = s.stalls = 0;
        begin(&t, &s, stores, &observer);
        agents = t.m.agents;
        for (uint32_t tag = 0; tag < 2; tag++) {
            col_port_request request;
            assert_true(col_agents_offer(agents, 0, &request));
            assert_int_equal(request.tag, tag);
            col_agents_accept(agents, 0);
            col_agents_answer(agents, 0, tag, 0);
            col_agents_end_cycle(agents);
        }
        col_agents_commit(agents, 0, 1, 0);
        assert_int_equal(col_agents_are_done(agents), merges);
        assert_string_equal(kinds, merges != 0 ? "mp" : "p");
        assert_null(col_agents_trouble(agents));
        col_agents_commit(agents, 0, 0, 2); /* too late: the later one has replaced it */
        assert_int_equal(col_agents_trouble(agents) != NULL, merges);
        end(&t);
    }
}

/* ---- A memory that misbehaves. */

static const char text[] = "collider program 1\nlocation a0 0x8\nthread 0\nstore a0 1\nload a0\n"
                           "thread 1\nload a0\nend\n";

static void begin_text(trial *t) {
    const col_agent_settings settings = memory_settings(COL_AGENT_SC, false, false);
    begin(t, &settings, text, NULL);
}

TEST(answers_that_nobody_asked_for_are_told) {
    trial t;
    begin_text(&t);
    col_agents *agents = t.m.agents;
    col_agents_answer(agents, 1, 0, 5);
    assert_string_equal(col_agents_trouble(agents),
                        "port 1 answered a request that was not under way (tag 0, cycle 0)");
    col_agents_begin(agents, 1, NULL);
    assert_null(col_agents_trouble(agents));
    col_agents_accept(agents, 3);
    assert_string_equal(col_agents_trouble(agents),
                        "port 3 accepted a request that nobody made (tag 0, cycle 0)");
    col_agents_begin(agents, 1, NULL);
    col_agents_commit(agents, 0, 0, 0);
    assert_string_equal(col_agents_trouble(agents),
                        "port 0 committed a write that was not under way (tag 0, cycle 0)");
    end(&t);
}

/* A store that was answered may wait in a store buffer of the memory system; what comes next is
 * asked for, and the store counts once it is committed. */
/* Ends a cycle of a memory that is asked by hand; the request of a port in it, which is taken. */
static void take_next(memory *m, uint32_t port, col_port_request *request) {
    int cycles = 0;
    while (!col_agents_offer(m->agents, port, request) && cycles++ < 1000)
        col_agents_end_cycle(m->agents);
    assert_true(cycles < 1000);
    col_agents_accept(m->agents, port);
}

/* An old value is right for a load that was requested before the write has committed, not for one
 * that was requested after it. */
TEST(old_values_are_told) {
    static const char late[] = "collider program 1\nlocation a0 0x8\nthread 0\nstore a0 1\n"
                               "thread 1\nload a0\nload a0\nend\n";
    const col_agent_settings settings = memory_settings(COL_AGENT_SC, false, true);
    col_port_request store, load;
    trial t;
    begin(&t, &settings, late, NULL);
    col_agents *agents = t.m.agents;
    take_next(&t.m, 1, &load);
    col_agents_end_cycle(agents);
    take_next(&t.m, 0, &store);
    col_agents_end_cycle(agents);
    col_agents_commit(agents, 0, store.tag, 0);
    col_agents_answer(agents, 0, store.tag, 0);
    col_agents_end_cycle(agents);
    col_agents_answer(agents, 1, load.tag, 0);
    col_agents_end_cycle(agents);
    assert_null(col_agents_trouble(agents));
    take_next(&t.m, 1, &load);
    col_agents_end_cycle(agents);
    col_agents_answer(agents, 1, load.tag, 0);
    col_agents_end_cycle(agents);
    assert_non_null(col_agents_trouble(agents));
    assert_non_null(strstr(col_agents_trouble(agents),
                           "port 1 answered operation 1 of its thread (load a0), requested in"));
    assert_non_null(
        strstr(col_agents_trouble(agents), "with a value that had been replaced before"));
    end(&t);
}

/* Random inputs: as often as they should, in bursts in some instances, the same with the same seed.
 */
TEST(inputs_come_in_bursts) {
    enum { CYCLES = 1000, INSTANCES = 400 };
    uint64_t stalled = 0, longest = 0, singles = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        col_port_input a = {.low = 0, .high = 7, .percent = 20}, b = a;
        uint64_t length = 0;
        col_port_input_begin(&a, seed, 1);
        col_port_input_begin(&b, seed, 1);
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            const uint64_t value = col_port_input_next(&a);
            assert_int_equal(value, col_port_input_next(&b));
            assert_in_range(value, 0, 7);
            stalled += value != 0;
            singles += value == 0 && length == 1;
            length = value != 0 ? length + 1 : 0;
            longest = length > longest ? length : longest;
        }
    }
    assert_in_range(stalled, CYCLES * INSTANCES / 7, CYCLES * INSTANCES / 5); /* 17.5 % */
    assert_true(longest > 40);
    assert_true(singles > INSTANCES);
}

TEST(answered_stores_hold_up_nothing) {
    static const char lines[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                                "thread 0\n  store a0 7\n  load a1\nend\n";
    trial t;
    col_agent_settings settings;
    col_port_request request;
    col_agent_default(&settings);
    settings.ports = 1;
    settings.stalls = settings.skew = 0;
    settings.tells_commits = true;
    begin(&t, &settings, lines, NULL);
    col_agents *agents = t.m.agents;
    assert_true(col_agents_offer(agents, 0, &request));
    assert_int_equal(request.operation, COL_PORT_STORE);
    const uint32_t store = request.tag;
    col_agents_accept(agents, 0);
    col_agents_end_cycle(agents);
    assert_false(col_agents_offer(agents, 0, &request));
    col_agents_answer(agents, 0, store, 0);
    col_agents_end_cycle(agents);
    assert_true(col_agents_offer(agents, 0, &request));
    assert_int_equal(request.operation, COL_PORT_LOAD);
    assert_true(request.tag != store);
    col_agents_accept(agents, 0);
    col_agents_answer(agents, 0, request.tag, 0);
    col_agents_end_cycle(agents);
    assert_false(col_agents_are_done(agents));
    col_agents_commit(agents, 0, store, 0);
    assert_true(col_agents_are_done(agents));
    assert_null(col_agents_trouble(agents));
    end(&t);
}

/* An await asks memory for a value that another core is to write: not before its own core's store
 * to the word has performed, which would replace that value. */
TEST(awaits_do_not_pass_stores_to_their_word) {
    static const char lines[] = "collider program 1\nlocation a0 0x40\n"
                                "thread 0\n  store a0 1\n  await a0 2\n"
                                "thread 1\n  store a0 2\nend\n";
    for (col_agent_core core = 0; core < COL_AGENT_CORES; core++) {
        trial t;
        col_agent_settings settings = memory_settings(core, false, false);
        col_port_request store, await;
        settings.stalls = settings.skew = 0;
        begin(&t, &settings, lines, NULL);
        col_agents *agents = t.m.agents;
        take_next(&t.m, 0, &store);
        assert_int_equal(store.operation, COL_PORT_STORE);
        col_agents_end_cycle(agents);
        assert_false(col_agents_offer(agents, 0, &await));
        col_agents_answer(agents, 0, store.tag, 0);
        col_agents_end_cycle(agents);
        assert_true(col_agents_offer(agents, 0, &await));
        assert_int_equal(await.operation, COL_PORT_LOAD);
        end(&t);
    }
}

TEST(lost_answers_are_noticed) {
    trial t;
    begin_text(&t);
    t.m.drops = true;
    uint64_t seed = 1;
    do
        memory_run(&t.m, NULL, seed);
    while (col_agents_are_done(t.m.agents) && ++seed < 1000);
    assert_true(col_agents_are_stuck(t.m.agents));
    assert_non_null(strstr(col_agents_trouble(t.m.agents), "nothing was answered for 2000 cycles: "
                                                           "port "));
    end(&t);
}

/* ---- Who waits for whom. */

typedef struct told_wait {
    uint32_t port, operation;
    uint64_t since, on;
    char text[200];
} told_wait;

typedef struct told_waits {
    told_wait list[64];
    uint32_t count;
    bool has_header;
} told_waits;

static void keep_wait(void *context, const col_event *event) {
    told_waits *w = context;
    assert_int_equal(event->number, w->has_header ? w->count + 1 : 0);
    if (!w->has_header) {
        w->has_header = true;
        return;
    }
    told_wait *wait = &w->list[w->count++];
    *wait = (told_wait){.port = event->controller,
                        .operation = event->operation,
                        .since = event->overwritten,
                        .on = event->read};
    (void)snprintf(wait->text, sizeof wait->text, "%s", event->message);
}

/* A request that is offered and not accepted waits since it was offered: the one before it is
 * named, which has waited for longer. */
TEST(requests_wait_since_they_were_offered) {
    static const char lines[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                                "thread 0\n  delay 4\n  store a0 1\nthread 1\n  load a1\nend\n";
    trial t;
    told_waits told = {.count = 0};
    const col_observer observer = {&told, keep_wait, 1U << COL_WAIT};
    col_agent_settings settings = memory_settings(COL_AGENT_SC, false, false);
    col_port_request request;
    settings.stalls = settings.skew = 0;
    settings.patience = 20;
    begin(&t, &settings, lines, &observer);
    col_agents *agents = t.m.agents;
    take_next(&t.m, 1, &request);
    for (int cycle = 0; cycle < 100 && !col_agents_are_stuck(agents); cycle++) {
        (void)col_agents_offer(agents, 0, &request);
        col_agents_end_cycle(agents);
    }
    assert_true(col_agents_are_stuck(agents));
    assert_int_equal(told.count, 2);
    assert_in_range(told.list[0].since, 4, 6);
    assert_non_null(strstr(col_agents_trouble(agents), "port 1 waits for operation 0"));
    end(&t);
}

/* Port 0 answers nothing: its store, the load that waits for it, and the core that awaits it. */
TEST(waits_lead_to_the_request_that_is_not_answered) {
    static const char lines[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                                "thread 0\n  store a0 1\n  load a1\n"
                                "thread 1\n  await a0 1\n  store a1 2\nend\n";
    trial t;
    told_waits told = {.count = 0};
    const col_observer observer = {&told, keep_wait, 1U << COL_WAIT};
    col_agent_settings settings = memory_settings(COL_AGENT_SC, false, false);
    col_port_request request;
    settings.stalls = settings.skew = 0;
    settings.patience = 10;
    begin(&t, &settings, lines, &observer);
    col_agents *agents = t.m.agents;
    take_next(&t.m, 0, &request);
    for (int cycle = 0; cycle < 100 && !col_agents_are_stuck(agents); cycle++) {
        if (col_agents_offer(agents, 1, &request) && cycle == 3)
            col_agents_accept(agents, 1);
        col_agents_end_cycle(agents);
    }
    assert_true(col_agents_are_stuck(agents));
    assert_int_equal(told.count, 2);
    assert_int_equal(told.list[0].port, 0);
    assert_int_equal(told.list[0].operation, 0);
    assert_int_equal(told.list[0].on, 0);
    assert_string_equal(told.list[0].text, "waits for the answer of port 0");
    assert_int_equal(told.list[1].port, 1);
    assert_int_equal(told.list[1].operation, 2);
    assert_int_equal(told.list[1].on, 1);
    end(&t);
}
