/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * No saved search crashes the one that goes on from it, whatever somebody has put into it. An input
 * is a list of edits of small saves: of a search that ended and of one that did not, with and
 * without symmetry. The hash at the end is made good, else nothing behind it would be reached.
 */
#include "base/file.h"
#include "base/hash.h"
#include "fuzz.h"
#include "protocol/explore/search.h"
#include "protocol/simulate/protocol_library.h"

enum { KINDS = 8, HEAD = 160, MOST_EDITS = 16 };

static char path[64];
static base_text saves[KINDS];

static void clean_up(void) {
    (void)unlink(path);
}

static sim_system *make_system(void) {
    sim_system *made = NULL;
    sim_wiring wiring;
    const sl_protocol *p = sim_built_in_find("mi");
    require(sim_wiring_infer(&wiring, p, 2, NULL) == COL_OK);
    for (uint32_t m = 0; m < p->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++) {
            wiring.machines[m].caches[i].ways = 1;
            wiring.machines[m].caches[i].bytes = SL_BLOCK_BYTES;
        }
    wiring.core.mode = SIM_SIMPLE;
    require(sim_system_new(&made, p, &wiring, NULL) == COL_OK);
    return made;
}

/* One that ended is drawn, or tells how transitions are reached. */
static exp_exploration_settings settings_of(uint32_t kind) {
    return (exp_exploration_settings){.blocks = 1,
                                      .outstanding = 1,
                                      .use_symmetry = kind % 2 == 0,
                                      .wants_witnesses = kind / 2 % 2 == 0,
                                      .draws = kind / 2 % 2 != 0 && kind < KINDS / 2,
                                      .most_states = kind < KINDS / 2 ? 0 : 100,
                                      .identity = "fuzz"};
}

static void free_found(exp_exploration *found) {
    base_text_free(&found->trace);
    base_text_free(&found->drawing);
    exp_witnesses_free(&found->witnesses);
}

int LLVMFuzzerInitialize(int *count, char ***words) {
    (void)count;
    (void)words;
    name_file(path, "search");
    require(atexit(clean_up) == 0);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        exp_exploration_settings settings = settings_of(kind);
        exp_exploration found;
        sim_system *own = make_system();
        settings.save = path;
        require(exp_explore(own, &settings, &found, NULL) == COL_OK && found.saved);
        require(base_file_read(path, &saves[kind], NULL) == COL_OK);
        free_found(&found);
        sim_system_free(own);
        clean_up();
    }
    return 0;
}

/* Of four bytes each: a place, early or anywhere, and what becomes of the byte there. */
static void edit(base_text *save, const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 4 <= size && i < (size_t)4 * MOST_EDITS; i += 4) {
        const uint32_t number = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8;
        const size_t most = data[i + 3] % 2 == 0 ? HEAD : save->length - sizeof(uint64_t);
        char *byte = &save->data[number % most];
        *byte = (char)(data[i + 3] / 2 % 2 == 0 ? data[i + 2] : *byte + (char)data[i + 2]);
    }
}

static void write_save(base_text *save, size_t length) {
    if (length > sizeof(uint64_t)) {
        const uint64_t hash = XXH3_64bits(save->data, length - sizeof hash);
        memcpy(save->data + length - sizeof hash, &hash, sizeof hash);
    }
    put_file(path, save->data, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint32_t kind = size == 0 ? 0 : data[0] % KINDS;
    exp_exploration_settings settings = settings_of(kind);
    exp_exploration found;
    col_problem problem = {0};
    base_text save = {0};
    base_text_add_bytes(&save, saves[kind].data, saves[kind].length);
    require(!save.failed);
    if (size > 1)
        edit(&save, data + 1, size - 1);
    write_save(&save,
               size > 0 && data[0] >= 0xF0 ? save.length * (data[0] & 15) / 16 : save.length);
    settings.resume = path;
    settings.most_states = 2000;
    sim_system *own = make_system(); /* a search leaves to it what it took */
    const col_status status = exp_explore(own, &settings, &found, &problem);
    require_sentence(status, &problem);
    require(status == COL_OK || size > 1 || (size > 0 && data[0] >= 0xF0));
    free_found(&found);
    sim_system_free(own);
    base_text_free(&save);
    return 0;
}
