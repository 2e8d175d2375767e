/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Stories of failures: what the words claim is held against the events, recorded independently;
 * pictures are well-formed, and nothing in them lies upon another thing; memory is bounded; designs
 * without names and all outcomes have stories too.
 */
#include "episode/story/story_parts.h"
#include "episodes.h"
#include "harness.h"
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pictures: an XML parser as small as it gets, and boxes and arrows in the plane. */

static const char *skip_name(const char *at) {
    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '-' || *at == ':')
        at++;
    return at;
}

/* Elements nest, attributes are quoted, "<" and "&" stand only where they may. */
static void assert_well_formed(const char *text) {
    char open[16][16];
    int depth = 0, roots = 0;
    for (const char *at = text; *at != '\0';) {
        if (*at == '&')
            assert_true(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                        strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&quot;", 6) == 0);
        if (*at++ != '<')
            continue;
        const bool closes = *at == '/';
        const char *name = at + closes, *end = skip_name(name);
        const int length = (int)(end - name);
        assert_true(length > 0 && length < 16);
        for (at = end; *at != '>' && *at != '/'; at++) {
            assert_true(*at == ' ');
            const char *attribute = at + 1;
            at = skip_name(attribute);
            assert_true(at > attribute && at[0] == '=' && at[1] == '"');
            at += 2 + strcspn(at + 2, "\"<&");
            assert_int_equal(*at, '"');
        }
        const bool is_empty = *at == '/';
        at += 1 + is_empty;
        assert_int_equal(at[-1], '>');
        if (closes) {
            depth--;
            assert_true(depth >= 0 && strncmp(open[depth], name, (size_t)length) == 0 &&
                        open[depth][length] == '\0');
        } else if (!is_empty) {
            roots += depth == 0;
            assert_true(depth < 16);
            (void)snprintf(open[depth++], 16, "%.*s", length, name);
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

typedef struct rectangle {
    int left, top, right, bottom;
} rectangle;

enum { MOST_RECTANGLES = 400 };

static bool is_apart(const rectangle *a, const rectangle *b) {
    return a->right <= b->left || b->right <= a->left || a->bottom <= b->top || b->bottom <= a->top;
}

/* Boxes, with room for their text, and labels of arrows. */
static int find_rectangles(const char *text, rectangle found[MOST_RECTANGLES]) {
    int count = 0, width, height, x, y;
    for (const char *at = text; (at = strchr(at, '<')) != NULL; at++) {
        char class[16], label[32];
        assert_true(count < MOST_RECTANGLES);
        if (sscanf(at, "<rect class=\"%15[a-z]\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                   class, &x, &y, &width, &height) == 5)
            found[count++] = (rectangle){x, y, x + width, y + height};
        else if (sscanf(at,
                        "<text class=\"label\" style=\"fill: %*[^\"]\" x=\"%d\" y=\"%d\">%31[^<]",
                        &x, &y, label) == 3 ||
                 sscanf(at, "<text class=\"letter\" x=\"%d\" y=\"%d\">%31[^<]", &x, &y, label) == 3)
            found[count++] = (rectangle){x, y - 9, x + 7 * (int)strlen(label), y + 2};
    }
    return count;
}

/* An arrow is made of level and upright lines, and touches nothing but the boxes at its ends. */
static void assert_clear(const char *path, const rectangle *found, int count) {
    int x, y, used, touched = 0;
    assert_int_equal(sscanf(path, "M%d %d%n", &x, &y, &used), 2);
    for (path += used; *path != '"'; path += used) {
        char way;
        int to;
        assert_int_equal(sscanf(path, " %c%d%n", &way, &to, &used), 2);
        const int x2 = way == 'H' ? to : x, y2 = way == 'V' ? to : y;
        const rectangle line = {x < x2 ? x : x2, y < y2 ? y : y2, 1 + (x > x2 ? x : x2),
                                1 + (y > y2 ? y : y2)};
        for (int i = 0; i < count; i++)
            touched += !is_apart(&line, &found[i]);
        x = x2;
        y = y2;
    }
    assert_true(touched <= 1); /* the border of the box that it leaves */
}

static void assert_legible(const char *text) {
    static rectangle found[MOST_RECTANGLES];
    const int count = find_rectangles(text, found);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_true(is_apart(&found[i], &found[j]));
    for (const char *at = text; (at = strstr(at, "<path class=\"")) != NULL; at++)
        if (strncmp(at + 13, "arrow", 5) == 0 || strncmp(at + 13, "back", 4) == 0)
            assert_clear(strstr(at, " d=\"") + 4, found, count);
}

/* The legend explains what is in the picture and nothing else; a message has a name. */
static void assert_explained(const char *text) {
    static const struct {
        const char *class, *meaning;
    } marks[] = {
        {"<rect class=\"change\"", ">transition to another state<"},
        {"<rect class=\"edited\"", ">transition that the design error changed<"},
        {"<path class=\"message\"", ">message, from where it was sent to where it was taken<"},
        {"<text class=\"letter\"", ">message, from where it was sent to where it was taken<"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        assert_int_equal(strstr(text, marks[i].class) != NULL,
                         strstr(text, marks[i].meaning) != NULL);
}

/* The sentences above end within the picture, in a wide font too. */
static void assert_inside(const char *text) {
    int width;
    assert_int_equal(sscanf(strstr(text, "width=\""), "width=\"%d\"", &width), 1);
    for (const char *at = text; (at = strstr(at, "<text class=\"title\"")) != NULL; at++) {
        const char *line = strchr(at, '>') + 1;
        assert_true(24 + (int)strcspn(line, "<") * 17 / 2 <= width);
    }
}

static void assert_picture(const char *text) {
    assert_well_formed(text);
    assert_legible(text);
    assert_inside(text);
    assert_explained(text);
}

/* ---- Words against events. */

/* Is it a point of the machine, by its names? */
static bool is_point(const col_duv_description *d, uint32_t machine, const char *state,
                     const char *event) {
    const col_duv_machine *m = &d->machines[machine];
    for (uint32_t p = m->first_point; p < m->first_point + m->point_count; p++)
        if (strcmp(d->points[p].state, state) == 0 && strcmp(d->points[p].event, event) == 0)
            return true;
    return false;
}

static uint32_t machine_named(const col_duv_description *d, const char *name) {
    for (uint32_t m = 0; m < d->machine_count; m++)
        if (strcmp(d->machines[m].name, name) == 0)
            return m;
    return UINT32_MAX;
}

static uint32_t number_of(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return UINT32_MAX;
}

/* The next line of the story that tells a transition. */
static const char *next_transition(const char *at, const col_duv_description *d, col_event *told) {
    char machine[32], state[32], event[32], next[32];
    unsigned long long cycle;
    unsigned controller;
    for (; *at != '\0' && *at != '\n'; at = strchr(at, '\n') + 1) {
        if (sscanf(at, "%llu %31s %u %31s %31s -> %31s\n", &cycle, machine, &controller, state,
                   event, next) != 6 ||
            machine_named(d, machine) == UINT32_MAX || strcmp(next, "here") == 0)
            continue;
        *told = (col_event){
            .cycle = cycle, .machine = machine_named(d, machine), .controller = controller};
        const col_duv_names *names = &d->names[told->machine];
        told->state = number_of(names->states, names->state_count, state);
        told->next_state = number_of(names->states, names->state_count, next);
        told->event = number_of(names->events, names->event_count, event);
        assert_true(is_point(d, told->machine, state, event));
        return strchr(at, '\n') + 1;
    }
    return NULL;
}

static bool is_same(const col_event *a, const col_event *b) {
    return a->cycle == b->cycle && a->machine == b->machine && a->controller == b->controller &&
           a->state == b->state && a->event == b->event && a->next_state == b->next_state;
}

/* Do the lines tell the block's transitions from this one on, leaving none out? */
static uint32_t follow(const char *at, const events *e, uint64_t block, size_t place) {
    const col_duv_description *d = col_duv_describe(e->worker.duv);
    uint32_t count = 0;
    for (col_event told; (at = next_transition(at, d, &told)) != NULL; count++, place++) {
        while (place < e->count &&
               (e->list[place].kind != COL_TRANSITION || e->list[place].block != block))
            place++;
        if (place == e->count || !is_same(&told, &e->list[place]))
            return 0;
    }
    return count;
}

/* The first one may have happened twice in a cycle: one of these must fit. */
static uint32_t check_scene(const char *scene, const events *e) {
    unsigned long long block;
    uint32_t best = 0;
    assert_int_equal(sscanf(scene, "What happened to block 0x%llx", &block), 1);
    for (size_t i = 0; i < e->count; i++) {
        const uint32_t count = e->list[i].kind != COL_TRANSITION || e->list[i].block != block
                                   ? 0
                                   : follow(strchr(scene, '\n') + 1, e, block, i);
        best = count > best ? count : best;
    }
    assert_true(best > 0);
    return best;
}

static const col_event *find_event(const events *e, uint32_t operation) {
    for (size_t i = 0; i < e->count; i++)
        if ((e->list[i].kind == COL_LOAD_PERFORMED || e->list[i].kind == COL_STORE_PERFORMED) &&
            e->list[i].operation == operation)
            return &e->list[i];
    return NULL;
}

/* "Thread 7, operation 115 (load a2 = 379) read a stale value: 379 in cycle 1979 ..." */
static void check_stale(const char *words, const events *e) {
    unsigned thread, place, location;
    unsigned long long word, cycle, newer, newer_cycle;
    const char *at = strstr(words, "read a stale value: ");
    char flat[1024];
    assert_non_null(at);
    while (at > words && strncmp(at, "Thread ", 7) != 0)
        at--;
    (void)snprintf(flat, sizeof flat, "%.1000s", at);
    for (char *c = flat; (c = strchr(c, '\n')) != NULL;)
        *c = ' ';
    assert_int_equal(sscanf(flat,
                            "Thread %u, operation %u (load a%u = %*u) read a stale value: %llu in "
                            "cycle %llu",
                            &thread, &place, &location, &word, &cycle),
                     5);
    const col_program *p = &e->recorded.program;
    const col_event *load = find_event(e, p->thread_start[thread] + place);
    assert_non_null(load);
    assert_int_equal(load->word, word);
    assert_int_equal(load->cycle, cycle);
    assert_int_equal(p->operations[load->operation].location, location);
    at = strstr(flat, "it was replaced by ");
    assert_non_null(at);
    assert_int_equal(
        sscanf(at, "it was replaced by %llu of thread %u, operation %u (%*[^)]) in cycle %llu",
               &newer, &thread, &place, &newer_cycle),
        4);
    const col_event *store = find_event(e, p->thread_start[thread] + place);
    assert_non_null(store);
    assert_true(store < load); /* the list is in order of time: the word was stale */
    assert_int_equal(store->overwritten, word);
    assert_int_equal(store->word, newer);
    assert_int_equal(store->cycle, newer_cycle);
    assert_int_equal(p->operations[store->operation].location, location);
}

static bool is_of(const col_event *event, col_event_kind kind, uint32_t core, uint32_t operation) {
    return event->kind == kind && event->core == core && event->operation == operation;
}

/* "The load asked for the block in cycle 19 and got its value in cycle 63, then waited for ...",
 * and that it was not squashed when its block was lost. */
static void check_core(const char *words, const events *e, bool is_told) {
    unsigned thread, place;
    unsigned long long bound, lost, told, after_cycle;
    char flat[2048];
    (void)snprintf(flat, sizeof flat, "%.2000s", strstr(words, "\nThread ") + 1);
    for (char *c = flat; (c = strchr(c, '\n')) != NULL;)
        *c = ' ';
    assert_int_equal(sscanf(flat, "Thread %u, operation %u", &thread, &place), 2);
    const uint32_t operation = e->recorded.program.thread_start[thread] + place;
    const uint64_t block =
        e->recorded.program.addresses[e->recorded.program.operations[operation].location] &
        ~UINT64_C(63);
    assert_non_null(strstr(flat, "got its value in cycle "));
    assert_int_equal(sscanf(strstr(flat, "got its value"),
                            "got its value in cycle %llu, then "
                            "waited for thread %u, operation %u "
                            "(%*[^)]), which performed in cycle "
                            "%llu. Meanwhile, in cycle %llu",
                            &bound, &thread, &place, &after_cycle, &lost),
                     5);
    const col_event *load = find_event(e, operation);
    const col_event *after = find_event(e, e->recorded.program.thread_start[thread] + place);
    assert_true(after != NULL && after < load);
    assert_int_equal(after->cycle, after_cycle);
    bool is_bound = false, is_squashed = false, was_told = false;
    for (const col_event *at = e->list; at < load; at++) {
        if (is_of(at, COL_LOAD_BOUND, load->core, operation)) {
            is_bound = at->cycle == bound;
            is_squashed = was_told = false;
        }
        is_squashed = is_squashed || is_of(at, COL_LOAD_SQUASHED, load->core, operation);
        was_told =
            was_told || (at->kind == COL_EVICTION && at->core == load->core && at->block == block);
    }
    assert_true(is_bound && !is_squashed);
    assert_true(lost >= bound && lost <= load->cycle);
    assert_int_equal(was_told, is_told);
    if (!is_told) {
        assert_non_null(strstr(flat, "but the core was never told and did not squash the load: "
                                     "it kept its old value."));
        return;
    }
    const char *at = strstr(flat, "The core was told in cycle ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "The core was told in cycle %llu and did not squash", &told), 1);
    assert_int_equal(told, lost);
}

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* One location, or several: counted in the cycle as the checker wrote it. */
static void check_axiom(const char *words, const col_failure *failure) {
    unsigned place, first = 0, location, operations = 0;
    bool is_one = true;
    if (failure->outcome == COL_PROTOCOL_WRONG) {
        assert_true(begins_with(words, "The protocol went wrong: "));
        return;
    }
    char *cycle = read_text(failure->folder, "violation.txt");
    for (const char *at = strchr(cycle, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        if (sscanf(at + 1, "%*[ 0-9.]thread %*u, operation %u %*[a-z.] a%u", &place, &location) !=
            2)
            continue;
        first = operations++ == 0 ? location : first;
        is_one = is_one && location == first;
    }
    free(cycle);
    assert_true(operations >= 2);
    char one[64];
    (void)snprintf(one, sizeof one, "Coherence of a%u is broken: ", first);
    if (is_one)
        assert_true(begins_with(words, one) || begins_with(words, "Atomicity is broken: "));
    else
        assert_true(begins_with(words, "TSO is violated: "));
}

static void check_words(const char *words, const events *e, bool is_stale) {
    uint32_t told = 0;
    for (const char *at = words; (at = strstr(at, "What happened to block")) != NULL; at++)
        told += check_scene(at, e);
    assert_true(told >= 4);
    if (is_stale)
        check_stale(words, e);
}

/* Lines that tell a transition by an edited cell, and no others, say so. */
static void check_marks(const char *words, const char *picture, const char *edited) {
    uint32_t marked = 0;
    for (const char *at = words; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[200], machine[32], state[32], event[32], cell[100];
        (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (sscanf(line, "%*u %31s %*u %31s %31s ->", machine, state, event) != 3 ||
            strstr(line, "->") == NULL)
            continue;
        (void)snprintf(cell, sizeof cell, "%s %s %s", machine, state, event);
        assert_int_equal(strcmp(cell, edited) == 0, strstr(line, " (edited)") != NULL);
        marked += strcmp(cell, edited) == 0;
    }
    assert_int_equal(marked > 0, edited[0] != '\0');
    assert_int_equal(strstr(picture, "class=\"edited\"") != NULL,
                     marked > 0 && strstr(words, "went wrong (edited)") == NULL);
}

static void words_say_what_happened(void **state) {
    static const struct {
        failing failing;
        bool is_stale;
        const char *edited; /* the one cell; empty: none; NULL: several */
    } cases[] = {
        {{"mesi3", "without=squash", NULL, false}, true, ""},
        {{"mesi2", "without=squash", NULL, false}, true, ""},
        {{"mesi3", "without=fifo", NULL, false}, false, ""},
        {{"mesi3", NULL, "D0", false}, false, NULL},
        {{"mesi3", NULL, "D9", false}, true, "L1Cache IS_I DataS_fromL1"},
        {{"mesi3", NULL, "D9", true}, true, "L1Cache IS_I DataS_fromL1"},
        {{"mesi2", NULL, "MESI+Replace-Race", false}, false, NULL}, /* long before the end */
        {{"mesi2", NULL, "MESI+PUTX-Race", false}, false, "L2Cache MT L1_PUTX_old"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_failure failure;
        events e;
        find_failure(&cases[i].failing, folder, &failure);
        record(failure.folder, &e);
        char *words = read_text(failure.folder, "failure.txt");
        char *picture = read_text(failure.folder, "failure.svg");
        check_axiom(words, &failure);
        check_words(words, &e, cases[i].is_stale);
        if (cases[i].edited != NULL)
            check_marks(words, picture, cases[i].edited);
        assert_picture(picture);
        assert_non_null(strstr(picture, "<path class=\"message\""));
        free(words);
        free(picture);
        release(&e);
    }
}

/* A load that kept a value which it should have lost: the story says why it was not squashed. */
static void words_say_what_the_core_did(void **state) {
    static const struct {
        failing failing;
        bool is_told;
    } cases[] = {
        {{"mesi2", "without=squash", NULL, false}, true},
        {{"mesi2", NULL, "LQ+no-TSO", false}, true},
        {{"mesi2", NULL, "MESI,LQ+IS,Inv", false}, false},
        {{"mesi2", NULL, "MESI,LQ+S,Replacement", false}, false},
        {{"mesi2", NULL, "MESI,LQ+IS,Inv", true}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_failure failure;
        events e;
        find_failure(&cases[i].failing, folder, &failure);
        record(failure.folder, &e);
        char *words = read_text(failure.folder, "failure.txt");
        check_core(words, &e, cases[i].is_told);
        free(words);
        release(&e);
    }
}

/* Replaying tells what the folder says; so does a design in a process of its own. */
static void a_story_is_reproducible(void **state) {
    static const failing here = {"mesi3", NULL, "D9", false}, there = {"mesi3", NULL, "D9", true};
    col_failure failure, other, was, is;
    epi_told told = {.words = {0}};
    col_problem problem;
    char out[64];
    (void)state;
    (void)snprintf(out, sizeof out, "%s/other", folder);
    find_failure(&here, folder, &failure);
    find_failure(&there, out, &other);
    char *one = read_text(failure.folder, "failure.txt");
    char *two = read_text(other.folder, "failure.txt");
    assert_string_equal(one, two);
    assert_int_equal(epi_replay(failure.folder, true, &was, &is, NULL, &told, NULL, NULL, &problem),
                     COL_OK);
    assert_string_equal(told.words.data, one);
    assert_int_equal(told.output.length, 0); /* the simulator prints nothing */
    base_text_free(&told.words);
    free(one);
    free(two);
}

/* ---- Stories made up. */

static const col_duv_machine machines[] = {
    {.name = "Cache", .controllers = 2, .is_private = true, .point_count = 0},
    {.name = "Home", .controllers = 1, .point_count = 0},
};
static const col_duv_description nameless = {.name = "nameless",
                                             .cores = 2,
                                             .model = COL_TSO,
                                             .geometry = {.block_bits = 6},
                                             .machine_count = 2,
                                             .machines = machines};

static void read_program(col_program *program) {
    static const char text[] = "collider program 1\n"
                               "location a0 0x00000000\nlocation a1 0x00000040\n"
                               "thread 0\n  store a0 1\n  load a1\n"
                               "thread 1\n  store a1 2\n  fence\n  load a0\nend\n";
    col_problem problem;
    if (col_program_read(program, text, sizeof text - 1, "test", &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void tell(const epi_story *story, const epi_ending *ending, const char *expected) {
    base_text words = {0}, picture = {0};
    epi_story_words(story, ending, &words);
    epi_story_picture(story, ending, &picture);
    assert_false(words.failed || picture.failed);
    if (strstr(words.data, expected) == NULL)
        fail_msg("no '%s' in:\n%s", expected, words.data);
    assert_picture(picture.data);
    base_text_free(&words);
    base_text_free(&picture);
}

static void every_outcome_of_a_nameless_design_has_a_story(void **state) {
    static const col_event happened[] = {
        {.kind = COL_TRANSITION, .cycle = 3, .state = 0, .event = 1, .next_state = 7, .block = 64},
        {.kind = COL_LOAD_PERFORMED, .cycle = 5, .core = 0, .operation = 1},
        {.kind = COL_EVICTION, .cycle = 6, .core = 0, .block = 64},
        {.kind = COL_TRANSITION, .cycle = 6, .machine = 9, .block = 64}, /* there is none */
        {.kind = COL_LOAD_PERFORMED, .cycle = 7, .operation = 1000},     /* nor this */
        {.kind = COL_PROTOCOL_ERROR, .cycle = 8, .machine = 1, .state = 2, .event = 4, .block = 64},
    };
    static const struct {
        col_outcome outcome;
        const char *reason, *expected;
    } cases[] = {
        {COL_PASS, "", "Nothing went wrong.\n"},
        {COL_VIOLATION, "two may write <&\"", "An invariant is broken: two may write <&\"."},
        {COL_PROTOCOL_WRONG, "no such cell", "state 2    event 4                -> here it went"},
        {COL_PROTOCOL_WRONG, "no such cell",
         "Cache 0        state 0    event 1                -> state 7"},
        {COL_PROTOCOL_WRONG, "no such cell", "Cache 0        state 7      since cycle 3"},
        {COL_DEADLOCKED, "stuck", "thread 1, operation 0: store a1 2, block 0x40 (a1)"},
        {COL_DEADLOCKED, "stuck", "thread 0, operation 0: store a0 1, block 0x0 (a0)"},
        {COL_DEADLOCKED,
         "no operation has completed since cycle 10; core 0 waits for block 0x90be40 since "
         "cycle 5; core 0 waits for block 0x20be40 since cycle 5; 8 more accesses wait",
         "Deadlock: no operation has completed since cycle 10"},
        {COL_CRASHED, "signal 11", "The design crashed: signal 11."},
    };
    (void)state;
    col_program program = COL_PROGRAM_EMPTY;
    epi_story *story;
    col_problem problem;
    read_program(&program);
    assert_int_equal(epi_story_new(&story, &nameless, &program, NULL, &problem), COL_OK);
    const col_observer observer = epi_story_observer(story);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) /* also before anything happens */
        tell(story, &(epi_ending){.outcome = COL_CRASHED, .reason = "early"}, "early");
    for (size_t i = 0; i < sizeof happened / sizeof happened[0]; i++)
        observer.notice(observer.context, &happened[i]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        tell(story, &(epi_ending){.outcome = cases[i].outcome, .reason = cases[i].reason},
             cases[i].expected);
    epi_story_free(story);
    col_program_free(&program);
}

static void events_after_the_end_are_not_sent(void **state) {
    (void)state;
    col_program program = COL_PROGRAM_EMPTY;
    epi_story *story;
    col_problem problem;
    int ended = 0;
    read_program(&program);
    assert_int_equal(epi_story_new(&story, &nameless, &program, &ended, &problem), COL_OK);
    const col_observer observer = epi_story_observer(story);
    col_event event = {.kind = COL_LOAD_PERFORMED, .cycle = 5, .operation = 1};
    observer.notice(observer.context, &event);
    ended = 1;
    event = (col_event){.kind = COL_TRANSITION, .cycle = 5, .block = 64};
    observer.notice(observer.context, &event); /* of the load */
    event.cycle = 6;
    observer.notice(observer.context, &event);
    event = (col_event){.kind = COL_STORE_PERFORMED, .cycle = 5, .operation = 0};
    observer.notice(observer.context, &event);
    assert_int_equal(epi_story_block(story, 64)->count, 2);
    assert_null(epi_story_block(story, 0));
    epi_story_free(story);
    col_program_free(&program);
}

/* What a design prints, and what reads returned, is beside the core's own doings. */
static void only_a_squash_is_a_squash(void **state) {
    static const col_event happened[] = {
        {.kind = COL_OPERATION_ISSUED, .cycle = 2, .operation = 1},
        {.kind = COL_LOAD_BOUND, .cycle = 3, .operation = 1, .after = 0},
        {.kind = COL_OUTPUT, .cycle = 4, .operation = 1, .message = "hello"},
        {.kind = COL_VALUE_RETURNED, .cycle = 5, .operation = 1},
    };
    (void)state;
    col_program program = COL_PROGRAM_EMPTY;
    epi_story *story;
    col_problem problem;
    read_program(&program);
    assert_int_equal(epi_story_new(&story, &nameless, &program, NULL, &problem), COL_OK);
    const col_observer observer = epi_story_observer(story);
    for (size_t i = 0; i < sizeof happened / sizeof happened[0]; i++)
        observer.notice(observer.context, &happened[i]);
    const epi_load *load = epi_story_load(story, 1);
    assert_non_null(load);
    assert_int_equal(load->squashes, 0);
    assert_int_equal(load->asked, 2);
    epi_story_free(story);
    col_program_free(&program);
}

static size_t bytes_of(const epi_story *s) {
    return s->capacities[0] * sizeof *s->blocks + s->capacities[1] * sizeof *s->notes +
           s->capacities[2] * sizeof *s->held + s->capacities[3] * sizeof *s->messages +
           s->index.capacity * sizeof *s->index.hashes +
           s->index.slot_count * sizeof *s->index.slots;
}

/* However long an instance runs, and the last notes of each block are there. */
static void memory_is_bounded(void **state) {
    enum { BLOCKS = 1000, ROUNDS = 300 };
    (void)state;
    col_program program = COL_PROGRAM_EMPTY;
    epi_story *story;
    col_problem problem;
    size_t bytes = 0;
    read_program(&program);
    assert_int_equal(epi_story_new(&story, &nameless, &program, NULL, &problem), COL_OK);
    const col_observer observer = epi_story_observer(story);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t b = 0; b < BLOCKS; b++) {
            const col_event event = {
                .kind = COL_TRANSITION, .cycle = round * BLOCKS + b, .block = b << 6};
            observer.notice(observer.context, &event);
        }
        bytes = round == 0 ? bytes_of(story) : bytes;
    }
    assert_int_equal(bytes_of(story), bytes);
    for (uint64_t b = 0; b < BLOCKS; b++) {
        const epi_block *block = epi_story_block(story, b << 6);
        assert_int_equal(epi_story_notes(block), EPI_NOTES);
        for (uint32_t i = 0; i < EPI_NOTES; i++)
            assert_int_equal(epi_story_note(story, block, i)->cycle,
                             (uint64_t)(ROUNDS - EPI_NOTES + i) * BLOCKS + b);
    }
    for (uint64_t b = 0; b < 100000; b++) {
        const col_event event = {.kind = COL_TRANSITION, .block = b << 6};
        observer.notice(observer.context, &event);
    }
    assert_true(bytes_of(story) < (size_t)300 << 20);
    epi_story_free(story);
    col_program_free(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_say_what_happened),
        cmocka_unit_test(words_say_what_the_core_did),
        cmocka_unit_test(a_story_is_reproducible),
        cmocka_unit_test(every_outcome_of_a_nameless_design_has_a_story),
        cmocka_unit_test(events_after_the_end_are_not_sent),
        cmocka_unit_test(only_a_squash_is_a_squash),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
