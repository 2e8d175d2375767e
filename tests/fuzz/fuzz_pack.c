/* SPDX-License-Identifier: MIT */
/* No pack, which may be somebody else's, crashes its reader or has a name that leads out of a
 * folder, and what was read is written and read again as the same. */
#include "episode/failure/pack.h"
#include "fuzz.h"

static char path[64];

static void clean_up(void) {
    (void)unlink(path);
}

/* A name that a folder can have below it, without any way up or out. */
static bool stays(const char *name) {
    if (name[0] == '/' || name[0] == '\0' || strstr(name, "//") != NULL)
        return false;
    for (const char *at = name; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        const size_t length = strcspn(at, "/");
        if (length == 0 || strncmp(at, ".", length) == 0 || strncmp(at, "..", length) == 0)
            return false;
    }
    return true;
}

static void require_same(const epi_pack *pack, const epi_pack *again) {
    require(pack->count == again->count && pack->bytes == again->bytes);
    for (size_t i = 0; i < pack->count; i++)
        require(strcmp(pack->files[i].name, again->files[i].name) == 0 &&
                pack->files[i].length == again->files[i].length &&
                memcmp(pack->files[i].bytes, again->files[i].bytes, pack->files[i].length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    epi_pack pack = {0}, again = {0};
    col_problem problem = {0};
    if (path[0] == '\0') {
        name_file(path, "pack");
        require(atexit(clean_up) == 0);
    }
    const col_status status = epi_pack_parse(&pack, (const char *)data, size, "the pack", &problem);
    require_sentence(status, &problem);
    for (size_t i = 0; i < pack.count; i++)
        require(stays(pack.files[i].name));
    if (pack.count >= EPI_PACK_FILES) { /* also one without its right hash */
        require(epi_pack_write(&pack, path, &problem) == COL_OK);
        const col_status second = epi_pack_read(&again, path, &problem);
        require_sentence(second, &problem);
        require(status != COL_OK || second == COL_OK);
        if (second == COL_OK)
            require_same(&pack, &again);
    }
    epi_pack_free(&pack);
    epi_pack_free(&again);
    return 0;
}
