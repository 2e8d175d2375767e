/* SPDX-License-Identifier: MIT */
/*
 * Building a Verilog design: see verilog_build.h. Which files Verilator reads is known only after
 * it has run, so the cache has a list of them for each design file, and the key of the shared
 * object follows from what they contain now.
 */
#include "design/verilog/verilog_build.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/plugin.h"
#include "design/design_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIGURATION "collider_points.vlt" /* what Verilator is to count and to show us */

enum { MOST_ARGUMENTS = DUV_MOST_WORDS * 2 + 256 };

typedef struct building {
    duv_verilog_file *file;
    duv_words paths;
    base_text tools;    /* what they say of themselves */
    const char *model;  /* the name of Verilator's class */
    char top[PATH_MAX]; /* the source of a top module of ours; empty: the user's is the one */
    base_cache cache;
    char list[BASE_KEY_SIZE]; /* the key of the list of files */
    char key[BASE_KEY_SIZE];  /* and that of the shared object */
    uint64_t hash;
    base_patience patience;
    col_problem *problem;
} building;

/* ---- The sources. */

static col_status add_path(duv_words *paths, const char *path, base_place place,
                           const duv_verilog_file *file, col_problem *problem) {
    if (paths->count == DUV_MOST_WORDS)
        return DUV_REFUSE_AT(file, place, problem, "there are more than %d sources",
                             DUV_MOST_WORDS);
    paths->texts[paths->count] = strdup(path);
    if (paths->texts[paths->count] == NULL)
        return base_out_of_memory(problem);
    paths->places[paths->count++] = place;
    return COL_OK;
}

static col_status add_matches(const duv_verilog_file *file, uint32_t source, duv_words *paths,
                              col_problem *problem) {
    const base_place place = file->sources.places[source];
    char pattern[PATH_MAX];
    glob_t found;
    col_problem own = {0};
    if (base_path_expand(pattern, file->path, file->sources.texts[source], "source", &own) !=
        COL_OK)
        return DUV_REFUSE_AT(file, place, problem, "%s", own.message);
    const int end = glob(pattern, 0, NULL, &found);
    if (end == GLOB_NOSPACE)
        return base_out_of_memory(problem);
    if (end != 0)
        return DUV_REFUSE_AT(file, place, problem, "there is no file %.400s", pattern);
    col_status status = COL_OK;
    for (size_t i = 0; i < found.gl_pathc && status == COL_OK; i++)
        status = add_path(paths, found.gl_pathv[i], place, file, problem);
    globfree(&found);
    return status;
}

col_status duv_verilog_sources(const duv_verilog_file *file, duv_words *paths,
                               col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < DUV_ADAPTER_SOURCES && file->adapter.bus != DUV_NATIVE; i++) {
        char path[PATH_MAX];
        if (status == COL_OK)
            status = duv_adapter_source(&file->adapter, i, path, sizeof path, problem);
        if (status == COL_OK)
            status = add_path(paths, path, file->adapter.place, file, problem);
    }
    for (uint32_t i = 0; i < file->sources.count && status == COL_OK; i++)
        status = add_matches(file, i, paths, problem);
    return status;
}

/* ---- Keys. */

static col_status add_file_to_key(XXH3_state_t *state, const char *path, col_problem *problem) {
    base_text text = {0};
    const col_status status = base_file_read_regular(path, &text, problem);
    if (status == COL_OK)
        duv_key_add(state, text.data == NULL ? "" : text.data, text.length);
    base_text_free(&text);
    return status;
}

static col_status verilator_missing(col_problem *problem) {
    return base_fail(problem, "there is no Verilator, which designs of kind verilog need; install "
                              "the package verilator");
}

static col_status describe_tools(building *b) {
    static const char *const arguments[] = {"verilator", "--version", NULL};
    const base_tool tool = {.what = "Verilator", .arguments = arguments};
    base_tool_end end = BASE_TOOL_DONE;
    BASE_TRY(base_tool_ask(&tool, &b->tools, &end, b->problem));
    if (end != BASE_TOOL_DONE)
        return verilator_missing(b->problem);
    return duv_compiler_describe(&b->tools, b->problem);
}

static void find_list_key(building *b) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    duv_key_add(&state, b->tools.data, b->tools.length);
    for (uint32_t i = 0; i < b->paths.count; i++)
        duv_key_add(&state, b->paths.texts[i], strlen(b->paths.texts[i]));
    for (uint32_t i = 0; i < b->file->includes.count; i++) {
        char path[PATH_MAX];
        if (base_path_expand(path, b->file->path, b->file->includes.texts[i], "folder", NULL) ==
            COL_OK)
            duv_key_add(&state, path, strlen(path));
    }
    duv_key_add(&state, "waves", b->file->traces ? 5 : 0);
    /* The platform may say how many harts there are; of words that it changes, this is compiled. */
    duv_key_add(&state, (const char *)&b->file->chip.harts, sizeof b->file->chip.harts);
    duv_key_add(&state, b->file->spelled.data, b->file->spelled.length);
    duv_key_spell(&state, b->list);
}

/* From the list of files, one in a line. False: one of them cannot be read. */
static bool find_key(building *b, char *list) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    duv_key_add(&state, b->list, strlen(b->list));
    for (char *rest = list, *path; (path = strtok_r(rest, "\n", &rest)) != NULL;)
        if (add_file_to_key(&state, path, NULL) != COL_OK)
            return false;
    duv_key_spell(&state, b->key);
    return true;
}

static void name_list(const building *b, char name[64]) {
    (void)snprintf(name, 64, "%s.files", b->list);
}

/* The shared object, if the cache has it. */
static int look_up(building *b) {
    base_text list = {0};
    char name[64];
    int object = -1;
    name_list(b, name);
    if (base_file_read_in(b->cache.path, name, &list, NULL) == COL_OK && list.data != NULL &&
        find_key(b, list.data))
        object = base_cache_find(&b->cache, b->key, &b->hash);
    base_text_free(&list);
    return object;
}

/* ---- Verilator. */

typedef struct arguments {
    const char *words[MOST_ARGUMENTS];
    base_arena joined; /* words that are put together here */
    uint32_t count;
    bool failed; /* no memory */
    bool is_full;
} arguments;

static void add(arguments *a, const char *word) {
    if (a->count + 1 < MOST_ARGUMENTS)
        a->words[a->count++] = word;
    else
        a->is_full = true;
}

static void add_joined(arguments *a, const char *first, const char *second, const char *third,
                       const char *fourth) {
    base_text text = {0};
    base_text_print(&text, "%s%s%s%s", first, second, third, fourth);
    const char *word = text.failed ? NULL : base_arena_text(&a->joined, text.data, text.length);
    base_text_free(&text);
    a->failed = a->failed || word == NULL;
    add(a, word);
}

/* Which points, and how they are found. */
static void add_points(arguments *a, const duv_verilog_file *f, const char *folder) {
    const bool has_lines = f->points != NULL && f->points->lines.patterns.count > 0;
    const bool has_toggles = f->points != NULL && f->points->toggles.patterns.count > 0;
    if (f->covers)
        add(a, "--coverage-user");
    if (has_lines)
        add(a, "--coverage-line");
    if (has_toggles)
        add(a, "--coverage-toggle");
    if (f->covers || has_lines || has_toggles)
        add(a, "--flatten"); /* else all instances of a module share their counters */
    if (f->points != NULL)
        add_joined(a, folder, "/", CONFIGURATION, "");
}

/* What Verilator is run for: the model, the signals of its top module, or its XML. */
typedef enum purpose { SIMULATED, PROBED, DESCRIBED } purpose;

static void collect_arguments(arguments *a, const building *b, const char *folder, purpose why) {
    const duv_verilog_file *f = b->file;
    const char *const usual[] = {"verilator",
                                 "--cc",
                                 "--no-timing",
                                 "--assert",
                                 "-Wno-fatal",
                                 "-Wno-lint",
                                 "-Wno-style",
                                 "--x-assign",
                                 "fast",
                                 "--x-initial",
                                 f->starts_random ? "unique" : "0",
                                 "-O3",
                                 "--prefix",
                                 b->model,
                                 "--Mdir",
                                 folder,
                                 "--top-module"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        add(a, i == 1 && why == DESCRIBED ? "--xml-only" : usual[i]);
    add(a, f->top.text);
    for (uint32_t i = 0; i < f->options.count; i++)
        add(a, f->options.texts[i]);
    if (why == SIMULATED)
        add_points(a, f, folder);
    if (why == DESCRIBED)
        add(a, "--coverage-user"); /* says where there are cover points */
    if (f->traces && why == SIMULATED) {
        add(a, "--trace-fst");
        add(a, "--trace-structs");
    }
    for (uint32_t i = 0; i < f->parameter_count; i++)
        add_joined(a, "-G", f->parameters[i].name.text, "=", f->parameters[i].value);
    for (uint32_t i = 0; i < f->define_count; i++)
        add_joined(a, "+define+", f->defines[i].name.text, "=", f->defines[i].value);
    for (uint32_t i = 0; i < f->includes.count; i++) {
        char path[PATH_MAX];
        if (base_path_expand(path, f->path, f->includes.texts[i], "folder", NULL) == COL_OK)
            add_joined(a, "+incdir+", path, "", "");
    }
    for (uint32_t i = 0; i < b->paths.count; i++) {
        if (base_path_ends(b->paths.texts[i], ".f"))
            add(a, "-F");
        add(a, b->paths.texts[i]);
    }
    if (b->top[0] != '\0')
        add(a, b->top);
    a->words[a->count] = NULL;
}

/* Where in the design file the reason for an error without a place is. */
static base_place place_for(const duv_verilog_file *f, const char *message) {
    if (strstr(message, "Parameters from the command line") != NULL && f->parameter_count > 0)
        return f->parameters[0].name.place;
    return strstr(message, "--top-module") != NULL ? f->top.place : f->sources.places[0];
}

/* "%Error: FILE:LINE:COLUMN: message" and "%Error-CODE: ..."; the first is reported. */
static col_status refused(const building *b, const char *said) {
    const char *line = strstr(said, "%Error");
    const char *colon = line == NULL ? NULL : strstr(line, ": ");
    if (colon == NULL)
        return base_fail(b->problem, "Verilator failed and does not say why: %.200s", said);
    char text[1024], file[256];
    unsigned row = 0, column = 0;
    int end = 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    base_make_printable(text, false);
    if (sscanf(text, "%255[^:]:%u:%u: %n", file, &row, &column, &end) == 3 && end > 0)
        return base_refuse_at(b->problem, file, row, column, "%.400s", text + end);
    const base_place place = place_for(b->file, text);
    return DUV_REFUSE_AT(b->file, place, b->problem, "Verilator says: %.400s", text);
}

static col_status run_tool(building *b, const char *const *words, const char *folder) {
    char log[PATH_MAX];
    base_tool_end end = BASE_TOOL_DONE;
    col_status status = base_path_in(log, folder, "verilator.log", b->problem);
    const int output = status == COL_OK
                           ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)
                           : -1;
    if (output < 0)
        return base_fail(b->problem, "cannot write %.400s: %s", log, strerror(errno));
    const base_tool tool = {
        .what = "Verilator", .arguments = words, .temporary = folder, .output = output};
    status = base_tool_run(&tool, &b->patience, &end, b->problem);
    (void)close(output);
    if (status != COL_OK || (end == BASE_TOOL_DONE && b->patience.came == 0))
        return status;
    if (b->patience.came != 0)
        return base_fail(b->problem, "Verilator was interrupted");
    if (end == BASE_TOOL_MISSING)
        return verilator_missing(b->problem);
    base_text said = {0};
    (void)base_file_read(log, &said, NULL);
    status = refused(b, said.data == NULL ? "" : said.data);
    base_text_free(&said);
    return status;
}

static col_status run_verilator(building *b, const char *folder, purpose why) {
    arguments *a = NULL;
    BASE_TRY(base_new(&a, 1, sizeof *a, b->problem));
    collect_arguments(a, b, folder, why);
    const col_status status =
        a->failed    ? base_out_of_memory(b->problem)
        : a->is_full ? base_refuse(b->problem,
                                   "the sources, folders and definitions are more than the %d "
                                   "words that a command of Verilator may have here",
                                   MOST_ARGUMENTS - 1)
                     : run_tool(b, a->words, folder);
    base_arena_free(&a->joined);
    free(a);
    return status;
}

/* ---- What it leaves. */

static col_status read_made(const building *b, const char *folder, const char *name,
                            base_text *text) {
    char path[PATH_MAX];
    col_status status = base_path_in(path, folder, name, b->problem);
    if (status == COL_OK)
        status = base_file_read(path, text, b->problem);
    return status == COL_OK && text->data == NULL
               ? base_fail(b->problem, "Verilator left %s empty", path)
               : status;
}

/* The points that the design file asks for, and a configuration that makes Verilator have them. */
static col_status find_points(building *b, const char *folder) {
    base_text xml = {0};
    char path[PATH_MAX];
    col_status status = run_verilator(b, folder, DESCRIBED);
    if (status == COL_OK)
        status = read_made(b, folder, "Vdesign.xml", &xml);
    if (status == COL_OK)
        status = duv_points_resolve(b->file, xml.data, b->problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, CONFIGURATION, b->problem);
    const base_text *text = &b->file->points->configuration;
    if (status == COL_OK)
        status = base_file_write(path, text->data, text->length, b->problem);
    base_text_free(&xml);
    return status;
}

/* Lines `S size ... "path"` are what it read, itself first; what we wrote follows from the rest. */
static void list_files(const char *made, const char *folder, base_text *list) {
    bool is_first = true;
    for (const char *line = made; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *open = line[0] == 'S' ? strchr(line, '"') : NULL;
        const char *close = open == NULL ? NULL : strpbrk(open + 1, "\"\n");
        if (close == NULL)
            continue;
        if (!is_first && strncmp(open + 1, folder, strlen(folder)) != 0)
            base_text_print(list, "%.*s\n", (int)(close - open - 1), open + 1);
        is_first = false;
    }
}

static col_status keep_list(building *b, const char *folder) {
    base_text made = {0}, list = {0};
    char path[PATH_MAX], name[64];
    col_status status = read_made(b, folder, "Vdesign__verFiles.dat", &made);
    if (status == COL_OK) {
        list_files(made.data, folder, &list);
        status = base_text_status(&list, b->problem);
    }
    name_list(b, name);
    if (status == COL_OK)
        status = base_path_in(path, b->cache.path, name, b->problem);
    if (status == COL_OK)
        status = base_file_write(path, list.data, list.length, b->problem);
    if (status == COL_OK && (list.data == NULL || !find_key(b, list.data)))
        status = base_fail(b->problem, "a source of %.200s is gone", b->file->path);
    base_text_free(&made);
    base_text_free(&list);
    return status;
}

/* Of the module that Verilator made `name` of; free them. */
static col_status read_signals(const building *b, const char *folder, const char *name,
                               duv_signals **signals) {
    base_text header = {0};
    *signals = calloc(1, sizeof **signals);
    const col_status status =
        *signals == NULL ? base_out_of_memory(b->problem) : read_made(b, folder, name, &header);
    if (status == COL_OK)
        duv_signals_read(*signals, header.data);
    base_text_free(&header);
    return status;
}

static col_status connect_signals(building *b, const char *folder, base_text *wrapper) {
    duv_signals *signals = NULL;
    base_text state = {0};
    col_status status = read_signals(b, folder, "Vdesign.h", &signals);
    if (status == COL_OK)
        status = duv_verilog_connect(b->file, signals, b->problem);
    if (status == COL_OK && duv_is_chip(b->file))
        status = duv_verilog_state(folder, &state, b->problem);
    if (status == COL_OK) {
        duv_verilog_wrap(b->file, state.data == NULL ? "" : state.data, wrapper);
        status = base_text_status(wrapper, b->problem);
    }
    base_text_free(&state);
    free(signals);
    return status;
}

/* Ports that speak a bus: Verilator says what signals the user's top module has, then there is one
 * of ours around it. */
static col_status adapt(building *b, const char *folder) {
    duv_verilog_file *f = b->file;
    duv_signals *signals = NULL;
    base_text source = {0};
    if (f->adapter.bus == DUV_NATIVE)
        return COL_OK;
    b->model = "Vprobe";
    col_status status = run_verilator(b, folder, PROBED);
    b->model = "Vdesign";
    if (status == COL_OK)
        status = read_signals(b, folder, "Vprobe.h", &signals);
    if (status == COL_OK)
        status = duv_adapter_top(f, signals, &source, b->problem);
    if (status == COL_OK)
        status = base_path_in(b->top, folder, "collider.sv", b->problem);
    if (status == COL_OK)
        status = base_file_write(b->top, source.data, source.length, b->problem);
    base_text_free(&source);
    free(signals);
    return status;
}

/* "VERILATOR_ROOT = /usr/share/verilator": its runtime is in the folder include there. */
static col_status find_runtime(const building *b, const char *folder, char runtime[PATH_MAX]) {
    static const char variable[] = "\nVERILATOR_ROOT = ";
    base_text made = {0};
    col_status status = read_made(b, folder, "Vdesign.mk", &made);
    const char *found = status == COL_OK ? strstr(made.data, variable) : NULL;
    if (found != NULL) {
        found += sizeof variable - 1;
        (void)snprintf(runtime, PATH_MAX, "%.*s/include", (int)strcspn(found, "\n"), found);
    } else if (status == COL_OK) {
        status = base_fail(b->problem, "Verilator does not say where its runtime is");
    }
    base_text_free(&made);
    return status;
}

/* ---- Building. */

static col_status build(building *b, base_workshop *workshop) {
    base_text wrapper = {0};
    char runtime[PATH_MAX];
    col_status status = base_workshop_make(workshop, b->problem);
    const char *folder = workshop->path;
    if (status == COL_OK)
        status = adapt(b, folder);
    if (status == COL_OK && b->file->points != NULL)
        status = find_points(b, folder);
    if (status == COL_OK)
        status = run_verilator(b, folder, SIMULATED);
    if (status == COL_OK)
        status = connect_signals(b, folder, &wrapper);
    if (status == COL_OK)
        status = find_runtime(b, folder, runtime);
    if (status == COL_OK)
        status = duv_verilog_compile(folder, runtime, &wrapper, b->file->traces, &b->patience,
                                     b->problem);
    if (status == COL_OK)
        status = keep_list(b, folder);
    if (status == COL_OK) {
        base_workshop kept = *workshop;
        kept.key = b->key;
        status = base_workshop_keep(&kept, "design.so", b->problem);
    }
    base_text_free(&wrapper);
    return status;
}

/* Unless another process did meanwhile. */
static col_status build_once(building *b, int *object) {
    base_workshop workshop;
    base_patience_start(&b->patience);
    col_status status = base_workshop_open(&workshop, &b->cache, b->list, &b->patience, b->problem);
    if (status == COL_OK && (*object = look_up(b)) < 0) {
        status = build(b, &workshop);
        if (status == COL_OK && (*object = look_up(b)) < 0)
            status = base_fail(b->problem, "a source of %.200s changed while it was compiled",
                               b->file->path);
    }
    base_workshop_close(&workshop);
    base_patience_end(&b->patience);
    return status;
}

static col_status find_or_build(building *b, char path[PATH_MAX], int *object) {
    BASE_TRY(duv_verilog_sources(b->file, &b->paths, b->problem));
    BASE_TRY(describe_tools(b));
    find_list_key(b);
    BASE_TRY(base_cache_open(&b->cache, b->problem));
    *object = look_up(b);
    const col_status status = *object < 0 ? build_once(b, object) : COL_OK;
    (void)snprintf(path, PATH_MAX, "%s/%s.so", b->cache.path, b->key);
    base_cache_close(&b->cache);
    return status;
}

static col_status describe(building *b, base_text *xml) {
    base_workshop workshop = {.lock = -1};
    BASE_TRY(duv_verilog_sources(b->file, &b->paths, b->problem));
    BASE_TRY(describe_tools(b));
    find_list_key(b);
    BASE_TRY(base_cache_open(&b->cache, b->problem));
    base_patience_start(&b->patience);
    col_status status = base_workshop_open(&workshop, &b->cache, b->list, &b->patience, b->problem);
    BASE_THEN(status, base_workshop_make(&workshop, b->problem));
    BASE_THEN(status, run_verilator(b, workshop.path, DESCRIBED));
    BASE_THEN(status, read_made(b, workshop.path, "Vdesign.xml", xml));
    base_workshop_close(&workshop);
    base_patience_end(&b->patience);
    base_cache_close(&b->cache);
    return status;
}

static col_status begin(building **b, duv_verilog_file *file, col_problem *problem) {
    BASE_TRY(base_new(b, 1, sizeof **b, problem));
    (*b)->file = file;
    (*b)->model = "Vdesign";
    (*b)->problem = problem;
    return COL_OK;
}

static void end(building *b) {
    duv_words_free(&b->paths);
    base_text_free(&b->tools);
    free(b);
}

col_status duv_verilog_describe(duv_verilog_file *file, base_text *xml, col_problem *problem) {
    building *b = NULL;
    BASE_TRY(begin(&b, file, problem));
    const col_status status = describe(b, xml);
    end(b);
    return status;
}

col_status duv_verilog_build(duv_verilog_file *file, char path[PATH_MAX], int *object,
                             col_problem *problem) {
    building *b = NULL;
    *object = -1;
    BASE_TRY(begin(&b, file, problem));
    const col_status status = find_or_build(b, path, object);
    end(b);
    return status;
}
