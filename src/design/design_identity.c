/* SPDX-License-Identifier: MIT */
/* What a design is: see design_identity.h, and design_identity.h for what the kinds of designs say
 * it with. */
#include "design/design_identity.h"

#include "base/file.h"
#include "base/hash.h"
#include "design/design_kind.h"

#include <stdio.h>
#include <string.h>

struct duv_hasher {
    XXH3_state_t whole, part;
    bool has_part;
    col_status status; /* of memory: what cannot be read is hashed as such */
    col_problem *problem;
};

void duv_hash_bytes(duv_hasher *h, const char *bytes, size_t length) {
    const uint64_t size = length;
    XXH3_state_t *const states[] = {&h->whole, &h->part};
    for (int i = 0; i < 2; i++) {
        (void)XXH3_128bits_update(states[i], &size, sizeof size);
        (void)XXH3_128bits_update(states[i], bytes, length);
    }
    h->has_part = true;
}

void duv_hash_word(duv_hasher *h, const char *word) {
    duv_hash_bytes(h, word, strlen(word));
}

void duv_hash_begin(duv_hasher *h) {
    (void)XXH3_128bits_reset(&h->part);
    h->has_part = false;
}

static void finish(const XXH3_state_t *state, char hash[DUV_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits_digest(state);
    (void)snprintf(hash, DUV_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

void duv_hash_end(const duv_hasher *h, char hash[DUV_HASH]) {
    if (h->has_part)
        finish(&h->part, hash);
}

bool duv_hash_done(duv_hasher *h, col_status status, const col_problem *problem) {
    if (status == COL_FAILURE && h->status == COL_OK) {
        h->status = status;
        if (h->problem != NULL)
            *h->problem = *problem;
    }
    return status == COL_OK;
}

void duv_hash_file(duv_hasher *h, const char *path) {
    base_text text = {0};
    col_problem problem;
    if (duv_hash_done(h, base_file_read_regular(path, &text, &problem), &problem))
        duv_hash_bytes(h, text.data == NULL ? "" : text.data, text.length);
    else
        duv_hash_word(h, "cannot be read");
    base_text_free(&text);
}

col_status duv_identify(duv_identity *identity, const char *design, const char *error_name,
                        col_problem *problem) {
    duv_hasher h = {.problem = problem};
    XXH3_INITSTATE(&h.whole);
    XXH3_INITSTATE(&h.part);
    (void)XXH3_128bits_reset(&h.whole);
    duv_hash_begin(&h);
    *identity = (duv_identity){0};
    duv_kind_of(design)->identify(&h, design, error_name, identity);
    finish(&h.whole, identity->whole);
    return h.status;
}
