/* SPDX-License-Identifier: MIT */
/* What lines of the serve protocol mean, and the sentence for each that means nothing. */
#include "design/serve/serve_line.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

/* ---- Descriptions. */

static col_status describe(const char *lines, base_text *text, duv_copy *copy,
                           col_problem *problem) {
    *copy = (duv_copy){.machines = NULL};
    *text = (base_text){0};
    base_text_add(text, lines);
    assert_int_equal(base_text_status(text, NULL), COL_OK);
    return duv_serve_describe(text, copy, problem);
}

TEST(a_description_says_all_of_it) {
    base_text text;
    duv_copy copy;
    col_problem problem;
    const col_status status =
        describe("name my design \r\ncores 0x10\nmodel rvwmo\n\n"
                 "shows events\nvaries\nsingle\nmerges\nword 4\n"
                 "window 0x10000\noperations 8 0x40\ninstances 100\nrefuses flush add\n"
                 "block 32\ncache L1 64 4\ncache L2 512 8 5\n"
                 "machine L1Cache 16 private\n"
                 "states I S M\nempty I\nevents Load Store\n"
                 "point I Load\npoint S Store\n"
                 "machine Bus 1\npoint Busy\n",
                 &text, &copy, &problem);
    if (status != COL_OK)
        fail_msg("%s", problem.message);
    const col_duv_description *d = &copy.description;
    assert_string_equal(d->name, "my design");
    assert_int_equal(d->cores, 16);
    assert_int_equal(d->model, COL_RVWMO);
    assert_int_equal(d->shows, COL_SHOWS_EVENTS);
    assert_true(d->varies && d->is_single && d->merges && d->is_narrow);
    assert_int_equal(d->window, 0x10000);
    assert_int_equal(d->instances, 100);
    assert_int_equal(d->least_operations, 8);
    assert_int_equal(d->most_operations, 64);
    assert_int_equal(d->refuses, 1U << COL_FLUSH | 1U << COL_ADD);
    assert_int_equal(d->geometry.block_bits, 5);
    assert_int_equal(d->geometry.level_count, 2);
    assert_string_equal(d->geometry.levels[1].name, "L2");
    assert_int_equal(d->geometry.levels[0].index_low, 5);
    assert_int_equal(d->geometry.levels[1].index_bits, 9);
    assert_int_equal(d->geometry.levels[1].ways, 8);
    assert_int_equal(d->machine_count, 2);
    assert_true(d->machines[0].is_private && !d->machines[1].is_private);
    assert_int_equal(d->machines[1].first_point, 2);
    assert_string_equal(d->points[1].state, "S");
    assert_string_equal(d->points[1].event, "Store");
    assert_string_equal(d->points[2].event, "");
    assert_int_equal(d->names[0].state_count, 3);
    assert_string_equal(d->names[0].states[2], "M");
    assert_string_equal(d->names[0].events[1], "Store");
    assert_true(d->names[0].empty[0] && !d->names[0].empty[1]);
    assert_int_equal(d->names[1].state_count, 0);
    duv_copy_free(&copy);
    base_text_free(&text);
}

TEST(a_short_description_is_enough) {
    base_text text;
    duv_copy copy;
    assert_int_equal(describe("model sc\ncores 1\nname x", &text, &copy, NULL), COL_OK);
    assert_int_equal(copy.description.shows, COL_SHOWS_EVENTS);
    assert_false(copy.description.varies);
    assert_int_equal(copy.description.geometry.block_bits, 6);
    assert_int_equal(copy.description.geometry.level_count, 1); /* engines want one */
    assert_null(copy.description.names);
    duv_copy_free(&copy);
    base_text_free(&text);
}

TEST(descriptions_that_make_no_sense_are_refused) {
    static const char good[] = "name x\ncores 2\nmodel sc\n";
    static const struct {
        const char *line, *sentence;
    } cases[] = {
        {"colour red", "the design said 'colour red', which is not a line of a description"},
        {"cores 0", "the design said 'cores 0', where cores NUMBER, 1 to 65536, was expected"},
        {"cores 65537",
         "the design said 'cores 65537', where cores NUMBER, 1 to 65536, was expected"},
        {"cores 2 3", "the design said 'cores 2 3', where cores NUMBER, 1 to 65536, was expected"},
        {"model best", "the design said 'model best', where model and the word of a memory model, "
                       "such as tso, was expected"},
        {"shows all",
         "the design said 'shows all', where shows events or shows reads was expected"},
        {"varies much", "the design said 'varies much', where varies alone was expected"},
        {"word 6", "the design said 'word 6', where word 4 or word 8 was expected"},
        {"refuses jump", "the design said 'refuses jump', where refuses and kinds of operation, "
                         "such as flush, was expected"},
        {"operations 8 4",
         "the design said 'operations 8 4', where operations LEAST MOST was expected"},
        {"block 48", "the design said 'block 48', where block BYTES, a power of two, was expected"},
        {"block 4", "a block has 8 bytes (one word) to 64 KiB"},
        {"cache L1 3 4", "the design said 'cache L1 3 4', where cache NAME SETS WAYS "
                         "[LOWEST-INDEX-BIT], at most 8 times, was expected"},
        {"machine M", "the design said 'machine M', where machine NAME CONTROLLERS [private] was "
                      "expected"},
        {"machine M 1 private", "the design's machine M is private to a core, but 2 cores have 1 "
                                "controllers of it"},
        {"point A B",
         "the design said 'point A B', where point STATE [EVENT], behind a machine, was expected"},
        {"states A", "the design said 'states A', where states NAME..., once behind a machine, was "
                     "expected"},
        {"machine M 1\nstates A B\nempty C",
         "the design said 'empty C', where empty STATE..., behind the states, was expected"},
        {"machine M 65536\npoint A\nmachine N 65536\npoint A\nmachine O 65536", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[512];
        base_text text;
        duv_copy copy;
        col_problem problem = {.message = ""};
        (void)snprintf(lines, sizeof lines, "%s%s\n", good, cases[i].line);
        const col_status status = describe(lines, &text, &copy, &problem);
        assert_int_equal(status, cases[i].sentence == NULL ? COL_OK : COL_BAD_INPUT);
        if (cases[i].sentence != NULL)
            assert_string_equal(problem.message, cases[i].sentence);
        duv_copy_free(&copy);
        base_text_free(&text);
    }
}

TEST(what_is_missing_in_a_description_is_named) {
    static const char *const cases[][2] = {
        {"", "the design did not describe its name"},
        {"name x\nmodel sc", "the design did not describe its cores"},
        {"name x\ncores 2", "the design did not describe its model"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text text;
        duv_copy copy;
        col_problem problem;
        assert_int_equal(describe(cases[i][0], &text, &copy, &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, cases[i][1]);
        duv_copy_free(&copy);
        base_text_free(&text);
    }
}

/* ---- Instances. */

typedef struct hall {
    base_text text;
    duv_copy copy;
    col_program program;
    uint64_t hits[4];
    duv_hearing hearing;
} hall;

static const char program_text[] = "collider program 1\nword 4\n"
                                   "location a0 0x00000044\n"
                                   "location a1 0x00000080\n"
                                   "thread 0\nstore a0 1\nload a1\nfence\n"
                                   "thread 1\nawait a0 1\nadd a0 3\nend\n";

static void open_hall(hall *h, const char *shows) {
    char lines[256];
    (void)snprintf(lines, sizeof lines,
                   "name x\ncores 2\nmodel sc\nmerges\nword 4\nshows %s\n"
                   "machine M 2\npoint A B\npoint C\nstates A C\nevents B\n",
                   shows);
    *h = (hall){.program = COL_PROGRAM_EMPTY};
    assert_int_equal(describe(lines, &h->text, &h->copy, NULL), COL_OK);
    assert_int_equal(
        col_program_read(&h->program, program_text, strlen(program_text), "test", NULL), COL_OK);
    h->hearing = (duv_hearing){.description = &h->copy.description, .hits = h->hits};
    assert_int_equal(duv_hearing_load(&h->hearing, &h->program, NULL), COL_OK);
    duv_hearing_begin(&h->hearing);
}

static duv_said hear(hall *h, const char *line) {
    return duv_hearing_line(&h->hearing, line);
}

static void close_hall(hall *h) {
    duv_hearing_free(&h->hearing);
    duv_copy_free(&h->copy);
    base_text_free(&h->text);
    col_program_free(&h->program);
}

TEST(events_say_what_their_lines_say) {
    hall h;
    open_hall(&h, "events");
    const col_event *e = &h.hearing.event;
    assert_int_equal(hear(&h, "cycle 17"), DUV_SAID_NOTHING);
    assert_int_equal(hear(&h, "load 3 0x1 other"), DUV_SAID_EVENT);
    assert_int_equal(e->kind, COL_LOAD_PERFORMED);
    assert_int_equal(e->cycle, 17);
    assert_int_equal(e->core, 1);
    assert_int_equal(e->operation, 3);
    assert_int_equal(e->word, 1);
    assert_int_equal(e->source, COL_FROM_OTHER_CORE);
    assert_int_equal(e->block, 0x40);
    assert_int_equal(hear(&h, "store 4 0x100000001 1 2"), DUV_SAID_EVENT);
    assert_int_equal(e->kind, COL_STORE_PERFORMED);
    assert_int_equal(e->word, UINT64_C(0x100000001));
    assert_int_equal(e->overwritten, 1);
    assert_int_equal(e->read, 2);
    assert_int_equal(e->source, COL_FROM_UNKNOWN);
    assert_int_equal(hear(&h, "merged 0"), DUV_SAID_EVENT);
    assert_int_equal(e->kind, COL_STORE_MERGED);
    assert_int_equal(hear(&h, "transition 0 1 1 0 0 128"), DUV_SAID_EVENT);
    assert_int_equal(e->kind, COL_TRANSITION);
    assert_int_equal(e->controller, 1);
    assert_int_equal(e->state, 1);
    assert_int_equal(e->event, 0);
    assert_int_equal(e->next_state, 0);
    assert_int_equal(e->block, 128);
    assert_int_equal(hear(&h, "evict 1 0x40"), DUV_SAID_EVENT);
    assert_int_equal(e->kind, COL_EVICTION);
    assert_int_equal(e->core, 1);
    assert_int_equal(hear(&h, "hit 0 1 0 5"), DUV_SAID_NOTHING);
    assert_int_equal(h.hits[2], 5);
    assert_int_equal(hear(&h, "end stopped"), DUV_SAID_END);
    assert_int_equal(h.hearing.run.end, COL_RUN_STOPPED);
    assert_int_equal(h.hearing.run.cycles, 17);
    assert_int_equal(h.hearing.run.operations, 3);
    close_hall(&h);
}

TEST(lines_that_cannot_be_have_a_sentence_each) {
    static const struct {
        const char *shows, *line, *sentence;
    } cases[] = {
        {"events", "hello", "this is not a message of an instance"},
        {"events", "loads 1 2", "this is not a message of an instance"},
        {"events", "load", "the program has no such operation"},
        {"events", "load -1 2", "the program has no such operation"},
        {"events", "load 1x 2", "the program has no such operation"},
        {"events", "load 18446744073709551616 2", "the program has no such operation"},
        {"events", "load 1 18446744073709551616", "load OPERATION WORD [SOURCE] is expected"},
        {"events", "load 1", "load OPERATION WORD [SOURCE] is expected"},
        {"events", "load 1 2 nowhere", "load OPERATION WORD [SOURCE] is expected"},
        {"events", "load 1 2 memory 3", "load OPERATION WORD [SOURCE] is expected"},
        {"events", "load 2 0", "the operation is not a load or await"},
        {"events", "load 4 0", "the operation is not a load or await"},
        {"events", "store 0 1", "store OPERATION WORD OVERWRITTEN [SOURCE] is expected"},
        {"events", "store 0 1 2 3", "store OPERATION WORD OVERWRITTEN [SOURCE] is expected"},
        {"events", "store 4 1 2", "store OPERATION WORD OVERWRITTEN RETURNED [SOURCE] is expected"},
        {"events", "store 1 1 2", "the operation does not write"},
        {"events", "merged 4", "the operation is not a store"},
        {"events", "merged 0 1", "merged OPERATION is expected"},
        {"events", "read 1 2", "a design that shows events tells of reads by 'load' and 'store'"},
        {"events", "final a0 1", "only a design that shows reads tells of final values"},
        {"events", "cycle soon", "cycle NUMBER is expected"},
        {"events", "hit 1 0 0", "the design has no such machine"},
        {"events", "hit 0 2 0", "the machine has no such controller"},
        {"events", "hit 0 1 2", "the machine has no such point"},
        {"events", "hit 0 1 1 many", "hit MACHINE CONTROLLER POINT [COUNT] is expected"},
        {"events", "transition 0 0 2 0 0 0", "the machine did not describe such a state or event"},
        {"events", "transition 0 0 0 0 0",
         "transition MACHINE CONTROLLER STATE EVENT NEXT BLOCK is expected"},
        {"events", "evict 2 0", "the design has no such core"},
        {"events", "evict 0", "evict CORE BLOCK is expected"},
        {"reads", "load 1 2", "a design that shows reads tells of them by 'read'"},
        {"reads", "store 0 1 0", "a design that shows reads does not tell of stores"},
        {"reads", "merged 0", "the design did not describe itself as one that merges stores"},
        {"reads", "read 0 1", "the operation does not read"},
        {"reads", "read 2 1", "the operation does not read"},
        {"reads", "read 1", "read OPERATION WORD is expected"},
        {"reads", "read 1 2 3", "read OPERATION WORD is expected"},
        {"reads", "final a2 1", "the program has no such location"},
        {"reads", "final b0 1", "the program has no such location"},
        {"reads", "final a0", "final LOCATION WORD is expected"},
        {"reads", "end complete soon",
         "end complete, stopped, deadlock, protocol-error or invariant is expected, then cycles "
         "and a sentence if there are any"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hall h;
        char sentence[512];
        open_hall(&h, cases[i].shows);
        (void)snprintf(sentence, sizeof sentence, "the design said '%s': %s", cases[i].line,
                       cases[i].sentence);
        if (hear(&h, cases[i].line) != DUV_SAID_WRONG ||
            strcmp(h.hearing.run.message, sentence) != 0)
            fail_msg("%s: %s", cases[i].line, h.hearing.run.message);
        close_hall(&h);
    }
}

TEST(time_does_not_go_back) {
    hall h;
    open_hall(&h, "events");
    assert_int_equal(hear(&h, "cycle 5"), DUV_SAID_NOTHING);
    assert_int_equal(hear(&h, "cycle 5"), DUV_SAID_NOTHING);
    assert_int_equal(hear(&h, "cycle 4"), DUV_SAID_WRONG);
    assert_int_equal(hear(&h, "end complete 4"), DUV_SAID_WRONG);
    duv_hearing_begin(&h.hearing);
    assert_int_equal(hear(&h, "cycle 4"), DUV_SAID_NOTHING);
    close_hall(&h);
}

TEST(what_is_said_twice_is_refused_once_in_each_instance) {
    hall h;
    open_hall(&h, "reads");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hear(&h, "read 4 0"), DUV_SAID_EVENT);
        assert_int_equal(hear(&h, "read 4 0"), DUV_SAID_WRONG);
        assert_int_equal(hear(&h, "final a1 0"), DUV_SAID_EVENT);
        assert_int_equal(hear(&h, "final 1 0"), DUV_SAID_WRONG);
        duv_hearing_begin(&h.hearing);
        h.hearing.instance += i == 0 ? UINT32_MAX - h.hearing.instance : 0; /* and begin anew */
        if (i == 0)
            duv_hearing_begin(&h.hearing);
    }
    close_hall(&h);
}

TEST(too_much_is_refused) {
    hall h;
    open_hall(&h, "events");
    h.hearing.others = DUV_SERVE_OTHERS - 1;
    assert_int_equal(hear(&h, "# one more"), DUV_SAID_NOTHING);
    assert_int_equal(hear(&h, "# one too many"), DUV_SAID_WRONG);
    assert_string_equal(h.hearing.run.message,
                        "the design said '# one too many': the instance tells too much");
    uint32_t events = 0;
    while (hear(&h, "load 1 0") == DUV_SAID_EVENT && events < 1000)
        events++;
    assert_true(events > 5 && events < 20);
    close_hall(&h);
}
