/* SPDX-License-Identifier: MIT */
/* The table of the kinds of designs, and what tells designs apart: see design_kind.h. */
#include "design/design_kind.h"

#include "base/file.h"
#include "base/plugin.h"
#include "base/yaml.h"
#include "design/command/command_file.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What all that the built-in simulator runs has in common. */
#define SIMULATED                                                                                  \
    .has_protocol = true, .takes_errors = true, .takes_mutants = true,                             \
    .identify = duv_simulator_identify, .gather = duv_simulator_gather,                            \
    .interface = &duv_simulator, .keys = duv_simulator_keys, .drawn = duv_simulator_drawn,         \
    .bench = duv_simulator_bench

static bool opens_any(const char *what) {
    (void)what;
    return true;
}

/* What all commands that run images have in common. */
#define COMMANDED                                                                                  \
    .identify = duv_command_identify, .interface = &duv_command, .wait = duv_command_wait,         \
    .expect = duv_command_expect, .programs = duv_command_programs

#define VERILOG                                                                                    \
    .identify = duv_verilog_identify, .has_waves = true, .load = duv_verilog_load,                 \
    .unload = base_plugin_unload

const duv_kind duv_kinds[] = {
    {
        .name = "a Verilog design",
        .form = "FILE.yaml",
        .summary = "a design file of kind verilog, in the simulator whose guest Collider is",
        .opens = duv_is_guest,
        .is_file = true,
        .identify = duv_verilog_identify,
        .gather = duv_verilog_gather,
        .load = duv_guest_load,
        .unload = base_plugin_unload,
    },
    {
        .name = "a command",
        .form = "serve:COMMAND",
        .summary = "a command that speaks the serve protocol",
        .opens = duv_is_serve,
        .is_code = true,
        .identify = duv_serve_identify,
        .interface = &duv_serve,
        .wait = duv_serve_wait,
    },
    {
        .name = "a plug-in",
        .form = "FILE.so",
        .summary = "a plug-in: native code",
        .opens = base_is_plugin,
        .is_file = true,
        .is_code = true,
        .identify = duv_plugin_identify,
        .load = duv_plugin_load,
        .unload = base_plugin_unload,
    },
    {
        .name = "a protocol",
        .form = "FILE.slicc, FILE.sm",
        .summary = "a protocol in SLICC, wired as the simulator sees fit",
        .opens = sim_is_protocol_file,
        .is_file = true,
        SIMULATED,
    },
    {
        .name = "a command",
        .form = "FILE.yaml",
        .summary = "a design file of kind command: a simulator that runs images",
        .opens = duv_is_command_file,
        .is_file = true,
        .is_code = true,
        COMMANDED,
    },
    {
        .name = "a Verilog design",
        .form = "FILE.yaml",
        .summary = "a design file of kind verilog: a memory system or chip for Verilator",
        .opens = duv_is_verilog,
        .is_file = true,
        .is_code = true,
        .gather = duv_verilog_gather,
        VERILOG,
    },
    {
        .name = "a design file",
        .form = "FILE.yaml",
        .summary = "a design file for the simulator",
        .opens = sim_is_design_file,
        .is_file = true,
        SIMULATED,
    },
    {
        .name = "the host",
        .form = "host",
        .summary = "the processors of this machine",
        .opens = duv_is_host,
        .identify = duv_host_identify,
        .interface = &duv_host,
    },
    {
        .name = "a command of the list",
        .form = "NAME",
        .summary = "an emulator of the list: collider design list",
        .opens = duv_is_named_command,
        COMMANDED,
    },
    {
        .name = "a Verilog design of the list",
        .form = "NAME",
        .summary = "a chip of the list, in Verilog: collider design list",
        .opens = duv_is_named_verilog,
        VERILOG,
    },
    {
        .name = "a design of the list",
        .form = "NAME",
        .summary = "a design of the list: collider design list",
        .opens = opens_any,
        SIMULATED,
    },
    {.name = NULL},
};

const duv_kind *duv_kind_of(const char *design) {
    const duv_kind *kind = duv_kinds;
    while (!kind->opens(design))
        kind++;
    return kind;
}

void duv_collect_nothing(void *state, uint64_t *hits) {
    (void)state;
    (void)hits;
}

bool duv_error_is_file(const char *error_name) {
    return sim_is_error_file(error_name) && error_name[duv_error_length(error_name)] == '\0';
}

size_t duv_error_length(const char *errors) {
    return sim_design_error_length(errors);
}

col_status duv_edit_read(const base_entry *entry, base_text *text) {
    return sim_error_edit_read(entry, text);
}

/* The kinds of design files. */

typedef struct search {
    const char *word;
    bool is_found;
} search;

static col_status look_at_key(const base_entry *entry, void *target) {
    search *s = target;
    const char *name = base_entry_name(entry), *text = base_entry_text(entry);
    if (name != NULL && strcmp(name, "kind") == 0 && text != NULL && strcmp(text, s->word) == 0)
        s->is_found = true;
    return COL_OK;
}

/* What is no YAML is nobody's; who opens it says so. */
static col_status look_into(const char *path, search *s) {
    base_text text = {0};
    base_yaml yaml;
    s->is_found = false;
    col_status status = base_file_read(path, &text, NULL);
    if (status == COL_OK)
        status = base_yaml_read(&yaml, text.data == NULL ? "" : text.data, text.length, path, NULL);
    if (status == COL_OK) {
        if (base_yaml_root(&yaml)->type == YAML_MAPPING_NODE)
            (void)base_yaml_each(&yaml, base_yaml_root(&yaml), "a design", look_at_key, s);
        base_yaml_free(&yaml);
    }
    base_text_free(&text);
    return status;
}

/* Most files of other designs are recognised by their bytes: without the word, and without what may
 * hide it from us, such as an escape or UTF-16, they are none of ours. No memory is needed for
 * that, so a design of another kind cannot fail to be one. A file that cannot be read may say
 * anything. */
static bool may_say(const char *path, const char *word) {
    char bytes[4096 + 1];
    const size_t overlap = strlen(word) - 1;
    size_t kept = 0, got;
    bool is_found = false;
    FILE *file = fopen(path, "rb");
    while (file != NULL && !is_found &&
           (got = fread(bytes + kept, 1, sizeof bytes - 1 - kept, file)) > 0) {
        const size_t length = kept + got;
        bytes[length] = '\0';
        is_found = strlen(bytes) < length || strpbrk(bytes, "\\\xfe\xff") != NULL ||
                   strstr(bytes, word) != NULL;
        kept = length < overlap ? length : overlap;
        memmove(bytes, bytes + length - kept, kept);
    }
    const bool is_unknown = file == NULL || ferror(file) != 0;
    if (file != NULL)
        (void)fclose(file);
    return is_found || is_unknown;
}

/* A machine that fails us cannot be reported from here: if it goes on failing, whoever opens the
 * design reports it. A pipe can be read only once, and is left to whoever opens it. */
bool duv_file_has_kind(const char *path, const char *word) {
    enum { LOOKS = 2 };
    search s = {.word = word};
    struct stat about;
    if (!sim_is_design_file(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        !may_say(path, word))
        return false;
    for (int i = 0; i < LOOKS && look_into(path, &s) == COL_FAILURE; i++) {
    }
    return s.is_found;
}

bool duv_find_listed(const char *name, const char *word, char path[PATH_MAX]) {
    return sim_design_list_path(name, path, PATH_MAX) && duv_file_has_kind(path, word);
}

/* ---- What a design is. */

struct duv_hasher {
    XXH3_state_t whole, part;
    bool has_part;
    col_status status; /* of memory: what cannot be read is hashed as such */
    col_problem *problem;
};

void duv_key_add(XXH3_state_t *state, const char *bytes, size_t length) {
    const uint64_t size = length;
    (void)XXH3_128bits_update(state, &size, sizeof size);
    (void)XXH3_128bits_update(state, bytes, length);
}

void duv_hash_bytes(duv_hasher *h, const char *bytes, size_t length) {
    duv_key_add(&h->whole, bytes, length);
    duv_key_add(&h->part, bytes, length);
    h->has_part = true;
}

void duv_hash_word(duv_hasher *h, const char *word) {
    duv_hash_bytes(h, word, strlen(word));
}

void duv_hash_begin(duv_hasher *h) {
    (void)XXH3_128bits_reset(&h->part);
    h->has_part = false;
}

void duv_key_spell(const XXH3_state_t *state, char hash[DUV_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits_digest(state);
    (void)snprintf(hash, DUV_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

void duv_hash_end(const duv_hasher *h, char hash[DUV_HASH]) {
    if (h->has_part)
        duv_key_spell(&h->part, hash);
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
    duv_key_spell(&h.whole, identity->whole);
    return h.status;
}
