/* SPDX-License-Identifier: MIT */
/* A report made by hand, and what tests of writers ask of texts: see writers_sample.h. */
#include "results/report/writers_sample.h"

#include "base/file.h"
#include "harness.h"
#include "paths.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The report. */

static rep_plan plans[] = {
    {.name = "errors",
     .title = "Which errors are found",
     .scale = "",
     .hash = "1",
     .trials = 40,
     .done = 35,
     .failed = 2},
    {.name = NASTY, .title = NASTY, .scale = "small", .hash = "2", .trials = 10, .done = 10},
};

static rep_group groups[] = {
    {.name = "htg, mesi3, E.4.2",
     .contender = "htg",
     .scenario = "mesi3, E.4.2",
     .design = "mesi3",
     .cores = 8,
     .trials = 10,
     .done = 10,
     .found = 9,
     .hunts = true,
     .error = "E.4.2",
     .seconds = 12.5,
     .verdict = "violation",
     .finding = "as was to be found"},
    {.name = "plain, mesi3, E.4.2",
     .contender = "plain",
     .scenario = "mesi3, E.4.2",
     .design = "mesi3",
     .cores = 8,
     .trials = 10,
     .done = 10,
     .hunts = true,
     .error = "E.4.2",
     .seconds = 1234.56789},
    {.name = "htg, mesi3",
     .contender = "htg",
     .scenario = "mesi3",
     .design = "mesi3",
     .cores = 8,
     .trials = 10,
     .done = 10,
     .found = 2,
     .seconds = 3,
     .verdict = "violation",
     .finding = "P0 read a word that was overwritten",
     .finding_seed = 3},
    {.name = "plain, mesi3",
     .contender = "plain",
     .scenario = "mesi3",
     .design = "mesi3",
     .cores = 8,
     .trials = 5,
     .done = 3,
     .failed = 2,
     .seconds = 1,
     .reason = "no room: <disk>",
     .reason_seed = 4},
    {.name = "htg, mesi3, 17",
     .contender = "htg",
     .scenario = "mesi3, 17",
     .design = "mesi3",
     .cores = 8,
     .trials = 2,
     .done = 2,
     .hunts = true,
     .mutant = "17",
     .seconds = 0.25},
    {.name = "htg, mesi2",
     .contender = "htg",
     .scenario = "mesi2",
     .design = "mesi2",
     .cores = 4,
     .trials = 3,
     .done = 0},
    {.plan = 1,
     .name = NASTY,
     .contender = NASTY,
     .scenario = "",
     .design = NASTY,
     .cores = 2,
     .trials = 10,
     .done = 10,
     .found = 1,
     .seconds = 0.1,
     .verdict = NASTY,
     .finding = NASTY,
     .finding_seed = 1},
    {.plan = 1,
     .name = "plain",
     .contender = "plain",
     .scenario = "",
     .design = "mesi3",
     .cores = 8,
     .trials = 10,
     .done = 10,
     .seconds = 2},
};

static rep_column columns[] = {
    {.name = "error"}, {.name = "htg", .is_number = true}, {.name = NASTY, .is_number = true}};
static rep_cell cells[3][3] = {
    {{.text = "E.4.2", .value = NAN, .low = NAN, .high = NAN},
     {.text = "12.3 M",
      .value = 12300000,
      .best = true,
      .found = 9,
      .of = 10,
      .low = 1e7,
      .high = INFINITY},
     {.text = ">200 M", .value = 200000000, .censored = true, .of = 10, .low = NAN, .high = NAN}},
    {{.text = NASTY, .value = NAN, .low = NAN, .high = NAN},
     {.text = "0.1", .value = 0.1, .low = 1.0 / 3, .high = 0.5},
     {.text = "", .value = NAN, .low = NAN, .high = NAN}},
    {{.text = "a, \"quoted\" name", .value = NAN, .low = NAN, .high = NAN},
     {.text = "-7", .value = -7, .best = true, .low = NAN, .high = NAN},
     {.text = "3e+300", .value = 3e300, .found = 1, .of = 1, .low = NAN, .high = NAN}},
};
static rep_row rows[] = {{.group = 0, .cells = cells[0]},
                         {.group = REP_NO_GROUP, .cells = cells[1]},
                         {.group = 1, .cells = cells[2]}};
static rep_table tables[] = {
    {.id = "time-to-error",
     .title = "Time to error",
     .note = "Cycles; 5 < 6.",
     .columns = columns,
     .column_count = 3,
     .rows = rows,
     .row_count = 3},
    {.id = "tours", .title = NASTY, .columns = columns, .column_count = 3},
};

static const double x[] = {0, 500000, 1000000, 1500000, 2000000};
static const double low[] = {0, 100, 140, 150, NAN}, middle[] = {0, 120, 150, 160.5, NAN},
                    high[] = {0, 130, 170, 172, NAN};
static const double other[] = {0, 90, NAN, 120, 125};
static const rep_series lines[] = {
    {.name = "htg", .group = 0, .count = 5, .x = x, .lower = low, .median = middle, .upper = high},
    {.name = NASTY,
     .group = 1,
     .count = 5,
     .x = x,
     .lower = other,
     .median = other,
     .upper = other},
};
static const rep_box box_row[2][2] = {{{100, 110, 120, 125, 130, 10}, {120, 130, 140, 150, 160, 8}},
                                      {{60, 70, 70, 75, 90, 10}, {.count = 0}}};
static const rep_series boxes[] = {
    {.name = "htg", .group = 0, .count = 2, .boxes = box_row[0]},
    {.name = NASTY, .group = 1, .count = 2, .boxes = box_row[1]},
};
static const double intervals[] = {1000000, 2000000};

static const char *const states[] = {"I", "S", NASTY}, *const events[] = {"Load", NASTY};
static const rep_protocol_cell transitions[] = {
    {0, 0, 123456, 1, 40, 1, 1, NULL},        {0, 1, 0, 0, 0, 1, 0, NULL},
    {1, 0, 1, 17, 1, -1, -1, NULL},           {1, 1, 0, 0, 0, 0, -1, NULL},
    {2, 0, 0, 0, 0, -1, -1, "no <DMA> here"}, {2, 1, UINT64_MAX, 3, 2, 0, 1, NULL}};
static rep_protocol protocols[] = {
    {.design = "mesi3",
     .machine = "L1Cache",
     .cores = 8,
     .trials = 40,
     .states = states,
     .events = events,
     .state_count = 3,
     .event_count = 2,
     .cells = transitions,
     .cell_count = 6},
    {.design = "mesi3",
     .machine = "Directory",
     .cores = 8,
     .trials = 40,
     .states = states,
     .events = events,
     .state_count = 3,
     .event_count = 2,
     .cells = transitions,
     .cell_count = 2},
    {.design = NASTY,
     .machine = NASTY,
     .cores = 2,
     .trials = 1,
     .states = states,
     .events = events,
     .state_count = 3,
     .event_count = 2,
     .cells = transitions,
     .cell_count = 6},
};

static rep_plot plots[] = {
    {.id = "evolution-1-structural-cycles",
     .title = "mesi3, 8 cores, E.4.2",
     .about = "evolution",
     .kind = REP_LINES,
     .x_title = "cycles",
     .y_title = "points covered",
     .metric = "structural",
     .unit = "cycles",
     .total = 215,
     .reachable = 190,
     .series = lines,
     .series_count = 2},
    {.id = "boxes-1",
     .title = NASTY,
     .about = "boxes",
     .kind = REP_BOXES,
     .x_title = "cycles",
     .y_title = NASTY,
     .unit = "cycles",
     .total = NAN,
     .reachable = NAN,
     .series = boxes,
     .series_count = 2,
     .intervals = intervals,
     .interval_count = 2},
    {.id = "protocol-1",
     .title = "mesi3, 8 cores: L1Cache",
     .about = "protocol",
     .kind = REP_HEAT,
     .total = NAN,
     .reachable = NAN,
     .protocol = &protocols[0]},
    {.id = "learning-1",
     .title = "nothing was learnt",
     .about = "learning",
     .kind = REP_LINES,
     .x_title = "tests",
     .y_title = "loss",
     .unit = "tests",
     .total = NAN,
     .reachable = NAN},
    {.id = "../Odd Name!",
     .title = "no boxes",
     .about = "boxes",
     .kind = REP_BOXES,
     .x_title = NULL,
     .y_title = NULL,
     .total = NAN,
     .reachable = NAN},
};

static rep_failure failures[] = {
    {.group = 2,
     .seed = 3,
     .test = 17,
     .cycles = 123,
     .instance = 2,
     .seconds = 1.25,
     .verdict = "violation",
     .reason = "P0 read a word that was overwritten",
     .story = "First <this>.\nThen ]]> that.",
     .threads = 2,
     .operations = 5,
     .locations = 2},
    {.group = 0, .seed = 1, .test = 1, .verdict = "deadlock", .reason = "as was to be found"},
    {.group = 2, .seed = 9, .test = 4, .verdict = NASTY, .reason = NASTY},
    {.group = 6, .seed = 1, .test = 4, .verdict = "crash", .reason = ""},
};

static rep_paper papers[] = {{.name = "t", .table = 0, .summary = "Ours is <twice> theirs."},
                             {.name = "u", .table = UINT32_MAX, .summary = "not shown"}};
static const char *warnings[] = {"a plan could not be *read*"};

static const char *const versions[] = {"0.1.0"}, *const hosts[] = {"here", NASTY};

rep_report sample_report(void) {
    return (rep_report){.title = NASTY,
                        .tool = "collider 0.1.0",
                        .versions = versions,
                        .hosts = hosts,
                        .version_count = 1,
                        .host_count = 2,
                        .first = "2026-11-14",
                        .last = "2026-11-15",
                        .plans = plans,
                        .plan_count = 2,
                        .groups = groups,
                        .group_count = sizeof groups / sizeof groups[0],
                        .tables = tables,
                        .table_count = 2,
                        .plots = plots,
                        .plot_count = sizeof plots / sizeof plots[0],
                        .protocols = protocols,
                        .protocol_count = 3,
                        .failures = failures,
                        .failure_count = sizeof failures / sizeof failures[0],
                        .papers = papers,
                        .paper_count = 2,
                        .warnings = warnings,
                        .warning_count = 1};
}

rep_report empty_report(void) {
    return (rep_report){.title = "Nothing yet", .tool = "collider 0.1.0"};
}

/* ---- XML. */

enum { MOST_DEPTH = 32, MOST_NAME = 64 };

typedef struct xml_reader {
    const char *start, *at;
    char open[MOST_DEPTH][MOST_NAME];
    int depth;
} xml_reader;

static void wrong(const xml_reader *reader, const char *what) {
    fail_msg("not well-formed: %s at byte %zu: %.60s", what, (size_t)(reader->at - reader->start),
             reader->at);
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':' || c == '_';
}

static void read_name(xml_reader *reader, char *name) {
    size_t length = 0;
    while (is_name(reader->at[length]) && length + 1 < MOST_NAME)
        length++;
    if (length == 0)
        wrong(reader, "no name");
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
}

static void read_entity(xml_reader *reader) {
    static const char *const entities[] = {"&lt;",  "&gt;",  "&amp;", "&quot;",
                                           "&#39;", "&#10;", "&#9;"};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (strncmp(reader->at, entities[i], strlen(entities[i])) == 0) {
            reader->at += strlen(entities[i]);
            return;
        }
    wrong(reader, "an entity that is not known");
}

/* Up to one of these characters. */
static void read_characters(xml_reader *reader, const char *end) {
    while (strchr(end, *reader->at) == NULL) {
        const unsigned char c = (unsigned char)*reader->at;
        if (c == '&')
            read_entity(reader);
        else if (c == '<' || c == '>')
            wrong(reader, "markup where there is none");
        else if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F ||
                 (c == 0xC2 && (unsigned char)reader->at[1] < 0xA0))
            wrong(reader, "a control character");
        else
            reader->at++;
    }
}

static void read_attributes(xml_reader *reader) {
    char seen[MOST_DEPTH][MOST_NAME];
    int count = 0;
    while (*reader->at == ' ') {
        reader->at++;
        assert_true(count < MOST_DEPTH);
        read_name(reader, seen[count]);
        for (int i = 0; i < count; i++)
            if (strcmp(seen[i], seen[count]) == 0)
                wrong(reader, "an attribute twice");
        count++;
        if (strncmp(reader->at, "=\"", 2) != 0)
            wrong(reader, "an attribute without a value");
        reader->at += 2;
        read_characters(reader, "\"\n");
        if (*reader->at++ != '"')
            wrong(reader, "a line break in an attribute");
    }
}

static void read_tag(xml_reader *reader) {
    char name[MOST_NAME];
    const bool closes = reader->at[1] == '/';
    reader->at += closes ? 2 : 1;
    read_name(reader, name);
    if (closes) {
        if (reader->depth == 0 || strcmp(reader->open[--reader->depth], name) != 0)
            wrong(reader, "the end of something else");
    } else {
        read_attributes(reader);
        if (*reader->at == '/')
            reader->at++;
        else {
            assert_true(reader->depth < MOST_DEPTH);
            memcpy(reader->open[reader->depth++], name, sizeof name);
        }
    }
    if (*reader->at++ != '>')
        wrong(reader, "a tag that does not end");
}

void assert_well_formed(const base_text *text) {
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    assert_false(text->failed);
    assert_non_null(text->data);
    assert_int_equal(strlen(text->data), text->length);
    char *copy = strdup(text->data);
    assert_non_null(copy);
    base_clean_utf8(copy);
    assert_string_equal(copy, text->data); /* it was UTF-8 */
    free(copy);
    xml_reader reader = {.start = text->data, .at = text->data};
    if (strncmp(reader.at, head, sizeof head - 1) == 0)
        reader.at += sizeof head - 1;
    do {
        read_tag(&reader);
        read_characters(&reader, "<");
    } while (reader.depth > 0 && *reader.at == '<');
    if (reader.depth > 0 || *reader.at != '\0')
        wrong(&reader, "no end, or something after it");
}

/* ---- Texts and files. */

size_t occurrences(const base_text *text, const char *string) {
    size_t count = 0;
    for (const char *at = text->data; (at = strstr(at, string)) != NULL; at++)
        count++;
    return count;
}

const char *read_csv_field(const char *at, char *field, size_t size) {
    size_t length = 0;
    const bool quoted = *at == '"';
    at += quoted;
    while (quoted ? *at != '"' || at[1] == '"' : strchr(",\r\n", *at) == NULL) {
        assert_true(*at != '\0' && length + 1 < size && (quoted || *at != '"'));
        field[length++] = *at;
        at += quoted && *at == '"' ? 2 : 1;
    }
    field[length] = '\0';
    return at + quoted;
}

void assert_as_expected(const base_text *text, const char *name) {
    char path[PATH_MAX];
    base_text expected = {0};
    (void)path_in(path, TEST_DATA "/report", name);
    if (getenv("COLLIDER_EXPECT") != NULL)
        assert_int_equal(base_file_write(path, text->data, text->length, NULL), COL_OK);
    assert_int_equal(base_file_read(path, &expected, NULL), COL_OK);
    assert_string_equal(text->data, expected.data);
    assert_int_equal(text->length, expected.length);
    base_text_free(&expected);
}

void make_folder(char *path, size_t size) {
    (void)snprintf(path, size, "/tmp/collider-writers-XXXXXX");
    assert_non_null(mkdtemp(path));
}

void remove_folder(const char *path) {
    char file[PATH_MAX];
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_int_equal(unlink(path_in(file, path, entry->d_name)), 0);
    (void)closedir(folder);
    assert_int_equal(rmdir(path), 0);
}
