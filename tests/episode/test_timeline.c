/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The events of a failure: every message that is taken was sent, filters and the bound keep what
 * they should, a design in a process of its own tells the same; and what is written for other tools
 * is read back by parsers made from the formats' definitions alone.
 */
#include "harness.h"

#include "episode/story/story.h"
#include "episodes.h"
#include "recorded.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const failing squashless = {"mesi2", "without=squash", NULL, false};

/* ---- Timelines, of what an independent observer saw. */

typedef struct stage {
    events seen;
    epi_story *story;
    epi_timeline *timeline;
} stage;

/* Replays what was seen: what the observer got is what the timeline gets. */
static void tell(const stage *s) {
    const col_observer story = epi_story_observer(s->story);
    const col_observer timeline = epi_timeline_observer(s->timeline);
    for (size_t i = 0; i < s->seen.count; i++) {
        story.notice(story.context, &s->seen.list[i]);
        timeline.notice(timeline.context, &s->seen.list[i]);
    }
    col_problem problem;
    assert_int_equal(epi_timeline_status(s->timeline, &problem), COL_OK);
}

static void set(stage *s, const char *where, const epi_filter *filter, uint32_t most) {
    col_problem problem;
    record(where, &s->seen);
    assert_int_equal(epi_story_new(&s->story, col_duv_describe(s->seen.worker.duv),
                                   &s->seen.recorded.program, NULL, &problem),
                     COL_OK);
    assert_int_equal(epi_timeline_new(&s->timeline, s->story, filter, most, NULL, &problem),
                     COL_OK);
    tell(s);
}

static void strike(stage *s) {
    epi_timeline_free(s->timeline);
    epi_story_free(s->story);
    release(&s->seen);
}

static const epi_filter everything = {.to = UINT64_MAX};

static void find(const failing *f, col_failure *failure) {
    find_failure(f, folder, failure);
}

/* ---- Messages. */

static bool is_answered(const epi_timeline *t, uint32_t taken) {
    const epi_moment *m = epi_timeline_at(t, taken);
    for (uint32_t i = 0; i < taken; i++) {
        const epi_moment *s = epi_timeline_at(t, i);
        if (s->kind == COL_MESSAGE_SENT && s->word == m->word && s->state == m->state &&
            s->event == m->event)
            return s->machine == m->machine && s->controller == m->controller &&
                   s->block == m->block && s->cycle <= m->cycle && s->name == m->name;
    }
    return false;
}

TEST(every_message_taken_was_sent) {
    static const failing cases[] = {{"mesi2", "without=squash", NULL, false},
                                    {"mesi3", NULL, "D9", false},
                                    {"moesi2", NULL, "e.5.1", false},
                                    {"tsocc", NULL, "TSO-CC+compare", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_failure failure;
        stage s;
        uint32_t taken = 0, sent = 0, of_cores = 0, of_memory = 0, asked = 0;
        find(&cases[i], &failure);
        set(&s, failure.folder, &everything, EPI_MOST_MOMENTS);
        for (uint32_t m = 0; m < epi_timeline_count(s.timeline); m++) {
            const epi_moment *moment = epi_timeline_at(s.timeline, m);
            sent += moment->kind == COL_MESSAGE_SENT;
            asked += moment->kind == COL_OPERATION_ISSUED;
            of_cores += moment->kind == COL_MESSAGE_SENT && moment->machine == COL_OF_CORE;
            of_memory += moment->kind == COL_MESSAGE_SENT && moment->machine == COL_OF_MEMORY;
            if (moment->kind != COL_MESSAGE_RECEIVED)
                continue;
            taken++;
            assert_true(is_answered(s.timeline, m));
        }
        assert_true(taken > 20 && sent >= taken && of_memory > 0);
        assert_int_equal(of_cores, asked);
        strike(&s);
    }
}

/* ---- What is kept. */

typedef struct shown {
    base_text lines;
    uint64_t missing;
} shown;

static col_status keep_lines(void *context, const epi_timeline *timeline, const epi_ending *ending,
                             col_problem *problem) {
    shown *s = context;
    assert_int_equal(ending->outcome, COL_VIOLATION);
    epi_timeline_lines(timeline, true, &s->lines);
    s->missing = epi_timeline_missing(timeline);
    return base_text_status(&s->lines, problem);
}

static char *lines_of(const char *where, const epi_filter *filter) {
    col_failure was, is;
    col_problem problem;
    shown s = {0};
    const epi_watch watch = {.filter = *filter, .context = &s, .show = keep_lines};
    assert_int_equal(epi_replay(where, true, &was, &is, NULL, NULL, &watch, NULL, &problem),
                     COL_OK);
    assert_int_equal(s.missing, 0);
    return s.lines.data == NULL ? calloc(1, 1) : s.lines.data;
}

TEST(a_child_process_reports_the_same) {
    static const failing there = {"mesi2", "without=squash", NULL, true};
    col_failure failure;
    find(&squashless, &failure);
    char *one = lines_of(failure.folder, &everything);
    find(&there, &failure);
    char *two = lines_of(failure.folder, &everything);
    assert_true(strlen(one) > 1000);
    assert_string_equal(one, two);
    free(one);
    free(two);
}

/* Does the line name this party, not one whose number only begins so? */
static bool names(const char *line, const char *party) {
    for (const char *at = line; (at = strstr(at, party)) != NULL; at++)
        if (!isdigit((unsigned char)at[strlen(party)]))
            return true;
    return false;
}

/* The line's text says all that filters go by. */
static bool is_wanted(const char *line, const epi_filter *f) {
    char core[16], own[16];
    const unsigned long long cycle = strtoull(line, NULL, 10);
    const unsigned long long block = strtoull(strstr(line, " 0x") + 1, NULL, 16);
    (void)snprintf(core, sizeof core, "core %u", f->core);
    (void)snprintf(own, sizeof own, "L1Cache %u", f->core);
    return cycle >= f->from && cycle <= f->to && (!f->has_block || block == f->block) &&
           (!f->has_core || names(line, core) || names(line, own));
}

static void expect_lines(char *all, const epi_filter *filter, base_text *expected) {
    for (char *at = all, *end; *at != '\0'; at = end + 1) {
        char line[512];
        end = strchr(at, '\n');
        (void)snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        if (is_wanted(line, filter))
            base_text_print(expected, "%s\n", line);
    }
}

TEST(filters_keep_what_they_name) {
    col_failure failure;
    find(&squashless, &failure);
    char *all = lines_of(failure.folder, &everything);
    /* The block and a cycle of a core's message somewhere in the middle. */
    const char *middle = strstr(all + strlen(all) / 2, "core 0 ");
    assert_non_null(middle);
    const unsigned long long block = strtoull(strstr(middle, " 0x") + 1, NULL, 16);
    const epi_filter filters[] = {
        {.has_block = true, .block = block + 8, .to = UINT64_MAX}, /* inside it */
        {.has_core = true, .core = 1, .to = UINT64_MAX},
        {.from = 20, .to = 90},
        {.has_block = true,
         .has_core = true,
         .block = block,
         .core = 0,
         .from = 10,
         .to = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        char *some = lines_of(failure.folder, &filters[i]);
        base_text expected = {0};
        epi_filter aligned = filters[i];
        aligned.block &= ~UINT64_C(63);
        expect_lines(all, &aligned, &expected);
        assert_true(expected.length > 0 && expected.length < strlen(all));
        assert_string_equal(some, expected.data);
        base_text_free(&expected);
        free(some);
    }
    free(all);
}

TEST(the_last_events_of_too_many_are_kept) {
    enum { MOST = 100 };
    col_failure failure;
    stage all, some;
    find(&squashless, &failure);
    set(&all, failure.folder, &everything, EPI_MOST_MOMENTS);
    set(&some, failure.folder, &everything, MOST);
    const uint32_t count = epi_timeline_count(all.timeline);
    assert_int_equal(epi_timeline_missing(all.timeline), 0);
    assert_int_equal(count, all.seen.count);
    assert_int_equal(epi_timeline_count(some.timeline), MOST);
    assert_int_equal(epi_timeline_missing(some.timeline), count - MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        base_text one = {0}, two = {0};
        epi_moment_line(all.timeline, epi_timeline_at(all.timeline, count - MOST + i), &one);
        epi_moment_line(some.timeline, epi_timeline_at(some.timeline, i), &two);
        assert_string_equal(one.data, two.data);
        base_text_free(&one);
        base_text_free(&two);
    }
    base_text lines = {0};
    epi_timeline_lines(some.timeline, true, &lines);
    char first[64];
    (void)snprintf(first, sizeof first, "... %u earlier events were not kept; ", count - MOST);
    assert_int_equal(strncmp(lines.data, first, strlen(first)), 0);
    base_text_free(&lines);
    strike(&all);
    strike(&some);
}

/* Events of designs that make no sense are left out; names are bounded. */
TEST(nonsense_is_left_out) {
    static const col_event nonsense[] = {
        {.kind = COL_TRANSITION, .machine = 99},
        {.kind = COL_MESSAGE_SENT, .machine = 0, .controller = 99, .message = "x"},
        {.kind = COL_MESSAGE_RECEIVED, .to_machine = 77, .message = "x"},
        {.kind = COL_MESSAGE_SENT, .machine = COL_OF_CORE, .controller = 99, .message = "x"},
        {.kind = COL_LOAD_PERFORMED, .operation = UINT32_MAX},
        {.kind = COL_LOAD_BOUND, .after = UINT32_MAX},
        {.kind = COL_EVICTION, .core = 1000},
    };
    col_failure failure;
    stage s;
    find(&squashless, &failure);
    set(&s, failure.folder, &everything, EPI_MOST_MOMENTS);
    const uint32_t before = epi_timeline_count(s.timeline);
    const col_observer observers[] = {epi_timeline_observer(s.timeline),
                                      epi_story_observer(s.story)};
    for (size_t o = 0; o < 2; o++)
        for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
            observers[o].notice(observers[o].context, &nonsense[i]);
    assert_int_equal(epi_timeline_count(s.timeline), before);
    for (uint32_t i = 0; i < 2 * EPI_MOST_NAMES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "name%u", i);
        const col_event event = {
            .kind = COL_MESSAGE_SENT, .to_machine = COL_OF_MEMORY, .message = name};
        observers[0].notice(observers[0].context, &event);
    }
    const epi_moment *last = epi_timeline_at(s.timeline, epi_timeline_count(s.timeline) - 1);
    assert_string_equal(epi_moment_name(s.timeline, last), "?");
    strike(&s);
}

/* ---- Trace events: the fields that the format asks for, slices that nest, flows that pair. */

static const char *text_of(const json_t *event, const char *key) {
    const char *text = json_string_value(json_object_get(event, key));
    assert_non_null(text);
    return text;
}

static json_int_t number_of(const json_t *event, const char *key) {
    assert_true(json_is_integer(json_object_get(event, key)));
    return json_integer_value(json_object_get(event, key));
}

static bool is_same_track(const json_t *a, const json_t *b) {
    return number_of(a, "pid") == number_of(b, "pid") && number_of(a, "tid") == number_of(b, "tid");
}

/* Does it lie in a slice of its track? */
static bool is_in_slice(const json_t *list, const json_t *event) {
    const json_int_t ts = number_of(event, "ts");
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) {
        if (text_of(other, "ph")[0] == 'X' && is_same_track(event, other) &&
            number_of(other, "ts") <= ts && ts < number_of(other, "ts") + number_of(other, "dur"))
            return true;
    }
    return false;
}

static void assert_nested(const json_t *list, const json_t *slice, size_t from) {
    const json_int_t start = number_of(slice, "ts"), end = start + number_of(slice, "dur");
    for (size_t i = from; i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (text_of(other, "ph")[0] != 'X' || !is_same_track(slice, other))
            continue;
        const json_int_t from_ts = number_of(other, "ts");
        const json_int_t to_ts = from_ts + number_of(other, "dur");
        assert_true(to_ts <= start || end <= from_ts || (from_ts <= start && end <= to_ts) ||
                    (start <= from_ts && to_ts <= end));
    }
}

static const json_t *other_end(const json_t *list, const json_t *flow) {
    const json_t *found = NULL;
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) {
        if (text_of(other, "ph")[0] != 'f' ||
            strcmp(text_of(other, "id"), text_of(flow, "id")) != 0)
            continue;
        assert_null(found);
        found = other;
    }
    return found;
}

static void check_event(const json_t *list, size_t i, uint32_t counts[128]) {
    const json_t *event = json_array_get(list, i);
    const char *phase = text_of(event, "ph");
    assert_true(strlen(phase) == 1 && strchr("XisfM", phase[0]) != NULL);
    counts[(int)phase[0]]++;
    assert_true(strlen(text_of(event, "name")) > 0);
    (void)number_of(event, "tid");
    assert_true(number_of(event, "pid") > 0);
    if (phase[0] == 'M') {
        assert_true(json_is_object(json_object_get(event, "args")));
        return;
    }
    assert_true(number_of(event, "ts") >= 0 && strlen(text_of(event, "cat")) > 0);
    if (phase[0] == 'X') {
        assert_true(number_of(event, "dur") > 0);
        assert_nested(list, event, i + 1);
    } else if (phase[0] == 'i') {
        assert_string_equal(text_of(event, "s"), "t");
    } else {
        assert_true(is_in_slice(list, event));
    }
    if (phase[0] != 's')
        return;
    const json_t *end = other_end(list, event);
    assert_non_null(end);
    assert_string_equal(text_of(end, "name"), text_of(event, "name"));
    assert_string_equal(text_of(end, "cat"), text_of(event, "cat"));
    assert_string_equal(text_of(end, "bp"), "e");
    assert_true(number_of(end, "ts") >= number_of(event, "ts"));
}

static uint32_t count_kind(const epi_timeline *t, col_event_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t); i++)
        count += epi_timeline_at(t, i)->kind == kind;
    return count;
}

TEST(traces_are_as_the_format_says) {
    col_failure failure;
    stage s;
    json_error_t problem;
    base_text text = {0};
    uint32_t counts[128] = {0};
    find(&squashless, &failure);
    set(&s, failure.folder, &(epi_filter){.to = 300}, 1500);
    epi_timeline_perfetto(s.timeline, &text);
    assert_false(text.failed);
    json_t *root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &problem);
    assert_non_null(root);
    const json_t *list = json_object_get(root, "traceEvents");
    for (size_t i = 0; i < json_array_size(list); i++)
        check_event(list, i, counts);
    assert_int_equal(counts['s'], counts['f']);
    assert_int_equal(counts['f'], count_kind(s.timeline, COL_MESSAGE_RECEIVED));
    assert_true(counts['i'] >= count_kind(s.timeline, COL_TRANSITION));
    assert_true(counts['X'] >= count_kind(s.timeline, COL_LOAD_PERFORMED) +
                                   count_kind(s.timeline, COL_STORE_PERFORMED) + counts['f']);
    json_decref(root);
    base_text_free(&text);
    strike(&s);
}

/* ---- Waveforms: a strict reader of VCD. */

enum { MOST_SIGNALS = 2000 };

typedef struct wave {
    char code[8], path[160];
    unsigned width;
    unsigned long long value;
    bool is_set;
} wave;

typedef struct vcd {
    const char *at;
    char word[256];
    wave *waves;
    uint32_t count;
    char scopes[8][64];
    int depth;
    unsigned long long time;
} vcd;

static bool take_word(vcd *v) {
    v->at += strspn(v->at, " \t\n");
    const size_t length = strcspn(v->at, " \t\n");
    assert_true(length < sizeof v->word);
    memcpy(v->word, v->at, length);
    v->word[length] = '\0';
    v->at += length;
    return length > 0;
}

static void expect(vcd *v, const char *word) {
    assert_true(take_word(v));
    assert_string_equal(v->word, word);
}

static void skip_to_end(vcd *v) {
    do
        assert_true(take_word(v));
    while (strcmp(v->word, "$end") != 0);
}

static wave *wave_of(vcd *v, const char *code) {
    for (uint32_t i = 0; i < v->count; i++)
        if (strcmp(v->waves[i].code, code) == 0)
            return &v->waves[i];
    return NULL;
}

static void take_variable(vcd *v) {
    assert_true(v->count < MOST_SIGNALS && v->depth > 0);
    wave *w = &v->waves[v->count];
    *w = (wave){.is_set = false};
    expect(v, "reg");
    assert_true(take_word(v));
    w->width = (unsigned)strtoul(v->word, NULL, 10);
    assert_true(w->width > 0 && w->width <= 32);
    assert_true(take_word(v) && strlen(v->word) < sizeof w->code);
    for (const char *c = v->word; *c != '\0'; c++)
        assert_true(*c >= '!' && *c <= '~');
    assert_null(wave_of(v, v->word));
    (void)snprintf(w->code, sizeof w->code, "%s", v->word);
    assert_true(take_word(v));
    (void)snprintf(w->path, sizeof w->path, "%s.%.80s", v->scopes[v->depth - 1], v->word);
    expect(v, "$end");
    v->count++;
}

static void take_head(vcd *v) {
    for (;;) {
        assert_true(take_word(v));
        if (strcmp(v->word, "$enddefinitions") == 0)
            break;
        if (strcmp(v->word, "$version") == 0 || strcmp(v->word, "$comment") == 0 ||
            strcmp(v->word, "$timescale") == 0) {
            skip_to_end(v);
        } else if (strcmp(v->word, "$scope") == 0) {
            expect(v, "module");
            assert_true(take_word(v) && v->depth < 8);
            for (const char *c = v->word; *c != '\0'; c++)
                assert_true(isalnum((unsigned char)*c) || *c == '_');
            (void)snprintf(v->scopes[v->depth++], 64, "%.60s", v->word);
            expect(v, "$end");
        } else if (strcmp(v->word, "$upscope") == 0) {
            assert_true(--v->depth >= 0);
            expect(v, "$end");
        } else {
            assert_string_equal(v->word, "$var");
            take_variable(v);
        }
    }
    assert_int_equal(v->depth, 0);
    expect(v, "$end");
}

static void take_value(vcd *v) {
    assert_int_equal(v->word[0], 'b');
    const size_t digits = strlen(v->word + 1);
    assert_int_equal(strspn(v->word + 1, "01"), digits);
    const unsigned long long value = strtoull(v->word + 1, NULL, 2);
    assert_true(take_word(v));
    wave *w = wave_of(v, v->word);
    assert_non_null(w);
    assert_true(digits > 0 && digits <= w->width);
    assert_true(!w->is_set || w->value != value); /* else it is no change */
    w->value = value;
    w->is_set = true;
}

static void take_values(vcd *v) {
    bool is_first = true;
    while (take_word(v)) {
        if (v->word[0] == '#') {
            const unsigned long long time = strtoull(v->word + 1, NULL, 10);
            assert_true(is_first || time > v->time);
            v->time = time;
            is_first = false;
        } else if (strcmp(v->word, "$dumpvars") == 0) {
            while (take_word(v) && strcmp(v->word, "$end") != 0)
                take_value(v);
            for (uint32_t i = 0; i < v->count; i++)
                assert_true(v->waves[i].is_set);
        } else {
            take_value(v);
        }
    }
}

TEST(waveforms_end_in_the_last_states) {
    col_failure failure;
    stage s;
    base_text text = {0};
    find(&squashless, &failure);
    set(&s, failure.folder, &everything, EPI_MOST_MOMENTS);
    epi_timeline_vcd(s.timeline, &text);
    assert_false(text.failed);
    vcd v = {.at = text.data, .waves = calloc(MOST_SIGNALS, sizeof(wave))};
    assert_non_null(v.waves);
    take_head(&v);
    take_values(&v);
    assert_true(v.count > 8);
    const col_duv_description *d = col_duv_describe(s.seen.worker.duv);
    bool *is_met = calloc(v.count, sizeof *is_met);
    uint32_t met = 0;
    for (size_t i = s.seen.count; i > 0; i--) { /* from the end: the first is the last */
        const col_event *e = &s.seen.list[i - 1];
        char path[160];
        uint32_t w = 0;
        if (e->kind != COL_TRANSITION)
            continue;
        (void)snprintf(path, sizeof path, "%s_%u.block_0x%llx", d->machines[e->machine].name,
                       e->controller, (unsigned long long)e->block);
        while (w < v.count && strcmp(v.waves[w].path, path) != 0)
            w++;
        assert_true(w < v.count);
        if (!is_met[w])
            assert_int_equal(v.waves[w].value, e->next_state);
        met += !is_met[w];
        is_met[w] = true;
        assert_true(e->cycle <= v.time);
    }
    assert_int_equal(met, v.count);
    assert_non_null(strstr(text.data, "  L1Cache: 0=")); /* names of the states */
    free(is_met);
    free(v.waves);
    base_text_free(&text);
    strike(&s);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
