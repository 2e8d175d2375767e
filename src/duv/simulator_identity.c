/* SPDX-License-Identifier: MIT */
/* What a design of the built-in simulator is: its file, its protocol, its design error. */
#include "duv/kind.h"
#include "sim/design.h"
#include "sim/design_error.h"
#include "sim/roles.h"
#include "slicc/translate.h"

/* Its own file, if it has one. */
static void add_design_file(duv_hasher *h, const char *what) {
    sim_design_list list;
    col_problem problem;
    if (sim_is_design_file(what)) {
        duv_hash_file(h, what);
        return;
    }
    if (!duv_hash_done(h, sim_design_list_make(&list, &problem), &problem))
        return;
    const sim_design_entry *entry = sim_design_list_find(&list, what);
    if (entry != NULL && entry->path[0] != '\0')
        duv_hash_file(h, entry->path);
    sim_design_list_free(&list);
}

/* Of a user's protocol: the C that it becomes, which follows from its files. */
static void add_protocol(duv_hasher *h, const sim_design *design) {
    base_text c = {0}, complaints = {0};
    col_problem problem;
    char name[SLICC_MOST_NAME];
    if (design->plugin.source[0] == '\0')
        duv_hash_word(
            h, sim_built_in_hash(design->roles != NULL ? design->roles->of : design->protocol));
    else if (duv_hash_done(h,
                           slicc_translate(design->plugin.source, &c, name, &complaints, &problem),
                           &problem))
        duv_hash_bytes(h, c.data, c.length);
    base_text_free(&c);
    base_text_free(&complaints);
}

static void add_error(duv_hasher *h, const char *name, const sl_protocol *protocol) {
    sim_design_error *wrong = NULL;
    col_problem problem;
    if (duv_hash_done(h, sim_design_error_open(&wrong, name, protocol, &problem), &problem))
        duv_hash_file(h, wrong->path);
    else
        duv_hash_word(h, "no such error");
    sim_design_error_free(wrong);
}

static void add_opened(duv_hasher *h, const sim_design *design, const char *error_name,
                       duv_identity *identity) {
    duv_hash_begin(h);
    add_protocol(h, design);
    duv_hash_end(h, identity->protocol);
    duv_hash_begin(h);
    if (error_name != NULL)
        add_error(h, error_name, design->protocol);
    duv_hash_end(h, identity->error);
    identity->cores = design->wiring.cores;
}

void duv_simulator_identify(duv_hasher *h, const char *what, const char *error_name,
                            duv_identity *identity) {
    sim_design design;
    base_text complaints = {0};
    col_problem problem;
    identity->cores = SIM_USUAL_CORES;
    add_design_file(h, what);
    duv_hash_end(h, identity->file);
    /* The number of cores matters to the wiring alone, which is the file's and the protocol's. */
    if (duv_hash_done(h, sim_design_open(&design, what, 0, &complaints, &problem), &problem)) {
        add_opened(h, &design, error_name, identity);
        sim_design_close(&design);
    } else {
        duv_hash_word(h, "cannot be opened");
    }
    base_text_free(&complaints);
}
