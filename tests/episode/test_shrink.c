/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Shrinking: the delta debugging by predicates whose answer is known, against brute force; and
 * failures of real designs from folder to folder, which fail again in the same way.
 */
#include "collider/shrink.h"

#include "base/file.h"
#include "base/random.h"
#include "episode/shrink/shrink_search.h"
#include "episodes.h"
#include "harness.h"
#include "program/reshape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Random programs. */

enum { MOST_OPERATIONS = 11, LOCATIONS = 4 };

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* Awaits are for stores of threads before: they end. */
static void draw_await(base_rng *rng, const col_program *program, uint32_t start,
                       col_operation *operation) {
    const uint32_t o = start == 0 ? 0 : below(rng, start);
    const col_operation *write = &program->operations[o];
    if (start == 0 || (write->kind != COL_STORE && write->kind != COL_SWAP))
        return;
    operation->kind = COL_AWAIT;
    operation->location = write->location;
    operation->value = write->value;
}

static void draw_operation(base_rng *rng, col_program *program, uint32_t start, uint32_t o,
                           bool awaits) {
    static const uint8_t kinds[] = {COL_LOAD, COL_LOAD,  COL_STORE, COL_STORE, COL_SWAP,
                                    COL_ADD,  COL_FENCE, COL_FLUSH, COL_DELAY};
    col_operation *operation = &program->operations[o];
    operation->kind = kinds[below(rng, sizeof kinds)];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (operation->kind != COL_FENCE)
        operation->location = below(rng, LOCATIONS);
    if (operation->kind == COL_FENCE)
        operation->fence = (uint8_t)(1 + below(rng, COL_FULL_FENCE));
    if (traits->writes)
        operation->value = 100 + o;
    if (traits->reads && below(rng, 3) == 0)
        operation->order = COL_ACQUIRE;
    if (awaits && operation->kind == COL_LOAD && below(rng, 2) == 0)
        draw_await(rng, program, start, operation);
    const uint32_t source = o > start ? start + below(rng, o - start) : o;
    if (source < o && traits->located && below(rng, 2) == 0 &&
        col_kinds[program->operations[source].kind].reads) {
        operation->dependency = (uint8_t)(traits->writes ? COL_DATA : COL_ADDRESS);
        operation->distance = o - source;
    }
}

static void draw(base_rng *rng, col_program *program, bool awaits) {
    uint32_t lengths[4];
    const uint32_t threads = 1 + below(rng, 4);
    col_problem problem;
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = 1 + below(rng, MOST_OPERATIONS / threads);
    assert_int_equal(col_program_shape(program, threads, lengths, LOCATIONS, &problem), COL_OK);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        program->addresses[l] = UINT64_C(8) * (1 + l) << (4 * below(rng, 4));
    for (uint32_t l = 1; l < LOCATIONS; l++) /* no two the same */
        program->addresses[l] += program->addresses[l - 1];
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++)
            draw_operation(rng, program, program->thread_start[t], o, awaits);
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* ---- Delta debugging by predicates. */

/* An operation whatever became of its numbers. */
static uint64_t identity(const col_program *program, uint32_t operation) {
    const col_operation *o = &program->operations[operation];
    const uint64_t place =
        col_kinds[o->kind].located ? program->addresses[o->location] : o->location;
    return (place * 64 + o->kind) * 4096 + o->value;
}

/* Fails: has all that is required, or, if nothing is, a sum that leaves no remainder. */
typedef struct predicate {
    uint64_t required[3];
    uint32_t count, divisor;
    uint64_t asked;
    const col_program *original;
} predicate;

/* Of the operations that the mask has. */
static bool holds(const predicate *p, const col_program *program, uint32_t mask) {
    uint32_t found = 0;
    uint64_t sum = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        if ((mask >> o & 1) == 0)
            continue;
        const uint64_t here = identity(program, o);
        sum += here * UINT64_C(0x9e3779b97f4a7c15) >> 40;
        for (uint32_t r = 0; r < p->count; r++)
            if (p->required[r] == here)
                found |= 1U << r;
    }
    return p->count > 0 ? found == (1U << p->count) - 1 : mask != 0 && sum % p->divisor == 0;
}

static uint32_t all_of(const col_program *program) {
    return (1U << col_program_operations(program)) - 1;
}

static epi_answer ask(void *context, const col_program *program) {
    predicate *p = context;
    col_problem problem;
    p->asked++;
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return holds(p, program, all_of(program)) ? EPI_FAILS : EPI_PASSES;
}

static uint32_t smallest_by_force(const predicate *p, const col_program *program) {
    uint32_t least = UINT32_MAX;
    for (uint32_t mask = 1; mask <= all_of(program); mask++) {
        const uint32_t size = (uint32_t)__builtin_popcount(mask);
        if (size < least && holds(p, program, mask))
            least = size;
    }
    return least;
}

static void minimise(predicate *p, const col_program *program, bool forward, epi_search *search) {
    col_problem problem;
    *search = (epi_search){.ask = ask, .context = p, .forward = forward};
    assert_int_equal(epi_search_begin(search, program, &problem), COL_OK);
    (void)epi_search_minimise(search);
    assert_false(search->over);
    assert_int_equal(search->status, COL_OK);
    assert_true(holds(p, &search->best, all_of(&search->best)));
}

/* Where more never hurts, what is left is as small as any part that fails. */
TEST(only_required_operations_are_left) {
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 1500; i++) {
        predicate p = {0};
        epi_search search;
        draw(&rng, &program, i % 2 == 0);
        p.count = 1 + below(&rng, 3);
        for (uint32_t r = 0; r < p.count; r++)
            p.required[r] = identity(&program, below(&rng, col_program_operations(&program)));
        minimise(&p, &program, i % 3 == 0, &search);
        /* An await that is required keeps its write. */
        bool has_await = false;
        for (uint32_t o = 0; o < col_program_operations(&search.best); o++)
            has_await |= search.best.operations[o].kind == COL_AWAIT;
        if (!has_await)
            assert_int_equal(col_program_operations(&search.best), smallest_by_force(&p, &program));
        epi_search_free(&search);
    }
    col_program_free(&program);
}

static void assert_none_without(const predicate *p, const col_program *program, uint32_t without) {
    const uint32_t mask = all_of(program) & ~without;
    if (mask != 0 && mask != all_of(program))
        assert_false(holds(p, program, mask));
}

/* Where nothing can be said about parts: no single operation, thread or location can go. */
TEST(shrunk_programs_are_minimal) {
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    uint32_t tried = 0;
    base_rng_seed(&rng, 2, 0);
    while (tried < 1500) {
        predicate p = {.divisor = 2 + below(&rng, 9)};
        epi_search search;
        draw(&rng, &program, false);
        if (!holds(&p, &program, all_of(&program)))
            continue;
        tried++;
        minimise(&p, &program, tried % 2 == 0, &search);
        const col_program *best = &search.best;
        uint32_t locations[LOCATIONS] = {0}, threads[4] = {0};
        for (uint32_t o = 0; o < col_program_operations(best); o++) {
            assert_none_without(&p, best, 1U << o);
            threads[col_program_thread_of(best, o)] |= 1U << o;
            if (col_kinds[best->operations[o].kind].located)
                locations[best->operations[o].location] |= 1U << o;
        }
        for (int i = 0; i < 4; i++) {
            assert_none_without(&p, best, threads[i]);
            assert_none_without(&p, best, locations[i]);
        }
        epi_search_free(&search);
    }
    col_program_free(&program);
}

static epi_answer answer_once(void *context, const col_program *program) {
    uint32_t *asked = context;
    (void)program;
    return ++*asked <= 1 ? EPI_FAILS : EPI_NO_ANSWER;
}

TEST(shrinking_ends_without_an_answer) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nthread 0\n store a0 1\n"
                               " store a0 2\n store a0 3\n store a0 4\n store a0 5\n store a0 6\n"
                               " store a0 7\n store a0 8\n store a0 9\nend\n";
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    uint32_t asked = 0;
    epi_search search = {.ask = answer_once, .context = &asked};
    assert_int_equal(col_program_read(&program, text, strlen(text), "text", &problem), COL_OK);
    assert_int_equal(epi_search_begin(&search, &program, &problem), COL_OK);
    assert_true(epi_search_minimise(&search));
    assert_true(search.over);
    assert_int_equal(asked, 2);
    assert_int_equal(col_program_operations(&search.best), 5); /* half of nine went */
    epi_search_free(&search);
    col_program_free(&program);
}

/* ---- Names and addresses. */

static epi_answer always(void *context, const col_program *program) {
    (void)context;
    col_problem problem;
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return EPI_FAILS;
}

static void give_other_names(base_rng *rng, const col_program *program, col_program *other) {
    uint32_t order[4], locations[LOCATIONS];
    uint64_t addresses[LOCATIONS] = {0};
    col_problem problem;
    for (uint32_t t = 0; t < program->thread_count; t++)
        order[t] = t;
    for (uint32_t l = 0; l < program->location_count; l++)
        locations[l] = l;
    base_rng_shuffle(rng, order, program->thread_count);
    base_rng_shuffle(rng, locations, program->location_count);
    assert_int_equal(prg_arrange(program, order, program->thread_count, other, &problem), COL_OK);
    assert_int_equal(other->location_count, program->location_count);
    for (uint32_t o = 0; o < col_program_operations(other); o++) {
        col_operation *operation = &other->operations[o];
        if (col_kinds[operation->kind].located)
            operation->location = locations[operation->location];
        if (operation->value > 0)
            operation->value = 9999 - 3 * operation->value;
    }
    for (uint32_t l = 0; l < other->location_count; l++)
        addresses[locations[l]] = other->addresses[l];
    memcpy(other->addresses, addresses, other->location_count * sizeof addresses[0]);
}

static void make_canonical(const col_program *program, const col_geometry *geometry,
                           epi_search *search) {
    col_problem problem;
    *search = (epi_search){.ask = always};
    assert_int_equal(epi_search_begin(search, program, &problem), COL_OK);
    (void)epi_search_canonical(search);
    (void)epi_search_addresses(search, geometry);
    assert_int_equal(search->status, COL_OK);
}

static col_geometry small_caches(void) {
    return (col_geometry){.block_bits = 6,
                          .level_count = 2,
                          .levels = {{.name = "L1", .index_low = 6, .index_bits = 2, .ways = 2},
                                     {.name = "L2", .index_low = 6, .index_bits = 4, .ways = 4}}};
}

/* Programs that are the same but for names and the order of threads end as the same text. */
TEST(names_do_not_matter) {
    const col_geometry geometry = small_caches();
    col_program program = COL_PROGRAM_EMPTY, other = COL_PROGRAM_EMPTY;
    base_rng rng;
    col_problem problem;
    base_rng_seed(&rng, 3, 0);
    for (int i = 0; i < 500; i++) {
        epi_search a, b;
        draw(&rng, &program, true);
        assert_int_equal(prg_mend(&program, &problem), COL_OK);
        give_other_names(&rng, &program, &other);
        if (col_program_check(&other, &problem) != COL_OK)
            fail_msg("%s", problem.message);
        make_canonical(&program, &geometry, &a);
        make_canonical(&other, &geometry, &b);
        assert_true(col_program_equal(&a.best, &b.best));
        for (uint32_t l = 0; l < a.best.location_count; l++)
            assert_int_equal(a.best.addresses[l], 64 * (l + 1));
        epi_search_free(&a);
        epi_search_free(&b);
    }
    col_program_free(&program);
    col_program_free(&other);
}

/* Needs a0 and a1 in one set of the L1, and a2 and a3 in one block. */
static epi_answer needs_conflicts(void *context, const col_program *program) {
    const uint64_t *a = program->addresses;
    (void)context;
    (void)always(NULL, program);
    return (a[0] / 64 % 4 == a[1] / 64 % 4 && a[0] / 64 != a[1] / 64 && a[2] / 64 == a[3] / 64)
               ? EPI_FAILS
               : EPI_PASSES;
}

TEST(conflicts_that_matter_stay) {
    static const char text[] =
        "collider program 1\nlocation a0 0x10040\nlocation a1 0x20040\nlocation a2 0x30048\n"
        "location a3 0x30070\nlocation a4 0x40040\nthread 0\n load a0\n load a1\n load a2\n"
        " load a3\n load a4\nend\n";
    const col_geometry geometry = small_caches();
    static const uint64_t expected[] = {0x40, 0x140, 0x80, 0x88, 0xc0};
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    epi_search search = {.ask = needs_conflicts};
    assert_int_equal(col_program_read(&program, text, strlen(text), "text", &problem), COL_OK);
    assert_int_equal(epi_search_begin(&search, &program, &problem), COL_OK);
    assert_true(epi_search_addresses(&search, &geometry));
    for (int l = 0; l < 5; l++)
        assert_int_equal(search.best.addresses[l], expected[l]);
    epi_search_free(&search);
    col_program_free(&program);
}

/* ---- Failures of designs. */

static void find_failure(const col_setting *setting, const char *name, col_failure *failure) {
    char path[256];
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    col_episode_default(&s);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    s.setting = *setting;
    s.engine = "chain-bias";
    s.mix = "published";
    s.operations = (col_range){256, 256};
    s.locations = (col_range){4, 16};
    s.seconds = 0;
    s.tests = 200;
    s.folder = path;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_not_equal(episode.outcome, COL_PASS);
    *failure = episode.failure;
    col_episode_free(&episode);
}

static col_shrink_settings quick(const col_failure *failure) {
    col_shrink_settings s;
    col_shrink_default(&s);
    s.folder = failure->folder;
    s.seconds = 0;
    s.seeds = 100;
    return s;
}

static void shrink(const col_shrink_settings *s, col_shrunk *shrunk) {
    col_problem problem;
    if (col_shrink(s, shrunk, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void read_program(const char *where, col_program *program) {
    char path[1100];
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/program.txt", where);
    if (col_program_read_file(program, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static bool exists(const char *where, const char *name) {
    char path[1100];
    struct stat about;
    (void)snprintf(path, sizeof path, "%s/%s", where, name);
    return stat(path, &about) == 0;
}

static void assert_replays(const col_shrunk *shrunk) {
    col_failure was, is;
    col_problem problem;
    col_program program = COL_PROGRAM_EMPTY;
    if (col_replay(shrunk->folder, true, &was, &is, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(was.outcome, shrunk->outcome);
    assert_int_equal(is.outcome, shrunk->outcome);
    assert_int_equal(was.seed, shrunk->seed);
    assert_string_equal(is.reason, shrunk->reason);
    read_program(shrunk->folder, &program);
    assert_int_equal(col_program_operations(&program), shrunk->to.operations);
    assert_int_equal(program.location_count, shrunk->to.locations);
    col_program_free(&program);
}

static const col_setting fifo = {
    .design.name = "mesi2", .design.cores = 4, .model = -1, .design.options = "without=fifo"};

TEST(the_number_of_jobs_does_not_matter) {
    col_failure failure;
    col_shrunk first, other;
    col_program a = COL_PROGRAM_EMPTY, b = COL_PROGRAM_EMPTY;
    find_failure(&fifo, "jobs", &failure);
    col_shrink_settings s = quick(&failure);
    shrink(&s, &first);
    assert_int_equal(first.outcome, COL_VIOLATION);
    assert_true(first.minimal);
    assert_true(first.failing > 0);
    assert_int_equal(first.tried, 1000);
    assert_true(first.to.operations <= 6 && first.to.threads <= 3);
    assert_int_equal(first.from.operations, 256);
    assert_replays(&first);
    read_program(first.folder, &a);
    for (s.jobs = 2; s.jobs <= 3; s.jobs++) {
        shrink(&s, &other);
        read_program(other.folder, &b);
        assert_true(col_program_equal(&a, &b));
        assert_int_equal(other.seed, first.seed);
        assert_int_equal(other.failing, first.failing);
        assert_int_equal(other.trials, first.trials);
        assert_int_equal(other.instances, first.instances);
        assert_int_equal(other.evidence, first.evidence);
        assert_string_equal(other.reason, first.reason);
    }
    col_program_free(&a);
    col_program_free(&b);
}

/* A small failure of a small failure is itself. */
TEST(shrinking_twice_changes_nothing) {
    col_failure failure;
    col_shrunk once, twice;
    find_failure(&fifo, "twice", &failure);
    col_shrink_settings s = quick(&failure);
    shrink(&s, &once);
    s.folder = once.folder;
    shrink(&s, &twice);
    assert_int_equal(twice.from.operations, once.to.operations);
    assert_int_equal(twice.to.operations, once.to.operations);
    assert_true(strstr(twice.folder, "/shrunk/shrunk") != NULL);
    assert_replays(&twice);
}

/* Errors of the library and of our own: what was a protocol error or a deadlock stays one. */
TEST(shrinking_keeps_the_class_of_failure) {
    static const char hangs[] = "name: hangs\nsource: this test\nclass: protocol race\nlevel: L1\n"
                                "protocol: mesi2\nsummary: the L2 waits for ever\n"
                                "explanation: no unblock\nedits:\n"
                                "  - { at: L1Cache/SM/Ack_all, drop: [unblockExclusive] }\n";
    static const struct {
        const char *problem;
        col_outcome outcome;
    } cases[] = {{"MESI+PUTX-Race", COL_PROTOCOL_WRONG}, {"hangs", COL_DEADLOCKED}};
    char path[256];
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/hangs.yaml", folder);
    assert_int_equal(base_file_write(path, hangs, strlen(hangs), &problem), COL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const col_setting setting = {
            .design.name = "mesi2",
            .design.cores = 4,
            .model = -1,
            .design.error = cases[i].outcome == COL_DEADLOCKED ? path : cases[i].problem,
        };
        col_failure failure;
        col_shrunk shrunk;
        find_failure(&setting, cases[i].problem, &failure);
        assert_int_equal(failure.outcome, cases[i].outcome);
        const col_shrink_settings s = quick(&failure);
        shrink(&s, &shrunk);
        assert_int_equal(shrunk.outcome, cases[i].outcome);
        assert_int_equal(shrunk.evidence, COL_SHOWN_BY_OUTCOME);
        assert_true(shrunk.minimal);
        assert_true(shrunk.to.operations <= 8);
        assert_replays(&shrunk);
        assert_true(exists(shrunk.folder, "test.riscv.litmus"));
    }
}

/* Hardly any seed shows it: what is left of the program must happen when it happened. */
TEST(rare_failures_keep_their_time) {
    static const col_setting rare = {.design.name = RARE_DESIGN, .model = -1};
    col_failure failure;
    col_shrunk shrunk;
    find_failure(&rare, "rare", &failure);
    col_shrink_settings s = quick(&failure);
    s.allow_code = true;
    shrink(&s, &shrunk);
    assert_int_equal(shrunk.from.operations, 256);
    assert_int_equal(shrunk.to.operations, 3);
    assert_true(shrunk.failing * 100 < shrunk.tried);
    assert_int_equal(shrunk.outcome, COL_PROTOCOL_WRONG);
}

/* A design that does not repeat may fail once with a program that never fails again: that is not
 * what the failure is shrunk to. */
TEST(luck_is_not_shrunk_to) {
    static const col_setting lucky = {
        .design.name = RARE_DESIGN, .design.options = "lucky", .model = -1};
    col_failure failure;
    col_shrunk shrunk;
    find_failure(&lucky, "lucky", &failure);
    col_shrink_settings s = quick(&failure);
    s.allow_code = true;
    s.seeds = 20;
    shrink(&s, &shrunk);
    assert_in_range(shrunk.to.operations, 40, 100);
    assert_true(shrunk.failing * 10 > shrunk.tried);
}

/* Where the time is too short or somebody ends it, there is a whole failure, only larger. */
TEST(an_early_end_leaves_a_failure) {
    volatile int stop = 1;
    col_failure failure;
    col_shrunk shrunk;
    find_failure(&fifo, "early", &failure);
    col_shrink_settings s = quick(&failure);
    s.seconds = 1e-6;
    shrink(&s, &shrunk);
    assert_false(shrunk.minimal);
    assert_int_equal(shrunk.to.operations, shrunk.from.operations);
    assert_replays(&shrunk);
    s.seconds = 0;
    s.stop = &stop;
    shrink(&s, &shrunk);
    assert_false(shrunk.minimal);
    assert_int_equal(shrunk.tried, 0);
    assert_replays(&shrunk);
}

/* The design was mended in the meantime. */
TEST(failures_that_do_not_reproduce_are_refused) {
    char path[1100], out[1100];
    col_failure failure;
    col_shrunk shrunk;
    base_text text = {0};
    col_problem problem;
    find_failure(&fifo, "mended", &failure);
    (void)snprintf(path, sizeof path, "%s/failure.json", failure.folder);
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    static const char was[] = "\"without=fifo\"";
    const char *options = strstr(text.data, was);
    assert_non_null(options);
    base_text mended = {0};
    base_text_add_bytes(&mended, text.data, (size_t)(options - text.data));
    base_text_add(&mended, "null");
    base_text_add(&mended, options + strlen(was));
    assert_int_equal(base_file_write(path, mended.data, mended.length, &problem), COL_OK);
    base_text_free(&mended);
    col_shrink_settings s = quick(&failure);
    (void)snprintf(out, sizeof out, "%s/nothing", folder);
    s.out = out;
    assert_int_equal(col_shrink(&s, &shrunk, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "cannot be reproduced"));
    assert_false(exists(folder, "nothing"));
    s.folder = folder;
    assert_int_equal(col_shrink(&s, &shrunk, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "has no failure.json"));
    base_text_free(&text);
}

/* What a litmus test's condition shows, and what its comment says. */
TEST(litmus_tests_are_written) {
    static const char *const names[] = {"test.riscv.litmus", "test.aarch64.litmus",
                                        "test.x86-64.litmus"};
    col_failure failure;
    col_shrunk shrunk;
    find_failure(&fifo, "litmus", &failure);
    const col_shrink_settings s = quick(&failure);
    shrink(&s, &shrunk);
    for (int i = 0; i < 3; i++) {
        char path[1100];
        base_text text = {0};
        col_problem problem;
        (void)snprintf(path, sizeof path, "%s/%s", shrunk.folder, names[i]);
        assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
        assert_non_null(strstr(text.data, "mesi2, 4 cores, options without=fifo"));
        const bool is_shown = shrunk.evidence != COL_SHOWN_BY_ORDER;
        assert_non_null(strstr(text.data, is_shown ? "forbidden by tso" : "coherence"));
        base_text_free(&text);
    }
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
