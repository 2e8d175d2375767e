/* SPDX-License-Identifier: MIT */
/* What a design is: see identity.h. Parts of what is hashed are told apart by their lengths. */
#include "duv/identity.h"

#include "base/file.h"
#include "sim/design.h"
#include "sim/design_error.h"
#include "slicc/translate.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Everything goes into the whole, and what is said between begin_part and end_part into a part. */
typedef struct hasher {
    XXH3_state_t whole, part;
    bool has_part;
    col_status status; /* of memory: what cannot be read is hashed as such */
    col_error *error;
} hasher;

static void add_bytes(hasher *h, const char *bytes, size_t length) {
    const uint64_t size = length;
    XXH3_state_t *const states[] = {&h->whole, &h->part};
    for (int i = 0; i < 2; i++) {
        (void)XXH3_128bits_update(states[i], &size, sizeof size);
        (void)XXH3_128bits_update(states[i], bytes, length);
    }
    h->has_part = true;
}

static void add_word(hasher *h, const char *word) {
    add_bytes(h, word, strlen(word));
}

static void begin_part(hasher *h) {
    (void)XXH3_128bits_reset(&h->part);
    h->has_part = false;
}

static void finish(const XXH3_state_t *state, char hash[DUV_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits_digest(state);
    (void)snprintf(hash, DUV_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

static void end_part(const hasher *h, char hash[DUV_HASH]) {
    if (h->has_part)
        finish(&h->part, hash);
}

/* What the user's files are is hashed, also that they are wrong; a machine that fails us is not. */
static bool is_done(hasher *h, col_status status, const col_error *problem) {
    if (status == COL_FAILURE && h->status == COL_OK) {
        h->status = status;
        if (h->error != NULL)
            *h->error = *problem;
    }
    return status == COL_OK;
}

static void add_file(hasher *h, const char *path) {
    col_text text = {0};
    col_error problem;
    if (is_done(h, col_file_read(path, &text, &problem), &problem))
        add_bytes(h, text.data == NULL ? "" : text.data, text.length);
    else
        add_word(h, "cannot be read");
    col_text_free(&text);
}

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

/* ---- A simulated design. */

/* Its own file, if it has one. */
static void add_design_file(hasher *h, const char *what) {
    sim_design_list list;
    col_error problem;
    if (ends_with(what, ".yaml") || ends_with(what, ".yml")) {
        add_file(h, what);
        return;
    }
    if (!is_done(h, sim_design_list_make(&list, &problem), &problem))
        return;
    const sim_design_entry *entry = sim_design_list_find(&list, what);
    if (entry != NULL && entry->path[0] != '\0')
        add_file(h, entry->path);
    sim_design_list_free(&list);
}

/* Of a user's protocol: the C that it becomes, which follows from its files. */
static void add_protocol(hasher *h, const sim_design *design) {
    col_text c = {0}, complaints = {0};
    col_error problem;
    char name[SLICC_MOST_NAME];
    if (design->plugin.source[0] == '\0')
        add_word(h, sim_built_in_hash(design->protocol));
    else if (is_done(h, slicc_translate(design->plugin.source, &c, name, &complaints, &problem),
                     &problem))
        add_bytes(h, c.data, c.length);
    col_text_free(&c);
    col_text_free(&complaints);
}

static void add_error(hasher *h, const char *name, const sl_protocol *protocol) {
    sim_design_error *wrong = NULL;
    col_error problem;
    if (is_done(h, sim_design_error_open(&wrong, name, protocol, &problem), &problem))
        add_file(h, wrong->path);
    else
        add_word(h, "no such error");
    sim_design_error_free(wrong);
}

static void add_opened(hasher *h, const sim_design *design, const char *error_name,
                       duv_identity *identity) {
    begin_part(h);
    add_protocol(h, design);
    end_part(h, identity->protocol);
    begin_part(h);
    if (error_name != NULL)
        add_error(h, error_name, design->protocol);
    end_part(h, identity->error);
    identity->cores = design->wiring.cores;
}

static void add_simulated(hasher *h, const char *what, const char *error_name,
                          duv_identity *identity) {
    sim_design design;
    col_text complaints = {0};
    col_error problem;
    identity->cores = SIM_USUAL_CORES;
    add_design_file(h, what);
    end_part(h, identity->file);
    /* The number of cores matters to the wiring alone, which is the file's and the protocol's. */
    if (is_done(h, sim_design_open(&design, what, 0, &complaints, &problem), &problem)) {
        add_opened(h, &design, error_name, identity);
        sim_design_close(&design);
    } else {
        add_word(h, "cannot be opened");
    }
    col_text_free(&complaints);
}

col_status duv_identify(duv_identity *identity, const char *design, const char *error_name,
                        col_error *error) {
    hasher h = {.error = error};
    XXH3_INITSTATE(&h.whole);
    XXH3_INITSTATE(&h.part);
    (void)XXH3_128bits_reset(&h.whole);
    *identity = (duv_identity){0};
    begin_part(&h);
    if (ends_with(design, ".so")) {
        add_file(&h, design);
        end_part(&h, identity->file);
    } else {
        add_simulated(&h, design, error_name, identity);
    }
    finish(&h.whole, identity->whole);
    return h.status;
}
