/* SPDX-License-Identifier: MIT */
/* Finding a protocol: see protocol_library.h. */
#include "protocol/simulate/protocol_library.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text of include/collider/protocol.h, its parts joined, which plug-ins are compiled against.
 */
extern const unsigned char sim_protocol_header[];
extern const size_t sim_protocol_header_size;

const sl_protocol *sim_built_in_find(const char *name) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

const char *sim_built_in_hash(const sl_protocol *protocol) {
    for (size_t i = 0; sim_built_in[i] != NULL; i++)
        if (sim_built_in[i] == protocol)
            return sim_built_in_hashes[i];
    return "";
}

/* Compilers of the system. */

const char *sim_compiler_name(const sim_compiler *c) {
    const char *named = getenv(c->variable);
    return named != NULL && named[0] != '\0' ? named : c->usual;
}

const char *sim_compiler_optimisation(void) {
    static const char *const known[] = {"-O0", "-O1", "-O2", "-O3"};
    const char *said = getenv("COLLIDER_OPTIMISATION");
    for (int i = 0; said != NULL && i < 4; i++)
        if (strcmp(said, known[i]) == 0)
            return known[i];
    return "-O2";
}

static col_status refuse_missing(const sim_compiler *c, col_problem *problem) {
    return base_fail(problem, "there is no %s '%.200s'; install %s, or name one in %s", c->language,
                     sim_compiler_name(c), c->package, c->variable);
}

col_status sim_compiler_describe(const sim_compiler *c, base_text *description,
                                 col_problem *problem) {
    const char *const arguments[] = {sim_compiler_name(c), "--version", NULL};
    const base_tool tool = {.what = c->what, .arguments = arguments};
    base_tool_end end = BASE_TOOL_DONE;
    BASE_TRY(base_tool_ask(&tool, description, &end, problem));
    if (end == BASE_TOOL_MISSING)
        return refuse_missing(c, problem);
    if (end == BASE_TOOL_FAILED)
        return base_fail(problem, "%s '%.200s' does not tell its version", c->what,
                         sim_compiler_name(c));
    for (const char *const *flag = c->flags; *flag != NULL; flag++)
        base_text_print(description, " %s", *flag);
    base_text_print(description, " %s", sim_compiler_optimisation());
    return base_text_status(description, problem);
}

/* The first line of what it said that names an error, or its first line. */
col_status sim_compiler_judge(const sim_compiler *c, base_tool_end end,
                              const base_patience *patience, const char *log,
                              col_problem *problem) {
    if (patience->came != 0)
        return base_fail(problem, "compiling the %s was interrupted", c->makes);
    if (end == BASE_TOOL_MISSING)
        return refuse_missing(c, problem);
    if (end == BASE_TOOL_DONE)
        return COL_OK;
    base_text said = {0};
    (void)base_file_read(log, &said, NULL);
    const char *text = said.data == NULL ? "" : said.data, *line = strstr(text, "error");
    while (line != NULL && line > text && line[-1] != '\n')
        line--;
    line = line == NULL ? text : line;
    const size_t length = strcspn(line, "\n");
    const col_status status =
        base_fail(problem, "%s '%.100s' does not accept the translated %s: %.*s", c->what,
                  sim_compiler_name(c), c->makes,
                  length > (size_t)c->most_shown ? c->most_shown : (int)length,
                  length == 0 ? "it does not say why" : line);
    base_text_free(&said);
    return status;
}

/* ---- Compiling protocols. */

/* A protocol may read a deallocated record that has been reused for another type: what it reads
 * must be what was written last, so that checks see it. */
#define FLAGS "-std=c17", "-w", "-shared", "-fPIC", "-fno-strict-aliasing"

static const sim_compiler c_compiler = {.what = "the C compiler",
                                        .language = "C compiler",
                                        .package = "gcc",
                                        .variable = "CC",
                                        .usual = "cc",
                                        .makes = "protocol",
                                        .most_shown = 200,
                                        .flags = (const char *const[]){FLAGS, NULL}};

/* Compiles FOLDER/protocol.c into FOLDER/protocol.so; what it writes besides stays in the folder.
 */
static col_status compile_folder(const char *folder, base_patience *patience,
                                 col_problem *problem) {
    char log[PATH_MAX], include[PATH_MAX], source[PATH_MAX], object[PATH_MAX];
    (void)snprintf(log, sizeof log, "%s/log", folder);
    (void)snprintf(include, sizeof include, "-I%s", folder);
    (void)snprintf(source, sizeof source, "%s/protocol.c", folder);
    (void)snprintf(object, sizeof object, "%s/protocol.so", folder);
    const int words = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (words < 0)
        return base_fail(problem, "cannot write %s: %s", log, strerror(errno));
    const char *const arguments[] = {sim_compiler_name(&c_compiler),
                                     FLAGS,
                                     sim_compiler_optimisation(),
                                     include,
                                     "-o",
                                     object,
                                     source,
                                     NULL};
    const base_tool tool = {
        .what = c_compiler.what, .arguments = arguments, .temporary = folder, .output = words};
    base_tool_end end = BASE_TOOL_DONE;
    const col_status status = base_tool_run(&tool, patience, &end, problem);
    (void)close(words);
    return status == COL_OK ? sim_compiler_judge(&c_compiler, end, patience, log, problem) : status;
}

/* Header and source, for the compiler. */
static col_status write_sources(const char *folder, const base_text *c, col_problem *problem) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/collider", folder);
    if (mkdir(path, 0700) != 0)
        return base_fail(problem, "cannot make the folder %s: %s", path, strerror(errno));
    (void)snprintf(path, sizeof path, "%s/collider/protocol.h", folder);
    const col_status status =
        base_file_write(path, (const char *)sim_protocol_header, sim_protocol_header_size, problem);
    (void)snprintf(path, sizeof path, "%s/protocol.c", folder);
    return status == COL_OK ? base_file_write(path, c->data, c->length, problem) : status;
}

static col_status build(base_workshop *workshop, const base_text *c, base_patience *patience,
                        col_problem *problem) {
    static const char *const files[] = {"collider/protocol.h", "collider", "protocol.c", "log",
                                        "protocol.so",         NULL};
    workshop->files = files;
    BASE_TRY(base_workshop_make(workshop, problem));
    BASE_TRY(write_sources(workshop->path, c, problem));
    BASE_TRY(compile_folder(workshop->path, patience, problem));
    return base_workshop_keep(workshop, "protocol.so", problem);
}

/* Compiles, unless another process did meanwhile; `file` is then the plug-in. */
static col_status compile(const base_cache *cache, const char *key, const base_text *c, int *file,
                          uint64_t *hash, bool *compiled, col_problem *problem) {
    base_workshop workshop;
    base_patience patience;
    base_patience_start(&patience);
    col_status status = base_workshop_open(&workshop, cache, key, &patience, problem);
    if (status == COL_OK && (*file = base_cache_find(cache, key, hash)) < 0) {
        *compiled = true;
        status = build(&workshop, c, &patience, problem);
        if (status == COL_OK && (*file = base_cache_find(cache, key, hash)) < 0)
            status = base_fail(problem, "the plug-in in %.400s changed while it was written",
                               cache->path);
    }
    base_workshop_close(&workshop);
    base_patience_end(&patience);
    return status;
}

/* The very file that was checked is loaded, whatever has its name by now. */
static col_status open_plugin(sim_plugin *plugin, int file, uint64_t hash, col_problem *problem) {
    const col_status status = base_plugin_open(plugin->path, file, hash, &plugin->handle, problem);
    (void)close(file);
    if (status != COL_OK)
        return status;
    plugin->protocol = dlsym(plugin->handle, "col_protocol_entry");
    if (plugin->protocol != NULL && plugin->protocol->abi == SL_ABI)
        return COL_OK;
    char rejected[sizeof plugin->path];
    memcpy(rejected, plugin->path, sizeof rejected);
    sim_plugin_close(plugin);
    return base_fail(problem, "%.400s is not a protocol compiled by this version of Collider",
                     rejected);
}

static col_status load(sim_plugin *plugin, const base_text *c, col_problem *problem) {
    char key[BASE_KEY_SIZE];
    base_cache cache;
    uint64_t hash = 0;
    base_text compiler = {0};
    col_status status = sim_compiler_describe(&c_compiler, &compiler, problem);
    if (status == COL_OK) { /* one key for everything the plug-in depends on */
        XXH3_state_t state;
        XXH3_INITSTATE(&state);
        (void)XXH3_128bits_reset(&state);
        (void)XXH3_128bits_update(&state, c->data, c->length);
        (void)XXH3_128bits_update(&state, sim_protocol_header, sim_protocol_header_size);
        (void)XXH3_128bits_update(&state, compiler.data, compiler.length);
        const XXH128_hash_t digest = XXH3_128bits_digest(&state);
        (void)snprintf(key, BASE_KEY_SIZE, "%016llx%016llx", (unsigned long long)digest.high64,
                       (unsigned long long)digest.low64);
    }
    base_text_free(&compiler);
    if (status == COL_OK)
        status = base_cache_open(&cache, problem);
    if (status != COL_OK)
        return status;
    (void)snprintf(plugin->path, sizeof plugin->path, "%s/%s.so", cache.path, key);
    int file = base_cache_find(&cache, key, &hash);
    if (file < 0)
        status = compile(&cache, key, c, &file, &hash, &plugin->compiled, problem);
    base_cache_close(&cache);
    return status == COL_OK ? open_plugin(plugin, file, hash, problem) : status;
}

col_status sim_plugin_compile_mutant(sim_plugin *plugin, const char *path,
                                     slicc_mutations *mutations, base_text *complaints,
                                     col_problem *problem) {
    char name[SLICC_MOST_NAME];
    base_text c = {0}, unread = {0};
    *plugin = (sim_plugin){0};
    if ((size_t)snprintf(plugin->source, sizeof plugin->source, "%s", path) >=
        sizeof plugin->source)
        return base_refuse(problem, "the path of the protocol is too long");
    col_status status = slicc_translate(path, mutations, &c, name,
                                        complaints == NULL ? &unread : complaints, problem);
    if (status == COL_OK)
        status = load(plugin, &c, problem);
    base_text_free(&c);
    base_text_free(&unread);
    return status;
}

col_status sim_plugin_compile(sim_plugin *plugin, const char *path, base_text *complaints,
                              col_problem *problem) {
    return sim_plugin_compile_mutant(plugin, path, NULL, complaints, problem);
}

void sim_plugin_close(sim_plugin *plugin) {
    if (plugin->handle != NULL)
        (void)dlclose(plugin->handle);
    *plugin = (sim_plugin){0};
}

/* Files of protocols by name. */

static bool is_in(const char *folder, const char *name, const char *ending,
                  char path[SIM_MOST_PATH]) {
    const int length = snprintf(path, SIM_MOST_PATH, "%s/%s/%s.%s", folder, name, name, ending);
    return length > 0 && length < SIM_MOST_PATH && access(path, R_OK) == 0;
}

bool sim_find_beside(const char *name, const char *ending, char path[SIM_MOST_PATH]) {
    const char *folder = getenv("COLLIDER_PROTOCOLS");
    char installed[SIM_MOST_PATH];
    return (folder != NULL && folder[0] != '\0' && is_in(folder, name, ending, path)) ||
           (base_installed_folder("protocols", installed, sizeof installed) &&
            is_in(installed, name, ending, path)) ||
           is_in(COLLIDER_SOURCE_PROTOCOLS, name, ending, path);
}
