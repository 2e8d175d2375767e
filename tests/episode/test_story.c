/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Stories of failures: what the words claim is held against the events, recorded independently;
 * pictures are well-formed, and nothing in them lies upon another thing; memory is bounded; designs
 * without names and all outcomes have stories too.
 */
#include "claims.h"
#include "episode/story/story.h"
#include "episodes.h"
#include "harness.h"

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

/* ---- Words against events: each sentence by itself (claims.h), and those that there must be. */

typedef struct story_case {
    failing failing;
    const char *phrases[3];
    const char *edited; /* state and event of the one cell; empty: none; NULL: several */
} story_case;

#define KEPT "did not squash the load"
static const char never_told[] = "but the core was never told and " KEPT ": it kept its old value.";

static const story_case story_cases[] = {
    {{"mesi3", "without=squash", NULL, false}, {"read a stale value: ", "replaced by"}, ""},
    {{"mesi2", "without=squash", NULL, false},
     {"read a stale value: ", "The core was told in cycle ", KEPT},
     ""},
    {{"mesi3", "without=fifo", NULL, false}, {NULL}, ""},
    {{"mesi3", NULL, "D0", false}, {NULL}, NULL},
    {{"mesi3", NULL, "D9", false}, {"read a stale value: "}, "IS_I       DataS_fromL1 "},
    {{"mesi3", NULL, "D9", true}, {"read a stale value: "}, "IS_I       DataS_fromL1 "},
    {{"mesi2", NULL, "MESI+Replace-Race", false}, {NULL}, NULL}, /* long before the end */
    {{"mesi2", NULL, "MESI+PUTX-Race", false}, {NULL}, "MT         L1_PUTX_old "},
    /* A load that kept a value which it should have lost, and why it was not squashed. */
    {{"mesi2", NULL, "LQ+no-TSO", false}, {"The core was told in cycle ", KEPT}, NULL},
    {{"mesi2", NULL, "MESI,LQ+IS,Inv", false}, {never_told, ", then waited for "}, NULL},
    {{"mesi2", NULL, "MESI,LQ+S,Replacement", false}, {never_told, ", then waited for "}, NULL},
    {{"mesi2", NULL, "MESI,LQ+IS,Inv", true}, {never_told, ", then waited for "}, NULL},
};

/* As lines are wrapped, phrases may be in two. */
static void expect_phrases(const story_case *it, const char *words) {
    char *flat = strdup(words);
    assert_non_null(flat);
    for (char *c = flat; (c = strchr(c, '\n')) != NULL;)
        *c = ' ';
    for (size_t p = 0; p < 3 && it->phrases[p] != NULL; p++)
        if (strstr(flat, it->phrases[p]) == NULL)
            fail_msg("no '%s' in:\n%s", it->phrases[p], words);
    free(flat);
}

TEST(words_say_what_happened) {
    for (size_t i = 0; i < sizeof story_cases / sizeof story_cases[0]; i++) {
        const story_case *it = &story_cases[i];
        col_failure failure;
        events e;
        char wrong[CLAIMS_WRONG];
        find_failure(&it->failing, folder, &failure);
        record(failure.folder, &e);
        char *words = read_text(failure.folder, "failure.txt");
        char *picture = read_text(failure.folder, "failure.svg");
        const bool is_marked = strstr(words, " (edited)") != NULL;
        if (check_claims(words, &e, wrong) == 0)
            fail_msg("%s: %s\n%s", it->failing.design, wrong, words);
        assert_non_null(strstr(words, "What happened to block"));
        expect_phrases(it, words);
        if (it->edited != NULL) {
            assert_int_equal(is_marked, it->edited[0] != '\0');
            assert_non_null(strstr(words, it->edited));
            assert_int_equal(strstr(picture, "class=\"edited\"") != NULL,
                             is_marked && strstr(words, "went wrong (edited)") == NULL);
        }
        assert_picture(picture);
        assert_non_null(strstr(picture, "<path class=\"message\""));
        free(words);
        free(picture);
        release(&e);
    }
}

/* Replaying tells what the folder says; so does a design in a process of its own. */
TEST(a_story_is_reproducible) {
    static const failing here = {"mesi3", NULL, "D9", false}, there = {"mesi3", NULL, "D9", true};
    col_failure failure, other, was, is;
    epi_told told = {.words = {0}};
    col_problem problem;
    char out[64];
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
    json_decref(told.waits);
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

/* A story of a program on it. */
static epi_story *new_story_of(const col_duv_description *design, col_program *program,
                               const volatile int *ended) {
    static const char text[] = "collider program 1\n"
                               "location a0 0x00000000\nlocation a1 0x00000040\n"
                               "thread 0\n  store a0 1\n  load a1\n"
                               "thread 1\n  store a1 2\n  fence\n  load a0\nend\n";
    epi_story *story;
    col_problem problem;
    *program = (col_program)COL_PROGRAM_EMPTY;
    if (col_program_read(program, text, sizeof text - 1, "test", &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(epi_story_new(&story, design, program, ended, &problem), COL_OK);
    return story;
}

static epi_story *new_story(col_program *program, const volatile int *ended) {
    return new_story_of(&nameless, program, ended);
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

TEST(every_outcome_of_a_nameless_design_has_a_story) {
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
    col_program program;
    epi_story *story = new_story(&program, NULL);
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

/* As of RTL that tells of performed reads and of cover points, and of nothing else. */
TEST(a_hang_of_blocks_that_nothing_happened_to_tells_covers) {
    static const col_duv_point point = {.state = "miss", .event = ""};
    static const col_duv_machine one = {
        .name = "Cache", .controllers = 2, .is_private = true, .point_count = 1};
    col_duv_description design = nameless;
    col_program program;
    design.machines = &one;
    design.machine_count = 1;
    design.points = &point;
    design.point_count = 1;
    epi_story *story = new_story_of(&design, &program, NULL);
    const col_observer observer = epi_story_observer(story);
    observer.notice(observer.context, &(col_event){.kind = COL_POINT, .cycle = 5, .controller = 1});
    tell(story, &(epi_ending){.outcome = COL_DEADLOCKED, .reason = "stuck"},
         "The last covers, of any block:\n         5  Cache 1        covers miss\n");
    epi_story_free(story);
    col_program_free(&program);
}

TEST(events_after_the_end_are_not_sent) {
    col_program program;
    int ended = 0;
    epi_story *story = new_story(&program, &ended);
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
TEST(only_a_squash_is_a_squash) {
    static const col_event happened[] = {
        {.kind = COL_OPERATION_ISSUED, .cycle = 2, .operation = 1},
        {.kind = COL_LOAD_BOUND, .cycle = 3, .operation = 1, .after = 0},
        {.kind = COL_OUTPUT, .cycle = 4, .operation = 1, .message = "hello"},
        {.kind = COL_VALUE_RETURNED, .cycle = 5, .operation = 1},
    };
    col_program program;
    epi_story *story = new_story(&program, NULL);
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
    return s->capacity * sizeof *s->blocks +
           s->index.count * s->controllers * sizeof *s->blocks->held +
           s->index.capacity * sizeof *s->index.hashes +
           s->index.slot_count * sizeof *s->index.slots;
}

/* However long an instance runs, and the last notes of each block are there. */
TEST(memory_is_bounded) {
    enum { BLOCKS = 1000, ROUNDS = 300 };
    col_program program;
    size_t bytes = 0;
    epi_story *story = new_story(&program, NULL);
    const col_observer observer = epi_story_observer(story);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t b = 0; b < BLOCKS; b++) {
            const col_event event = {.kind = COL_TRANSITION,
                                     .cycle = round * BLOCKS + b,
                                     .block = b << 6,
                                     .event = (uint32_t)round};
            observer.notice(observer.context, &event);
        }
        bytes = round == 0 ? bytes_of(story) : bytes;
    }
    assert_int_equal(bytes_of(story), bytes);
    for (uint64_t b = 0; b < BLOCKS; b++) {
        const epi_block *block = epi_story_block(story, b << 6);
        assert_int_equal(epi_story_notes(block), EPI_NOTES);
        for (uint32_t i = 0; i < EPI_NOTES; i++)
            assert_int_equal(epi_story_note(block, i)->cycle,
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
    return run_all_tests(make_folder, remove_folder);
}
