/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Designs behind the serve protocol: the client in C is the same design to everybody as the plug-in
 * that it has inside, and whatever a bad peer does ends the instance with a sentence. Bad peers are
 * modes of tests/design/peers/odd.c.
 */
#include "watch.h"

#include "collider/check.h"
#include "design/design_kind.h"
#include "peers/odd.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds for a peer that never answers, and for the others, however busy the machine is. */
enum { SHORT = 1, LONG = 120 };

/* "serve:FOLDER/NAME words", beside the command. */
static const char *command(char text[4400], const char *name, const char *words) {
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(text, 4400, "serve:'%.*s/%s' %s", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND, name, words);
    return text;
}

/* ---- The client in C. */

static void the_client_tells_what_the_plugin_tells(void **state) {
    (void)state;
    static const char *const states[] = {"I", "S", "M"}, *const buffer[] = {"Empty", "Full"};
    static const char *const events[] = {"Load", "Store", "Bus_Read", "Bus_Write", "Replace"};
    static const char *const drains[] = {"Load", "Store", "Drain"};
    static const names toy_names[] = {{states, events}, {buffer, drains}};
    char text[4400];
    trial one, other;
    trial_start(&one, duv_open(toy_path(), 3, "bug=stale", false), toy_names);
    trial_start(&other, duv_open(command(text, "toy-serve", ""), 3, "bug=stale", false), toy_names);
    const col_duv_description *d = other.watch.description, *expected = one.watch.description;
    assert_string_equal(d->name, "toy");
    assert_int_equal(d->model, COL_TSO);
    assert_int_equal(d->point_count, expected->point_count);
    const col_geometry *g = &d->geometry, *same = &expected->geometry;
    assert_int_equal(g->block_bits, same->block_bits);
    assert_int_equal(g->level_count, same->level_count);
    for (uint32_t l = 0; l < g->level_count; l++) {
        assert_string_equal(g->levels[l].name, same->levels[l].name);
        assert_int_equal(g->levels[l].index_low, same->levels[l].index_low);
        assert_int_equal(g->levels[l].index_bits, same->levels[l].index_bits);
        assert_int_equal(g->levels[l].ways, same->levels[l].ways);
    }
    for (uint64_t seed = 0; seed < 10; seed++) {
        trial_make(&one, 500, 12, seed);
        trial_make(&other, 500, 12, seed);
        const col_run first = trial_run(&one, seed), second = trial_run(&other, seed);
        assert_int_equal(first.end, COL_RUN_COMPLETE);
        assert_int_equal(second.end, COL_RUN_COMPLETE);
        assert_int_equal(first.cycles, second.cycles);
        assert_int_equal(first.operations, second.operations);
        assert_true(one.watch.events > 1000);
        assert_int_equal(one.watch.events, other.watch.events);
        assert_int_equal(one.watch.hash, other.watch.hash);
        watch_compare_hits(&one.watch, one.duv);
        watch_compare_hits(&other.watch, other.duv);
    }
    trial_end(&one);
    trial_end(&other);
}

/* What each operation read, and how many did. */
typedef struct answers {
    uint64_t words[2000], finals[16];
    uint32_t count, others;
} answers;

static void take_answer(void *context, const col_event *event) {
    answers *a = context;
    if (event->kind == COL_VALUE_RETURNED) {
        a->words[event->operation] = event->word;
        a->count++;
    } else if (event->kind == COL_FINAL_VALUE) {
        a->finals[event->location] = event->word;
    } else {
        a->others++;
    }
}

static void a_client_that_shows_reads_tells_those_of_the_plugin(void **state) {
    (void)state;
    char text[4400];
    const col_duv_settings settings = {.cores = 4, .reads_only = true};
    col_duv *plugin, *client = duv_open(command(text, "toy-serve", "--reads"), 4, NULL, false);
    assert_int_equal(col_duv_open(&plugin, toy_path(), &settings, NULL), COL_OK);
    assert_int_equal(col_duv_describe(client)->shows, COL_SHOWS_READS);
    col_program program = COL_PROGRAM_EMPTY;
    answers *both = calloc(2, sizeof *both);
    assert_non_null(both);
    program_make(&program, col_duv_describe(plugin), 2000, 16, 5);
    for (int i = 0; i < 2; i++) {
        col_run run;
        const uint32_t kinds = 1U << COL_VALUE_RETURNED | 1U << COL_FINAL_VALUE;
        const col_observer observer = {&both[i], take_answer, kinds};
        assert_int_equal(col_duv_load(i == 0 ? plugin : client, &program, NULL), COL_OK);
        assert_int_equal(col_duv_run(i == 0 ? plugin : client, 3, &observer, NULL, &run, NULL),
                         COL_OK);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
    }
    assert_true(both[0].count > 300);
    assert_int_equal(both[0].count, both[1].count);
    assert_int_equal(both[1].others, 0);
    assert_memory_equal(both[0].words, both[1].words, sizeof both[0].words);
    for (uint32_t l = 0; l < 16; l++)
        assert_true(both[1].finals[l] != 0);
    free(both);
    col_duv_close(plugin);
    col_duv_close(client);
    col_program_free(&program);
}

/* Wherever the design notices it. */
static void a_stop_ends_an_instance_at_the_same_event_every_time(void **state) {
    (void)state;
    char text[4400];
    uint64_t hits[60] = {0};
    trial t;
    trial_start(&t, duv_open(command(text, "toy-serve", ""), 4, NULL, false), NULL);
    trial_make(&t, 20000, 32, 1);
    t.watch.stop_after = 1000;
    const col_run first = trial_run(&t, 1), second = trial_run(&t, 1);
    assert_int_equal(first.end, COL_RUN_STOPPED);
    assert_int_equal(first.cycles, t.watch.cycle_of_stop);
    assert_int_equal(second.cycles, first.cycles);
    assert_int_equal(second.operations, first.operations);
    assert_int_equal(t.watch.events, 1000);
    col_duv_collect(t.duv, hits);
    for (uint32_t p = 0; p < 60; p++)
        assert_int_equal(hits[p], 0);
    t.watch.stop_after = 0;
    assert_int_equal(trial_run(&t, 1).end, COL_RUN_COMPLETE);
    trial_end(&t);
}

static void several_run_side_by_side(void **state) {
    (void)state;
    char text[4400];
    trial t[3];
    for (int i = 0; i < 3; i++)
        trial_start(&t[i], duv_open(command(text, "toy-serve", ""), 0, NULL, i == 1), NULL);
    for (int i = 0; i < 3; i++) {
        trial_make(&t[i], 300, 8, 2);
        assert_int_equal(trial_run(&t[i], 7).end, COL_RUN_COMPLETE);
        assert_int_equal(t[i].watch.hash, t[0].watch.hash);
    }
    for (int i = 0; i < 3; i++)
        trial_end(&t[i]);
}

/* ---- Bad peers, before there is an instance. */

typedef struct refusal {
    const char *words, *sentence;
} refusal;

static void open_refused(const char *what, double limit, const char *sentence) {
    const col_duv_settings settings = {.name = what};
    void *opened = NULL;
    col_problem problem = {.message = ""};
    assert_int_equal(duv_serve_open(&opened, &settings, limit, &problem), COL_BAD_INPUT);
    assert_null(opened);
    if (strcmp(problem.message, sentence) != 0)
        fail_msg("%s: %s", what, problem.message);
}

static void peers_that_do_not_get_as_far_as_a_description_are_refused(void **state) {
    (void)state;
    char text[4400];
    open_refused(command(text, "tests/odd-peer", "events silent"), SHORT,
                 "the design did not say hello within 1 second");
    open_refused(command(text, "tests/odd-peer", "events mute"), 5, /* enough for a hello */
                 "the design did not describe itself within 5 seconds");
    const refusal refusals[] = {
        {"events exits", "the design's command ended by itself, with status 3, before it said "
                         "hello; its last words on standard error: no licence today"},
        {"events babbles", "the design said 'babble', where hello was expected"},
        {"events version", "the design speaks version 7 of the serve protocol, this is version 1"},
        {"events no-licence", "the design refused: the licence server is down"},
        {"events endless-line", "the design sent a line of more than 64 KiB before it said hello"},
        {"events garbage", "the design said 'I am a design', where a description was expected"},
        {"events refuses", "the design refused: the board does not answer"},
        {"events large", "the design's description has more than 16 MiB"},
        {"events ends",
         "the design's command ended by itself, with status 0, while it described itself"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        open_refused(command(text, "tests/odd-peer", refusals[i].words), LONG,
                     refusals[i].sentence);
}

static void commands_that_cannot_be_started_are_refused(void **state) {
    (void)state;
    open_refused("serve:/nowhere/at/all --now", LONG,
                 "cannot start the design's command '/nowhere/at/all': No such file or directory");
    open_refused("serve:/tmp", LONG, "cannot start the design's command '/tmp': Permission denied");
    open_refused("serve:  ", LONG, "a command is missing: '  ' has no words");
    open_refused("serve:sh -c 'exit", LONG, "a quote is not closed in the command 'sh -c 'exit'");
}

/* Simulators introduce themselves. */
static void lines_before_hello_are_passed_over(void **state) {
    (void)state;
    static const char *const words[] = {"events banner", "events zero"};
    char text[4400];
    for (int i = 0; i < 2; i++) {
        col_duv *duv = duv_open(command(text, "tests/odd-peer", words[i]), 0, NULL, false);
        assert_string_equal(col_duv_describe(duv)->name, "odd");
        col_duv_close(duv);
    }
}

static void a_design_has_the_cores_that_it_was_asked_for(void **state) {
    (void)state;
    char text[4400];
    const col_duv_settings settings = {.cores = 3}, lines = {.options = "a=b\nquit"};
    (void)command(text, "tests/odd-peer", "events");
    assert_string_equal(duv_refusal(text, &settings), "the design was asked for 3 cores and has 2");
    assert_string_equal(
        duv_refusal(text, &lines),
        "the options of a design behind the serve protocol are a line of less than 32 KiB");
}

/* ---- Bad peers, in instances. */

static const char program_text[] = "collider program 1\n"
                                   "location a0 0x00000040\n"
                                   "location a1 0x00000080\n"
                                   "thread 0\n"
                                   "store a0 1\n"
                                   "load a1\n"
                                   "thread 1\n"
                                   "store a1 2\n"
                                   "load a0\n"
                                   "swap a0 3\n"
                                   "end\n";

static void open_peer(trial *t, const char *words) {
    char text[4400];
    trial_start(t, duv_open(command(text, "tests/odd-peer", words), 0, NULL, false), NULL);
    col_duv_limit(t->duv, LONG);
    assert_int_equal(
        col_program_read(&t->program, program_text, strlen(program_text), "test", NULL), COL_OK);
}

static void load_peer(trial *t, const char *words) {
    open_peer(t, words);
    trial_load(t);
}

static void assert_fine(trial *t) {
    uint64_t hits[4] = {0};
    const bool reads = t->watch.description->shows == COL_SHOWS_READS;
    col_duv_collect(t->duv, hits);
    memset(hits, 0, sizeof hits);
    const col_run run = trial_run(t, ODD_FINE);
    if (run.end != COL_RUN_COMPLETE)
        fail_msg("%s", run.message);
    assert_int_equal(run.cycles, 9);
    assert_int_equal(run.operations, 5);
    assert_int_equal(t->watch.events, 5);
    assert_int_equal(t->watch.performed, reads ? 0 : 5);
    assert_int_equal(t->watch.last_cycle, reads ? 7 : 0);
    col_duv_collect(t->duv, hits);
    assert_int_equal(hits[0], 0); /* two controllers of two points */
    assert_int_equal(hits[1], 1);
    assert_int_equal(hits[2], 3);
    assert_int_equal(hits[3], 0);
}

static bool is_said(const char *message, const char *sentence) {
#ifdef EMULATED /* emulators have last words of their own when a program crashes */
    return strncmp(message, sentence, strlen(sentence)) == 0;
#else
    return strcmp(message, sentence) == 0;
#endif
}

static void every_bad_instance_ends_with_its_sentence_and_the_next_is_fine(void **state) {
    (void)state;
    static const char late[] = "the design did not end an instance within 1 second";
    const struct {
        uint64_t seed;
        col_run_end end;
        const char *sentence; /* of a design that shows reads, if it is another one: */
        const char *of_reads;
    } cases[] = {
        {ODD_GARBAGE, COL_RUN_CRASHED,
         "the design said '?[31mSegmentation fault (core dumped)': this is not a message of an "
         "instance",
         NULL},
        {ODD_SILENT, COL_RUN_TIMED_OUT, late, NULL},
        {ODD_EXITS, COL_RUN_CRASHED,
         "the design's command ended by itself, with status 4, in an instance", NULL},
        {ODD_CRASHES, COL_RUN_CRASHED,
         "the design's command was ended by signal 11 (Segmentation fault) in an instance", NULL},
        {ODD_TALKS, COL_RUN_TIMED_OUT, late, NULL},
        {ODD_ENDLESS, COL_RUN_CRASHED, "the design sent a line of more than 64 KiB in an instance",
         NULL},
        {ODD_ZERO, COL_RUN_CRASHED,
         "the design said '(a line with a zero byte)': this is not a message of an instance", NULL},
        {ODD_NOWHERE, COL_RUN_CRASHED,
         "the design said 'load 5 1': the program has no such operation",
         "the design said 'read 5 1': the program has no such operation"},
        {ODD_STORE_READ, COL_RUN_CRASHED,
         "the design said 'load 2 2': the operation is not a load or await",
         "the design said 'read 2 2': the operation does not read"},
        {ODD_MACHINE, COL_RUN_CRASHED,
         "the design said 'hit 1 0 0': the design has no such machine", NULL},
        {ODD_FAILED, COL_RUN_CRASHED, "the design failed: the board was unplugged", NULL},
        {ODD_DEADLOCK, COL_RUN_DEADLOCK, "core 1 waits for a1", NULL},
        {ODD_PROTOCOL, COL_RUN_PROTOCOL_ERROR, "the design said that its protocol went wrong",
         NULL},
        {ODD_INVARIANT, COL_RUN_INVARIANT, "two writers", NULL},
        {ODD_ODD_END, COL_RUN_CRASHED,
         "the design said 'end well': end complete, stopped, deadlock, protocol-error or invariant "
         "is expected, then cycles and a sentence if there are any",
         NULL},
        {ODD_HANGS_UP, COL_RUN_CRASHED, "the design closed its standard output in an instance",
         NULL},
    };
    for (int reads = 0; reads < 2; reads++) {
        trial t;
        load_peer(&t, reads == 1 ? "reads" : "events");
        assert_fine(&t);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const bool is_other = reads == 1 && cases[i].of_reads != NULL;
            const char *sentence = is_other ? cases[i].of_reads : cases[i].sentence;
            col_duv_limit(t.duv, cases[i].end == COL_RUN_TIMED_OUT ? SHORT : LONG);
            const col_run run = trial_run(&t, cases[i].seed);
            col_duv_limit(t.duv, LONG);
            if (run.end != cases[i].end || !is_said(run.message, sentence))
                fail_msg("%u: %s, %s", (unsigned)cases[i].seed, col_run_ends[run.end], run.message);
#ifdef EMULATED /* it was seen to tell one more before the signal came */
            const uint64_t most = 2;
#else
            const uint64_t most = 1;
#endif
            if (run.end == COL_RUN_CRASHED && (t.watch.events < 1 || t.watch.events > most))
                fail_msg("%u: %llu events, %s", (unsigned)cases[i].seed,
                         (unsigned long long)t.watch.events, run.message);
            if (run.end == COL_RUN_DEADLOCK || run.end == COL_RUN_INVARIANT)
                assert_string_equal(t.watch.message, sentence);
            assert_fine(&t);
        }
        trial_end(&t);
    }
}

/* What is told twice is for the checker to see, if order is shown; reads have none. */
static void an_operation_told_twice_is_passed_on_or_refused(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "reads");
    assert_string_equal(trial_run(&t, ODD_TWICE).message,
                        "the design said 'read  3 0x1': the design said before what the operation "
                        "read");
    assert_fine(&t);
    trial_end(&t);
    load_peer(&t, "events");
    col_duv_limit(t.duv, 3); /* enough for two events */
    const col_run run = trial_run(&t, ODD_TWICE);
    assert_int_equal(run.end, COL_RUN_TIMED_OUT); /* it says nothing more */
    assert_int_equal(t.watch.performed, 2);
    trial_end(&t);
}

static void what_is_missing_at_the_end_is_for_the_judge(void **state) {
    (void)state;
    trial t;
    col_run run;
    col_checker *checker;
    load_peer(&t, "events");
    assert_int_equal(col_checker_new(&checker, COL_TSO, NULL), COL_OK);
    assert_int_equal(col_checker_load(checker, &t.program, NULL), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    assert_int_equal(col_duv_run(t.duv, ODD_FINE, &observer, NULL, &run, NULL), COL_OK);
    assert_true(col_checker_finish(checker, run.end == COL_RUN_COMPLETE));
    col_checker_restart(checker);
    assert_int_equal(col_duv_run(t.duv, ODD_LACKS, &observer, NULL, &run, NULL), COL_OK);
    assert_int_equal(run.end, COL_RUN_COMPLETE);
    assert_false(col_checker_finish(checker, true));
    col_checker_free(checker);
    trial_end(&t);
}

static void a_peer_that_leaves_after_an_instance_is_started_again(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "events");
    assert_int_equal(trial_run(&t, ODD_LEAVES).end, COL_RUN_COMPLETE);
    const struct timespec moment = {.tv_nsec = 100000000};
    (void)nanosleep(&moment, NULL);
    assert_int_equal(col_duv_load(t.duv, &t.program, NULL), COL_OK);
    assert_fine(&t);
    /* One that does not listen any more: writing to it must not end us. */
    assert_int_equal(trial_run(&t, ODD_DEAF).end, COL_RUN_COMPLETE);
    const col_run run = trial_run(&t, ODD_FINE);
    assert_int_equal(run.end, COL_RUN_CRASHED);
    assert_string_equal(run.message, "the design closed its standard input in an instance");
    assert_fine(&t);
    trial_end(&t);
}

static void what_goes_wrong_with_a_load_is_refused(void **state) {
    (void)state;
    const refusal refusals[] = {
        {"events slow-load", "the design did not load a program within 1 second"},
        {"events bad-load", "the design said 'fine', where ok was expected"},
        {"events no-load", "the design refused: no room for this program"},
        {"events dead-load",
         "the design's command ended by itself, with status 5, while it loaded a program"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        trial t;
        col_problem problem = {.message = ""};
        open_peer(&t, refusals[i].words);
        col_duv_limit(t.duv, i == 0 ? SHORT : LONG);
        assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, refusals[i].sentence);
        trial_end(&t);
    }
}

static void standard_error_does_not_block_a_peer(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "reads");
    assert_int_equal(trial_run(&t, ODD_COMPLAINS).end, COL_RUN_COMPLETE);
    const col_run run = trial_run(&t, ODD_EXITS);
    assert_string_equal(run.message,
                        "the design's command ended by itself, with status 4, in an instance; its "
                        "last words on standard error: complaint 99999");
    trial_end(&t);
}

/* ---- Stops. */

static void a_stop_reaches_a_peer_that_tells_no_events(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "events");
    t.watch.stop_after = 1;
    const col_run run = trial_run(&t, ODD_UNTIL_STOP);
    assert_int_equal(run.end, COL_RUN_STOPPED);
    t.watch.stop_after = 0;
    assert_fine(&t);
    trial_end(&t);
}

static void a_peer_may_ignore_a_stop(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "events");
    t.watch.stop_after = 2;
    const col_run run = trial_run(&t, ODD_IGNORES);
    assert_int_equal(run.end, COL_RUN_STOPPED);
    assert_int_equal(t.watch.events, 2);
    t.watch.stop_after = 0;
    assert_fine(&t); /* the stop that it reads now means nothing */
    trial_end(&t);
}

static void an_interrupt_gives_a_silent_peer_a_second(void **state) {
    (void)state;
    static const volatile int stop = 1;
    trial t;
    load_peer(&t, "events");
    col_duv_limit(t.duv, 0);
    col_duv_interrupt(t.duv, &stop);
    const double start = seconds_now();
    assert_int_equal(trial_run(&t, ODD_SILENT).end, COL_RUN_TIMED_OUT);
    assert_true(seconds_now() - start > 0.5);
    col_duv_interrupt(t.duv, NULL);
    trial_end(&t);
}

/* ---- Processes. */

static void what_a_peer_started_ends_with_it(void **state) {
    (void)state;
    trial t;
    load_peer(&t, "events");
    const col_run run = trial_run(&t, ODD_FORKS);
    const pid_t child = (pid_t)strtol(run.message, NULL, 10);
    assert_true(child > 1 && !is_gone(child));
    trial_end(&t);
    assert_true(goes_away(child));
}

/* Nobody can close the design then. */
static void a_peer_does_not_outlive_a_process_that_is_killed(void **state) {
    (void)state;
    int line[2];
    pid_t child = 0;
    assert_int_equal(pipe(line), 0);
    const pid_t user = fork();
    if (user == 0) {
        trial t;
        load_peer(&t, "events");
        const col_run run = trial_run(&t, ODD_FORKS);
        const pid_t told = (pid_t)strtol(run.message, NULL, 10);
        (void)!write(line[1], &told, sizeof told);
        (void)trial_run(&t, ODD_SILENT);
        _exit(0);
    }
    assert_int_equal(read(line[0], &child, sizeof child), sizeof child);
    assert_false(is_gone(child));
    assert_int_equal(kill(user, SIGKILL), 0);
    assert_int_equal(waitpid(user, NULL, 0), user);
    assert_true(goes_away(child));
    (void)close(line[0]);
    (void)close(line[1]);
}

/* ---- What it is. */

static void a_command_is_known_by_its_words_and_its_file(void **state) {
    (void)state;
    char folder[] = "/tmp/serve-XXXXXX", path[64], what[128];
    duv_identity first, same, edited, other;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/design", folder);
    (void)snprintf(what, sizeof what, "serve:%s --fast", path);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("one", file) >= 0 && fclose(file) == 0);
    assert_int_equal(duv_identify(&first, what, NULL, NULL), COL_OK);
    assert_int_equal(duv_identify(&same, what, NULL, NULL), COL_OK);
    file = fopen(path, "w");
    assert_true(file != NULL && fputs("two", file) >= 0 && fclose(file) == 0);
    assert_int_equal(duv_identify(&edited, what, NULL, NULL), COL_OK);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(what, sizeof what, "serve:%s --slow", path);
    assert_int_equal(duv_identify(&other, what, NULL, NULL), COL_OK);
    assert_int_equal(rmdir(folder), 0);
    assert_string_equal(first.whole, same.whole);
    assert_string_not_equal(first.whole, edited.whole);
    assert_string_not_equal(edited.whole, other.whole);
    assert_string_not_equal(first.file, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TIDY_TEST(the_client_tells_what_the_plugin_tells),
        TIDY_TEST(a_client_that_shows_reads_tells_those_of_the_plugin),
        TIDY_TEST(a_stop_ends_an_instance_at_the_same_event_every_time),
        TIDY_TEST(several_run_side_by_side),
        TIDY_TEST(peers_that_do_not_get_as_far_as_a_description_are_refused),
        TIDY_TEST(commands_that_cannot_be_started_are_refused),
        TIDY_TEST(lines_before_hello_are_passed_over),
        TIDY_TEST(a_design_has_the_cores_that_it_was_asked_for),
        TIDY_TEST(every_bad_instance_ends_with_its_sentence_and_the_next_is_fine),
        TIDY_TEST(an_operation_told_twice_is_passed_on_or_refused),
        TIDY_TEST(what_is_missing_at_the_end_is_for_the_judge),
        TIDY_TEST(a_peer_that_leaves_after_an_instance_is_started_again),
        TIDY_TEST(what_goes_wrong_with_a_load_is_refused),
        TIDY_TEST(standard_error_does_not_block_a_peer),
        TIDY_TEST(a_stop_reaches_a_peer_that_tells_no_events),
        TIDY_TEST(a_peer_may_ignore_a_stop),
        TIDY_TEST(an_interrupt_gives_a_silent_peer_a_second),
        TIDY_TEST(what_a_peer_started_ends_with_it),
        TIDY_TEST(a_peer_does_not_outlive_a_process_that_is_killed),
        TIDY_TEST(a_command_is_known_by_its_words_and_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
