/* SPDX-License-Identifier: MIT */
/*
 * Compiling the C++ of a Verilog design: see verilog_build.h. A file of Verilator's costs a
 * second for its headers alone, so several become one unit; units are compiled side by side.
 */
#include "design/verilog/verilog_build.h"

#include "base/file.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "protocol/simulate/protocol_library.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char duv_verilator_header[];
extern const size_t duv_verilator_header_size;

enum { MOST_UNITS = 64, MOST_UNIT_BYTES = 400 << 10, NAME = 32 };

#define FLAGS                                                                                      \
    "-std=c++17", "-w", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-DVM_COVERAGE=1", \
        "-DVM_SC=0"

static const char runtime_text[] =
    "int collider_verilated_print(const char *format, ...);\n"
    "#define VL_PRINTF collider_verilated_print\n#define VL_USER_FINISH\n#define VL_USER_STOP\n"
    "#define VL_USER_FATAL\n#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n";

static const char waves_text[] = "#include \"verilated_fst_c.cpp\"\n";

static const sim_compiler cxx_compiler = {.what = "the C++ compiler",
                                          .language = "C++ compiler",
                                          .package = "the package g++",
                                          .variable = "CXX",
                                          .usual = "c++",
                                          .makes = "design",
                                          .most_shown = 300,
                                          .flags = (const char *const[]){FLAGS, NULL}};

col_status duv_compiler_describe(base_text *description, col_problem *problem) {
    BASE_TRY(sim_compiler_describe(&cxx_compiler, description, problem));
    base_text_add_bytes(description, (const char *)duv_verilator_header, duv_verilator_header_size);
    return base_text_status(description, problem);
}

/* ---- Units. */

typedef struct unit {
    char name[NAME];
    bool is_slow; /* runs once, or hardly ever */
    size_t bytes;
    base_text text;
    base_process child;
    int log;
} unit;

typedef struct compilation {
    const char *folder, *runtime;
    unit units[MOST_UNITS];
    uint32_t count;
    bool traces;
    base_patience *patience;
    col_problem *problem;
} compilation;

static unit *new_unit(compilation *w, bool is_slow) {
    unit *u = &w->units[w->count];
    (void)snprintf(u->name, sizeof u->name, "unit%u", w->count++);
    u->is_slow = is_slow;
    u->log = -1;
    return u;
}

/* The last unit of this kind that has room. */
static unit *unit_for(compilation *w, bool is_slow, size_t bytes) {
    for (uint32_t i = w->count; i-- > 0;)
        if (w->units[i].is_slow == is_slow &&
            (w->units[i].bytes + bytes <= MOST_UNIT_BYTES || w->count == MOST_UNITS))
            return &w->units[i];
    return new_unit(w, is_slow);
}

static bool is_slow_file(const char *name) {
    return strstr(name, "Slow.cpp") != NULL || strstr(name, "__Syms.cpp") != NULL ||
           strstr(name, "__ConstPool_") != NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_model_source(const struct dirent *entry) {
    return strncmp(entry->d_name, "Vdesign", 7) == 0 && base_path_ends(entry->d_name, ".cpp");
}

static col_status collect_units(compilation *w, const base_text *wrapper) {
    struct dirent **entries = NULL;
    base_text_add(&new_unit(w, true)->text, runtime_text);
    unit *own = new_unit(w, false);
    own->bytes = MOST_UNIT_BYTES;
    base_text_add_bytes(&own->text, wrapper->data, wrapper->length);
    w->units[0].bytes = MOST_UNIT_BYTES;
    if (w->traces)
        base_text_add(&new_unit(w, true)->text, waves_text);
    const int count = scandir(w->folder, &entries, is_model_source, by_name);
    if (count < 0)
        return base_fail(w->problem, "cannot read %.400s: %s", w->folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct stat about = {0};
        char path[PATH_MAX];
        if (base_path_in(path, w->folder, entries[i]->d_name, NULL) == COL_OK)
            (void)stat(path, &about);
        const size_t bytes = (size_t)about.st_size;
        unit *u = unit_for(w, is_slow_file(entries[i]->d_name), bytes);
        u->bytes += bytes;
        base_text_print(&u->text, "#include \"%s\"\n", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return COL_OK;
}

static col_status write_file(const compilation *w, const char *name, const char *bytes,
                             size_t length) {
    char path[PATH_MAX];
    BASE_TRY(base_path_in(path, w->folder, name, w->problem));
    return base_file_write(path, bytes, length, w->problem);
}

static col_status write_units(compilation *w) {
    col_status status = write_file(w, "verilator.hpp", (const char *)duv_verilator_header,
                                   duv_verilator_header_size);
    for (uint32_t i = 0; i < w->count && status == COL_OK; i++) {
        char name[NAME + 8];
        (void)snprintf(name, sizeof name, "%s.cpp", w->units[i].name);
        status = base_text_status(&w->units[i].text, w->problem);
        if (status == COL_OK)
            status = write_file(w, name, w->units[i].text.data, w->units[i].text.length);
    }
    return status;
}

/* ---- The compiler. */

static col_status judge(const compilation *w, const char *name, base_tool_end end) {
    char log[PATH_MAX];
    (void)snprintf(log, sizeof log, "%s/%s.log", w->folder, name);
    return sim_compiler_judge(&cxx_compiler, end, w->patience, log, w->problem);
}

static int open_log(const compilation *w, const char *name) {
    char log[PATH_MAX];
    (void)snprintf(log, sizeof log, "%s/%s.log", w->folder, name);
    return open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static col_status start(compilation *w, unit *u) {
    char model[PATH_MAX], runtime[PATH_MAX], standard[PATH_MAX + 16], source[PATH_MAX];
    char object[PATH_MAX];
    const char *const arguments[] = {sim_compiler_name(&cxx_compiler),
                                     FLAGS,
                                     w->traces ? "-DVM_TRACE=1" : "-DVM_TRACE=0",
                                     u->is_slow ? "-O1" : sim_compiler_optimisation(),
                                     model,
                                     runtime,
                                     standard,
                                     "-c",
                                     "-o",
                                     object,
                                     source,
                                     NULL};
    (void)snprintf(model, sizeof model, "-I%s", w->folder);
    (void)snprintf(runtime, sizeof runtime, "-I%s", w->runtime);
    (void)snprintf(standard, sizeof standard, "-I%s/vltstd", w->runtime); /* svdpi.h */
    (void)snprintf(source, sizeof source, "%s/%s.cpp", w->folder, u->name);
    (void)snprintf(object, sizeof object, "%s/%s.o", w->folder, u->name);
    u->log = open_log(w, u->name);
    if (u->log < 0)
        return base_fail(w->problem, "cannot write to %.400s: %s", w->folder, strerror(errno));
    const base_tool tool = {.what = cxx_compiler.what,
                            .arguments = arguments,
                            .temporary = w->folder,
                            .output = u->log};
    const col_status status = base_tool_start(&u->child, &tool, &w->patience->before, w->problem);
    (void)close(u->log);
    if (status != COL_OK)
        u->child.id = 0;
    return status;
}

/* Those that have ended; false: the compiler did not accept one. */
static col_status reap(compilation *w, uint32_t *running) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < w->count; i++) {
        int ended = 0;
        if (w->units[i].child.id == 0 || !base_process_has_ended(&w->units[i].child, &ended))
            continue;
        (*running)--;
        if (status == COL_OK)
            status = judge(w, w->units[i].name, base_tool_judge(ended));
    }
    return status;
}

static col_status compile_units(compilation *w) {
    const uint32_t most = base_processors();
    uint32_t next = 0, running = 0;
    col_status status = COL_OK;
    while (status == COL_OK && (next < w->count || running > 0)) {
        while (status == COL_OK && next < w->count && running < most) {
            status = start(w, &w->units[next++]);
            running += status == COL_OK;
        }
        if (!base_patience_wait(w->patience) && status == COL_OK)
            status = base_fail(w->problem, "compiling the design was interrupted");
        if (status == COL_OK)
            status = reap(w, &running);
    }
    for (uint32_t i = 0; i < w->count; i++)
        if (w->units[i].child.id != 0)
            (void)base_process_end(&w->units[i].child);
    return status;
}

static col_status join_units(compilation *w) {
    static const char *const first[] = {"-shared", "-Wl,-Bsymbolic", "-o"};
    char paths[MOST_UNITS + 1][PATH_MAX];
    const char *arguments[MOST_UNITS + 8] = {sim_compiler_name(&cxx_compiler), first[0], first[1],
                                             first[2], paths[0]};
    base_tool_end end = BASE_TOOL_DONE;
    (void)snprintf(paths[0], sizeof paths[0], "%s/design.so", w->folder);
    for (uint32_t i = 0; i < w->count; i++) {
        (void)snprintf(paths[i + 1], sizeof paths[0], "%s/%s.o", w->folder, w->units[i].name);
        arguments[5 + i] = paths[i + 1];
    }
    if (w->traces)
        arguments[5 + w->count] = "-lz";
    const int log = open_log(w, "link");
    if (log < 0)
        return base_fail(w->problem, "cannot write to %.400s: %s", w->folder, strerror(errno));
    const base_tool tool = {
        .what = cxx_compiler.what, .arguments = arguments, .temporary = w->folder, .output = log};
    const col_status status = base_tool_run(&tool, w->patience, &end, w->problem);
    (void)close(log);
    return status == COL_OK ? judge(w, "link", end) : status;
}

col_status duv_verilog_compile(const char *folder, const char *runtime, const base_text *wrapper,
                               bool traces, base_patience *patience, col_problem *problem) {
    compilation *w = NULL;
    BASE_TRY(base_new(&w, 1, sizeof *w, problem));
    *w = (compilation){.folder = folder,
                       .runtime = runtime,
                       .traces = traces,
                       .patience = patience,
                       .problem = problem};
    col_status status = collect_units(w, wrapper);
    if (status == COL_OK)
        status = write_units(w);
    if (status == COL_OK)
        status = compile_units(w);
    if (status == COL_OK)
        status = join_units(w);
    for (uint32_t i = 0; i < w->count; i++)
        base_text_free(&w->units[i].text);
    free(w);
    return status;
}
