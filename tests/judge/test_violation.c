/* SPDX-License-Identifier: MIT */
/* Explanations: which steps become one, and what is said and drawn of them. */
#include "harness.h"
#include "judge/violation.h"

#include <stdio.h>
#include <string.h>

enum { NONE = COL_NO_MENTION };

/* Letters are operations: upper case of thread 0, lower case of thread 1. */
static uint32_t mention(col_violation *violation, char letter) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    const uint32_t m = chk_mention(violation, (uint32_t)letter);
    assert_true(m < violation->mention_count);
    violation->mentions[m].thread = upper ? 0 : 1;
    violation->mentions[m].place = (uint32_t)(letter - (upper ? 'A' : 'a'));
    (void)snprintf(violation->mentions[m].text, sizeof violation->mentions[m].text, "%c", letter);
    return m;
}

static col_relation relation_of(const char *word, size_t length) {
    for (uint32_t r = 0; r < COL_RELATION_COUNT; r++)
        if (strlen(col_relations[r]) == length && memcmp(col_relations[r], word, length) == 0)
            return (col_relation)r;
    fail_msg("no relation %.*s", (int)length, word);
    return COL_RELATION_COUNT;
}

/* "A po B rf b fr A" as steps; "fr/c" has the reason c. */
static void build(col_violation *violation, const char *walk) {
    chk_violation_clear(violation);
    for (const char *at = walk; at[1] != '\0';) {
        col_problem problem;
        const size_t length = strcspn(at + 2, " /");
        const char *end = at + 2 + length;
        const uint32_t note = *end == '/' ? mention(violation, end[1]) : NONE;
        const char *next = end + (*end == '/' ? 3 : 1);
        const col_step step = {.from = mention(violation, *at),
                               .to = mention(violation, *next),
                               .relation = relation_of(at + 2, length),
                               .note = note};
        assert_int_equal(chk_step(violation, step, &problem), COL_OK);
        at = next;
    }
}

static void write_walk(const col_violation *violation, base_text *text) {
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        base_text_print(text, "%s %s", violation->mentions[step->from].text,
                        col_relations[step->relation]);
        if (step->note != NONE)
            base_text_print(text, "/%s", violation->mentions[step->note].text);
        base_text_add(text, " ");
        assert_int_equal(step->to, violation->steps[(s + 1) % violation->step_count].from);
    }
}

TEST(steps_that_continue_each_other_are_one) {
    static const char *const rows[][2] = {
        /* Within a thread the more telling reason stays. */
        {"A po B po C rf a po b fr A", "A po C rf a po b fr "},
        {"A po B fence C rf a fence b po c fr A", "A fence C rf a fence c fr "},
        {"A po-loc B po C rf a atomic b po-loc c fr A", "A po C rf a atomic c fr "},
        {"A dependency B po C rf a po b acquire c fr A", "A dependency C rf a acquire c fr "},
        {"A release B release C rf a time b fr A", "A release C rf a time b fr "},
        {"A atomic B po-loc C rf a fr A", "A atomic C rf a fr "},
        /* Two that tell something stay two. */
        {"A acquire B fence C rf a fr A", "A acquire B fence C rf a fr "},
        {"A acquire B po C release D rf a fr A", "A acquire C release D rf a fr "},
        /* Writes that replace each other. */
        {"A co a co B rf b po A", "A co B rf b po "},
        {"A fr a co b co B po A", "A fr B po "},
        {"A co a fr B rf A", "A co a fr B rf "},
        {"A rf a fr b po A", "A rf a fr b po "},
        /* From an operation to itself is no step. */
        {"A atomic A rf a atomic a fr A", "A rf a fr "},
        /* A cycle may begin in the middle of a step. */
        {"B rf a fr A fence B", "B rf a fr A fence "},
        {"B po C rf a fr A fence B", "A fence C rf a fr "},
        {"b co B rf a po A co b", "A co B rf a po "},
        {"b co B rf a fr A co b", "a fr B rf "},
        {"b co B rf a po c fr b", "c fr B rf a po "},
        /* But what is left must be a cycle. */
        {"A co a co A", "A co a co "},
        {"A fr a co A", "A fr a co "},
        {"A co a co B co A", "A co B co "},
        /* A step has one reason. */
        {"A co/x a co B po A", "A co/x B po "},
        {"A co a co/x B po A", "A co/x B po "},
        {"A co/x a co/x B po A", "A co/x B po "},
        {"A co/x a co/y B po A", "A co/x a co/y B po "},
    };
    col_violation violation = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        base_text got = {0};
        build(&violation, rows[i][0]);
        write_walk(&violation, &got);
        assert_string_equal(got.data, rows[i][1]);
        base_text_free(&got);
    }
    col_violation_free(&violation);
    assert_null(violation.mentions);
}

/* ---- Words. */

static void name(col_violation *violation, char letter, uint32_t line, const char *text) {
    col_mention *m = &violation->mentions[mention(violation, letter)];
    m->line = line;
    m->thread_name = line > 0 ? (uint64_t)m->thread * 100 : 0;
    (void)snprintf(m->text, sizeof m->text, "%s", text);
}

static void assert_printed(const col_violation *violation, col_violation_format format,
                           const char *expected) {
    base_text got = {0};
    chk_violation_print(violation, format, &got);
    assert_string_equal(got.data, expected);
    base_text_free(&got);
}

TEST(the_text_names_the_cycle) {
    col_violation violation = {0};
    build(&violation, "A fence B fr/c a po b fr A");
    (void)snprintf(violation.reason, sizeof violation.reason, "this is not allowed");
    name(&violation, 'A', 1, "M[1] := 1");
    name(&violation, 'B', 3, "M[0] == 0");
    name(&violation, 'a', 4, "M[0] := 1");
    name(&violation, 'b', 5, "M[1] == 0");
    name(&violation, 'c', 6, "M[0] == 1");
    assert_printed(&violation, COL_WORDS,
                   "this is not allowed\n"
                   "   1. thread 0, line 1          M[1] := 1\n"
                   "        fence      is kept by a fence before\n"
                   "   2. thread 0, line 3          M[0] == 0\n"
                   "        fr         read the value that is then replaced by\n"
                   "                   because of thread 100, line 6: M[0] == 1\n"
                   "   3. thread 100, line 4        M[0] := 1\n"
                   "        po         comes, in program order, before\n"
                   "   4. thread 100, line 5        M[1] == 0\n"
                   "        fr         read the value that is then replaced by 1.\n");
    col_violation_free(&violation);
}

TEST(a_violation_without_a_cycle_names_its_operations) {
    col_violation violation = {0};
    (void)snprintf(violation.reason, sizeof violation.reason, "a load returned what is nowhere");
    (void)mention(&violation, 'C');
    name(&violation, 'C', 0, "load a0 = 77");
    assert_printed(&violation, COL_WORDS,
                   "a load returned what is nowhere\n"
                   "      thread 0, operation 2     load a0 = 77\n");
    col_violation_free(&violation);
}

/* ---- Pictures. */

TEST(dot_has_a_cluster_for_each_thread) {
    col_violation violation = {0};
    build(&violation, "A po B po C rf a fr A");
    (void)snprintf(violation.reason, sizeof violation.reason, "a \"quoted\\ reason\n");
    name(&violation, 'A', 0, "store \"a\\0\" 1");
    assert_printed(&violation, COL_DOT,
                   "digraph violation {\n"
                   "  label=\"a \\\"quoted\\\\ reason?\";\n"
                   "  labelloc=t;\n"
                   "  node [shape=box, style=rounded, fontname=monospace];\n"
                   "  edge [fontname=monospace];\n"
                   "  subgraph cluster_0 {\n"
                   "    label=\"thread 0\";\n"
                   "    o65 [label=\"store \\\"a\\\\0\\\" 1\\noperation 0\"];\n"
                   "    o67 [label=\"C\\noperation 2\"];\n"
                   "    o65 -> o67 [style=invis];\n"
                   "  }\n"
                   "  subgraph cluster_1 {\n"
                   "    label=\"thread 1\";\n"
                   "    o97 [label=\"a\\noperation 0\"];\n"
                   "  }\n"
                   "  o65 -> o67 [label=\"po\", color=\"#7a8494\", fontcolor=\"#7a8494\"];\n"
                   "  o67 -> o97 [label=\"rf\", color=\"#d0433b\", fontcolor=\"#d0433b\", "
                   "constraint=false];\n"
                   "  o97 -> o65 [label=\"fr\", color=\"#d98a1f\", fontcolor=\"#d98a1f\", "
                   "constraint=false];\n"
                   "}\n");
    col_violation_free(&violation);
}

static uint32_t count_of(const char *text, const char *part) {
    uint32_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* Tags open and close, quotes and references are whole: what any reader of XML asks for. */
static void assert_well_formed(const char *text) {
    uint32_t depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '&')
            assert_true(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                        strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&quot;", 6) == 0);
        if (*at != '<')
            continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
        if (at[1] == '/')
            depth--;
        else if (end[-1] != '/')
            depth++;
        at = end;
    }
    assert_int_equal(depth, 0);
}

TEST(svg_shows_each_operation_once) {
    col_violation violation = {0};
    base_text got = {0};
    build(&violation, "A fence B fr a fence b co/c A");
    (void)snprintf(violation.reason, sizeof violation.reason,
                   "a reason with <tags> & \"quotes\" that goes on and on, so that it takes more "
                   "than one line of the picture to say all of it");
    name(&violation, 'B', 0, "x < y && \"z\" > \x01\xff");
    chk_violation_print(&violation, COL_SVG, &got);
    assert_well_formed(got.data);
    assert_int_equal(count_of(got.data, "<rect class=\"focus\""), 5);
    assert_int_equal(count_of(got.data, "class=\"arrow\""), 4);
    assert_int_equal(count_of(got.data, "class=\"label\""), 4);
    assert_int_equal(count_of(got.data, "class=\"head\""), 2);
    assert_int_equal(count_of(got.data, "class=\"title\""), 3);
    assert_int_equal(count_of(got.data, "because of thread 1, operation 2: c"), 1);
    assert_int_equal(count_of(got.data, "x &lt; y &amp;&amp; &quot;z&quot; &gt; ?\?<"), 1);
    base_text_free(&got);
    /* A page without a width, as memory leaves it that ran out, has a line for each letter. */
    assert_int_equal(base_page_heading("ab", "", 2 * BASE_PAGE_MARGIN, NULL), 2 * BASE_PAGE_LINE);
    /* Any walk at all, and none, gives a picture. */
    static const char *const walks[] = {"B rf A co C fr B", "A po C po-loc B fr a rf A", "A"};
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        build(&violation, walks[i]);
        chk_violation_print(&violation, COL_SVG, &got);
        assert_well_formed(got.data);
        base_text_free(&got);
    }
    col_violation_free(&violation);
}
