/* SPDX-License-Identifier: MIT */
/* Finding a protocol: see protocols.h. */
#include "sim/protocols.h"

#include "base/file.h"
#include "base/folder.h"
#include "slicc/translate.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The text of include/collider/protocol.h, which plug-ins are compiled against. */
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

static col_status cache_folder(char *folder, size_t size, col_error *error) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if ((cache == NULL || cache[0] != '/') && (home == NULL || home[0] != '/'))
        return col_refuse(error, "compiled protocols need a place: set HOME or XDG_CACHE_HOME");
    if (cache != NULL && cache[0] == '/')
        length = snprintf(folder, size, "%s/collider", cache);
    else
        length = snprintf(folder, size, "%s/.cache/collider", home);
    if (length < 0 || (size_t)length >= size)
        return col_refuse(error, "the path of the cache folder is too long");
    return COL_OK;
}

/* How hard the compiler tries: -O2, or what a user says who compiles much and runs little. */
static const char *optimisation(void) {
    static const char *const known[] = {"-O0", "-O1", "-O2", "-O3"};
    const char *said = getenv("COLLIDER_OPTIMISATION");
    for (int i = 0; said != NULL && i < 4; i++)
        if (strcmp(said, known[i]) == 0)
            return known[i];
    return "-O2";
}

/* One word for everything the plug-in depends on. */
static void name_of(const col_text *c, char hash[40]) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, c->data, c->length);
    (void)XXH3_128bits_update(&state, sim_protocol_header, sim_protocol_header_size);
    (void)XXH3_128bits_update(&state, optimisation(), strlen(optimisation()));
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    (void)snprintf(hash, 40, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

/* Runs the compiler; its words go to a file beside the result. */
static col_status run_compiler(const char *folder, const char *source, const char *object,
                               col_error *error) {
    char include[1200], log[1200];
    const char *compiler = getenv("CC") != NULL ? getenv("CC") : "cc";
    const char *optimise = optimisation();
    (void)snprintf(include, sizeof include, "-I%s/include", folder);
    (void)snprintf(log, sizeof log, "%s.log", source);
    const pid_t child = fork();
    if (child < 0)
        return col_fail(error, "cannot start the C compiler: %s", strerror(errno));
    if (child == 0) { /* no stdio: it would write what the parent has not yet written */
        const int words = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (words < 0 || dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0)
            _exit(126);
        execlp(compiler, compiler, "-std=c17", optimise, "-w", "-shared", "-fPIC", include, "-o",
               object, source, (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return col_fail(error, "there is no C compiler '%s'; install gcc, or name one in CC",
                        compiler);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return col_fail(error, "the C compiler does not accept the translated protocol; see %s",
                        log);
    (void)unlink(log);
    return COL_OK;
}

/* Writes header and source, compiles, and puts the result in place in one step. */
static col_status build_plugin(const char *folder, const char *hash, const col_text *c,
                               const char *object, col_error *error) {
    char path[1100], source[1100], temporary[1100];
    (void)snprintf(path, sizeof path, "%s/include/collider", folder);
    col_status status = col_folder_make(path, error);
    (void)snprintf(path, sizeof path, "%s/include/collider/protocol.h", folder);
    (void)snprintf(source, sizeof source, "%s/%s.c", folder, hash);
    (void)snprintf(temporary, sizeof temporary, "%s/%s-%ld.so", folder, hash, (long)getpid());
    if (status == COL_OK)
        status = col_file_write(path, (const char *)sim_protocol_header, sim_protocol_header_size,
                                error);
    if (status == COL_OK)
        status = col_file_write(source, c->data, c->length, error);
    if (status == COL_OK)
        status = run_compiler(folder, source, temporary, error);
    if (status == COL_OK && rename(temporary, object) != 0)
        status = col_fail(error, "cannot write %s: %s", object, strerror(errno));
    return status;
}

static col_status open_plugin(sim_plugin *plugin, col_error *error) {
    plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (plugin->handle == NULL)
        return col_fail(error, "cannot load %s: %s", plugin->path, dlerror());
    plugin->protocol = dlsym(plugin->handle, "col_protocol_entry");
    if (plugin->protocol == NULL || plugin->protocol->abi != SL_ABI) {
        sim_plugin_close(plugin);
        return col_refuse(error, "%s is not a protocol compiled by this version of Collider",
                          plugin->path);
    }
    return COL_OK;
}

col_status sim_plugin_compile_mutant(sim_plugin *plugin, const char *path,
                                     slicc_mutations *mutations, col_text *complaints,
                                     col_error *error) {
    char folder[900], hash[40], name[SLICC_MOST_NAME];
    col_text c = {0};
    *plugin = (sim_plugin){0};
    if ((size_t)snprintf(plugin->source, sizeof plugin->source, "%s", path) >=
        sizeof plugin->source)
        return col_refuse(error, "the path of the protocol is too long");
    col_status status = slicc_translate_mutant(path, mutations, &c, name, complaints, error);
    if (status == COL_OK)
        status = cache_folder(folder, sizeof folder, error);
    if (status == COL_OK) {
        name_of(&c, hash);
        (void)snprintf(plugin->path, sizeof plugin->path, "%s/%s.so", folder, hash);
        if (access(plugin->path, R_OK) != 0) {
            status = build_plugin(folder, hash, &c, plugin->path, error);
            plugin->compiled = true;
        }
    }
    col_text_free(&c);
    return status == COL_OK ? open_plugin(plugin, error) : status;
}

col_status sim_plugin_compile(sim_plugin *plugin, const char *path, col_text *complaints,
                              col_error *error) {
    return sim_plugin_compile_mutant(plugin, path, NULL, complaints, error);
}

void sim_plugin_close(sim_plugin *plugin) {
    if (plugin->handle != NULL)
        (void)dlclose(plugin->handle);
    *plugin = (sim_plugin){0};
}
