/* SPDX-License-Identifier: MIT */
/* Plug-ins: see plugin.h. */
#include "base/plugin.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/path.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool base_is_plugin(const char *what) {
    return base_path_ends(what, ".so");
}

/* Without a slash it would be looked for in the folders of libraries. */
col_status base_plugin_load(const char *what, const char *symbol, const void **found, void **code,
                            col_problem *problem) {
    char file[PATH_MAX];
    const char *folder = strchr(what, '/') == NULL ? "./" : "";
    if ((size_t)snprintf(file, sizeof file, "%s%s", folder, what) >= sizeof file)
        return base_refuse(problem, "the path of the plug-in is too long");
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return base_refuse(problem, "cannot load the plug-in: %s", dlerror());
    *found = dlsym(plugin, symbol);
    if (*found == NULL) {
        (void)dlclose(plugin);
        return base_refuse(problem, "%.200s is not a plug-in: it does not define %s", what, symbol);
    }
    *code = plugin;
    return COL_OK;
}

void base_plugin_unload(void *code) {
    (void)dlclose(code);
}

/* The path of an open file. The loader takes files whose paths are spelled alike for one and the
 * same, so the number is part of the spelling: a "." more or less for each of its bits. */
static void spell_path(char path[256], int file, uint64_t number) {
    char *at = path + sprintf(path, "/proc/self/fd");
    for (int bit = 0; bit < 64; bit++)
        at += sprintf(at, (number >> bit & 1) != 0 ? "/." : "/");
    (void)sprintf(at, "/%d", file);
}

col_status base_plugin_open(const char *path, int file, uint64_t number, void **code,
                            col_problem *problem) {
    char spelled[256];
    spell_path(spelled, file, number);
    *code = dlopen(spelled, RTLD_NOW | RTLD_LOCAL);
    if (*code != NULL)
        return COL_OK;
    const char *reason = dlerror(), *colon = strstr(reason, ": ");
    return base_fail(problem, "cannot load %.400s: %.400s", path,
                     colon == NULL ? reason : colon + 2);
}

/* The cache of compiled plug-ins. */

#define PLUGIN ".so"
#define LOCK ".lock"

static col_status cannot(const char *what, const char *path, col_problem *problem) {
    return base_fail(problem, "cannot %s %.400s: %s", what, path, strerror(errno));
}

/* ---- The folder. */

/* The folder that caches are in, by the rules of freedesktop.org. */
static col_status find_parent(char *parent, size_t size, col_problem *problem) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool is_named = cache != NULL && cache[0] == '/';
    if (!is_named && (home == NULL || home[0] != '/'))
        return base_fail(problem, "what is compiled needs a place: set HOME or XDG_CACHE_HOME");
    const int length =
        snprintf(parent, size, "%s%s", is_named ? cache : home, is_named ? "" : "/.cache");
    return length < 0 || (size_t)length >= size
               ? base_fail(problem, "the path of the cache folder is too long")
               : COL_OK;
}

/* Ours alone: what is not ours would be code of someone else. */
static col_status check_folder(const base_cache *cache, col_problem *problem) {
    struct stat status;
    if (fstat(cache->folder, &status) != 0)
        return cannot("look at", cache->path, problem);
    if (status.st_uid != geteuid())
        return base_fail(problem,
                         "the cache folder %.400s belongs to another user; set XDG_CACHE_HOME to a "
                         "folder of your own",
                         cache->path);
    if ((status.st_mode & 077) != 0 && fchmod(cache->folder, 0700) != 0)
        return cannot("take others' rights from", cache->path, problem);
    return COL_OK;
}

col_status base_cache_open(base_cache *cache, col_problem *problem) {
    char parent[sizeof cache->path - sizeof "/collider"];
    cache->folder = -1;
    BASE_TRY(find_parent(parent, sizeof parent, problem));
    if (base_folder_make(parent, problem) != COL_OK)
        return COL_FAILURE; /* the machine's, not the input's */
    (void)snprintf(cache->path, sizeof cache->path, "%s/collider", parent);
    if (mkdir(cache->path, 0700) != 0 && errno != EEXIST)
        return cannot("make the cache folder", cache->path, problem);
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0)
        return cannot("open the cache folder", cache->path, problem);
    col_status status = check_folder(cache, problem);
    if (status != COL_OK)
        base_cache_close(cache);
    return status;
}

void base_cache_close(base_cache *cache) {
    if (cache->folder >= 0)
        (void)close(cache->folder);
    cache->folder = -1;
}

/* ---- Plug-ins. */

/* What stands behind a plug-in in its file; the loader does not look there. */
typedef struct seal {
    char mark[8];
    uint64_t size;
    uint64_t high, low; /* a hash of the content and the key */
} seal;

static const char mark[sizeof((seal *)0)->mark] = {'c', 'o', 'l', 'l', 'i', 'd', 'e', '1'};

static bool read_whole(int file, void *bytes, size_t count) {
    char *at = bytes;
    while (count > 0) {
        const ssize_t got = read(file, at, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

/* The seal of the next `size` bytes of the file. */
static bool make_seal(int file, uint64_t size, const char *key, seal *made) {
    static const size_t chunk_size = 1 << 16;
    unsigned char chunk[1 << 16];
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, key, strlen(key));
    for (uint64_t left = size; left > 0;) {
        const size_t part = left < chunk_size ? (size_t)left : chunk_size;
        if (!read_whole(file, chunk, part))
            return false;
        (void)XXH3_128bits_update(&state, chunk, part);
        left -= part;
    }
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    *made = (seal){.size = size, .high = digest.high64, .low = digest.low64};
    memcpy(made->mark, mark, sizeof made->mark);
    return true;
}

/* A regular file of ours that nobody else can write. */
static bool is_ours(int file, uint64_t *size) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 022) != 0 || status.st_size < 0)
        return false;
    *size = (uint64_t)status.st_size;
    return true;
}

static bool is_whole(int file, const char *key, uint64_t *hash) {
    uint64_t size = 0;
    seal expected, found;
    if (!is_ours(file, &size) || size <= sizeof found ||
        !make_seal(file, size - sizeof found, key, &expected) ||
        !read_whole(file, &found, sizeof found) || memcmp(&found, &expected, sizeof found) != 0)
        return false;
    *hash = expected.low;
    return true;
}

/* "KEY.so" */
static void name_file(char name[64], const char *key, const char *ending) {
    (void)snprintf(name, 64, "%.40s%s", key, ending);
}

int base_cache_find(const base_cache *cache, const char *key, uint64_t *hash) {
    char name[64];
    name_file(name, key, PLUGIN);
    const int file = openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || is_whole(file, key, hash))
        return file;
    (void)close(file);
    return -1;
}

/* Whatever has the name of a file of ours, in our own folder, but cannot be one. */
static void clear_name(const base_cache *cache, const char *name) {
    base_folder_remove(cache->path, name);
}

/* ---- Locks. */

/* As base_lock_at. What cannot be a lock is removed: a link, a folder, a file of someone else. */
static int try_lock(const base_cache *cache, const char *key) {
    char name[64];
    name_file(name, key, LOCK);
    const int lock = base_lock_at(cache->folder, name, 0600);
    if (lock >= 0 || (errno != ELOOP && errno != EISDIR && errno != EACCES && errno != ENXIO))
        return lock;
    clear_name(cache, name);
    return base_lock_at(cache->folder, name, 0600);
}

static void unlock(const base_cache *cache, const char *key, int lock) {
    char name[64];
    name_file(name, key, LOCK);
    (void)unlinkat(cache->folder, name, 0);
    (void)close(lock);
}

/* ---- Workshops. */

/* Is it the name of a lock or a workshop? Then its key. */
static bool has_key(const char *name, char key[BASE_KEY_SIZE]) {
    const size_t length = BASE_KEY_SIZE - 1;
    if (strspn(name, "0123456789abcdef") != length ||
        (name[length] != '-' && strcmp(name + length, LOCK) != 0))
        return false;
    memcpy(key, name, length);
    key[length] = '\0';
    return true;
}

/* Of this name, unless its owner lives. */
static void remove_left_over(const base_workshop *workshop, const char *name) {
    char key[BASE_KEY_SIZE], path[PATH_MAX];
    if (!has_key(name, key))
        return;
    const bool is_own = strcmp(key, workshop->key) == 0;
    const int lock = is_own ? -1 : try_lock(workshop->cache, key);
    if (!is_own && lock < 0)
        return;
    (void)snprintf(path, sizeof path, "%s/%s", workshop->cache->path, name);
    if (strchr(name, '-') != NULL)
        base_folder_remove_path(path);
    if (!is_own)
        unlock(workshop->cache, key, lock);
}

static void remove_left_overs(const base_workshop *workshop) {
    DIR *folder = opendir(workshop->cache->path);
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        remove_left_over(workshop, entry->d_name);
    (void)closedir(folder);
}

col_status base_workshop_open(base_workshop *workshop, const base_cache *cache, const char *key,
                              base_patience *patience, col_problem *problem) {
    *workshop = (base_workshop){.cache = cache, .key = key};
    while ((workshop->lock = try_lock(cache, key)) < 0) {
        if (errno != EWOULDBLOCK)
            return cannot("write to the cache folder", cache->path, problem);
        if (!base_patience_wait(patience))
            return base_fail(problem, "compiling was interrupted");
    }
    return COL_OK;
}

col_status base_workshop_make(base_workshop *workshop, col_problem *problem) {
    remove_left_overs(workshop);
    (void)snprintf(workshop->path, sizeof workshop->path, "%s/%s-XXXXXX", workshop->cache->path,
                   workshop->key);
    if (mkdtemp(workshop->path) != NULL) {
        workshop->listed = base_temporary_add(workshop->path);
        return COL_OK;
    }
    workshop->path[0] = '\0';
    return cannot("write to the cache folder", workshop->cache->path, problem);
}

/* Adds the seal, whatever the umask for us alone, and makes sure of the disk. */
static bool seal_file(int file, const char *key) {
    struct stat status;
    seal made;
    return fstat(file, &status) == 0 && make_seal(file, (uint64_t)status.st_size, key, &made) &&
           write(file, &made, sizeof made) == (ssize_t)sizeof made && fchmod(file, 0600) == 0 &&
           fsync(file) == 0;
}

/* Renames it, also where a folder has the name. */
static bool put(const base_cache *cache, const char *made, const char *name) {
    if (renameat(AT_FDCWD, made, cache->folder, name) == 0)
        return true;
    if (errno != EISDIR)
        return false;
    clear_name(cache, name);
    return renameat(AT_FDCWD, made, cache->folder, name) == 0;
}

col_status base_workshop_keep(const base_workshop *workshop, const char *plugin,
                              col_problem *problem) {
    char made[PATH_MAX], kept[PATH_MAX], name[64];
    name_file(name, workshop->key, PLUGIN);
    (void)snprintf(made, sizeof made, "%s/%s", workshop->path, plugin);
    (void)snprintf(kept, sizeof kept, "%s/%s", workshop->cache->path, name);
    errno = EIO; /* of a file that ends early */
    const int file = open(made, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    const bool is_sealed = file >= 0 && seal_file(file, workshop->key);
    const int reason = errno;
    if (file >= 0)
        (void)close(file);
    errno = reason;
    if (!is_sealed || !put(workshop->cache, made, name))
        return cannot("write", kept, problem);
    (void)fsync(workshop->cache->folder); /* without it the plug-in is compiled again, no more */
    return COL_OK;
}

void base_workshop_close(base_workshop *workshop) {
    if (workshop->path[0] != '\0') {
        base_folder_remove_files(workshop->path, workshop->files);
        base_temporary_forget(workshop->listed);
    }
    if (workshop->lock >= 0)
        unlock(workshop->cache, workshop->key, workshop->lock);
    workshop->lock = -1;
}
