/* SPDX-License-Identifier: MIT */
/* Finding a protocol: see protocols.h. */
#include "sim/protocols.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/plugin.h"
#include "sim/compiler.h"
#include "slicc/translate.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
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

/* One word for everything the plug-in depends on. */
static col_status find_key(const base_text *c, char key[BASE_KEY_SIZE], col_problem *problem) {
    base_text compiler = {0};
    const col_status status = sim_compiler_describe(&compiler, problem);
    if (status == COL_OK) {
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
    return status;
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
    col_status status = base_workshop_make(workshop, problem);
    if (status == COL_OK)
        status = write_sources(workshop->path, c, problem);
    if (status == COL_OK)
        status = sim_compiler_run(workshop->path, patience, problem);
    return status == COL_OK ? base_workshop_keep(workshop, "protocol.so", problem) : status;
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
    col_status status = find_key(c, key, problem);
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
    base_text c = {0};
    *plugin = (sim_plugin){0};
    if ((size_t)snprintf(plugin->source, sizeof plugin->source, "%s", path) >=
        sizeof plugin->source)
        return base_refuse(problem, "the path of the protocol is too long");
    col_status status = slicc_translate_mutant(path, mutations, &c, name, complaints, problem);
    if (status == COL_OK)
        status = load(plugin, &c, problem);
    base_text_free(&c);
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
