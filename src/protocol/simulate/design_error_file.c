/* SPDX-License-Identifier: MIT */
/*
 * Reading a file of a design error: see design_error.h. Names are checked when the protocol is
 * known, so every word keeps its place.
 */
#include "base/path.h"
#include "protocol/simulate/design_error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const sim_error_classes[SIM_ERROR_CLASS_COUNT + 1] = {
    [SIM_ERROR_SWMR] = "SWMR",         [SIM_ERROR_DATA_VALUE] = "data value",
    [SIM_ERROR_ORDERING] = "ordering", [SIM_ERROR_RACE] = "protocol race",
    [SIM_ERROR_CLASS_COUNT] = NULL,
};

/* ---- Words. */

static col_status read_word(const base_entry *entry, void *target) {
    const base_field word = {BASE_FIELD(base_entry_name(entry), BASE_STRING, sim_error_word, text),
                             .place = offsetof(sim_error_word, place)};
    return base_yaml_value(entry, &word, target);
}

static col_status read_item(const base_entry *entry, void *target) {
    sim_error_words *list = target;
    if (list->count == SIM_ERROR_WORDS)
        return base_refuse_value(entry, "%s lists at most %d actions", base_entry_name(entry),
                                 SIM_ERROR_WORDS);
    return read_word(entry, &list->words[list->count++]);
}

/* "MACHINE/STATE/EVENT": all three have the place of the whole. */
static col_status read_cell(const base_entry *entry, void *target) {
    sim_error_cell *cell = target;
    sim_error_word *const words[] = {&cell->machine, &cell->state, &cell->event};
    const char *text = base_entry_text(entry);
    const char *at = text == NULL ? "" : text;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t length = strcspn(at, "/");
        const char ending = i < 2 ? '/' : '\0';
        if (length == 0 || length >= sizeof words[i]->text || at[length] != ending)
            return base_refuse_value(entry, "%s is written MACHINE/STATE/EVENT, not '%.100s'",
                                     base_entry_name(entry), base_entry_shown(entry));
        memcpy(words[i]->text, at, length);
        words[i]->text[length] = '\0';
        words[i]->place = base_entry_place(entry);
        at += length + (i < 2);
    }
    return COL_OK;
}

/* ---- An edit. */

#define FIELD(word, form, member) BASE_FIELD(word, form, sim_error_edit, member)
#define FLAG(word, member)                                                                         \
    { FIELD(word, BASE_FLAG, member), .words = base_false_true }
/* NOLINTBEGIN(bugprone-macro-parentheses) -- members of members take none */
#define LIST(word, member)                                                                         \
    {                                                                                              \
        FIELD(word, BASE_ITEMS, member), .read = read_item,                                        \
                                         .is_said = offsetof(sim_error_edit, member.said)          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

static const base_field edit_fields[] = {
    {FIELD("at", BASE_OWN, at), .read = read_cell},
    {FIELD("next", BASE_OWN, next), .read = read_word},
    LIST("drop", drop),
    FLAG("remove", is_removed),
    FLAG("new", is_new),
    {FIELD("as", BASE_OWN, as), .read = read_cell},
    LIST("actions", actions),
    LIST("plus", plus),
    LIST("with", with),
    BASE_LAST_FIELD,
};

static bool is_said(const sim_error_cell *cell) {
    return cell->machine.text[0] != '\0';
}

/* What is wrong with the parts that an edit has; NULL: nothing. */
static const char *complain(const sim_error_edit *e) {
    const bool has_next = e->next.text[0] != '\0';
    const bool has_actions = e->actions.said || e->plus.said;
    if (e->with.said && e->with.count == 0)
        return "with lists mechanisms of the cores";
    if (e->with.said)
        return is_said(&e->at) || e->is_removed || e->is_new || has_next || e->drop.said ||
                       has_actions || is_said(&e->as)
                   ? "with is of the cores: nothing else is said in that edit"
                   : NULL;
    if (!is_said(&e->at))
        return "an edit names its cell, at: MACHINE/STATE/EVENT";
    if (e->is_removed)
        return e->is_new || has_next || e->drop.said || has_actions || is_said(&e->as)
                   ? "of a cell that is removed nothing else is said"
                   : NULL;
    if (!e->is_new && is_said(&e->as))
        return "as is for cells that are new; say new: true";
    if (!e->is_new && e->actions.said && (e->plus.said || e->drop.said))
        return "actions is all that a cell does; plus and drop change what it does";
    if (!e->is_new)
        return has_next || e->drop.count > 0 || e->actions.said || e->plus.count > 0
                   ? NULL
                   : "an edit says what changes: next, drop, plus, actions, remove: true or new: "
                     "true";
    if (e->drop.said)
        return "a new cell has nothing to drop";
    if (!has_next || e->actions.said == is_said(&e->as))
        return "of a new cell it is said where it leads (next) and what it does (actions, or as "
               "another cell)";
    return e->plus.said && !is_said(&e->as) ? "plus goes with as; say all of it in actions" : NULL;
}

static bool is_same_cell(const sim_error_cell *a, const sim_error_cell *b) {
    return strcmp(a->machine.text, b->machine.text) == 0 &&
           strcmp(a->state.text, b->state.text) == 0 && strcmp(a->event.text, b->event.text) == 0;
}

/* Mechanisms of the cores, which have names that are known before the protocol is. */
static col_status find_mechanisms(const base_entry *entry, const sim_error_edit *edit,
                                  uint32_t *set) {
    for (uint32_t i = 0; i < edit->with.count; i++) {
        uint32_t m = 0;
        while (m < SIM_MECHANISM_COUNT && strcmp(edit->with.words[i].text, sim_mechanisms[m]) != 0)
            m++;
        if (m == SIM_MECHANISM_COUNT)
            return base_refuse_value(entry, "the cores have no mechanism '%s'",
                                     edit->with.words[i].text);
        *set |= 1U << m;
    }
    return COL_OK;
}

static col_status read_one(const base_entry *entry, sim_error_edit *edit) {
    uint32_t unused = 0;
    BASE_TRY(base_yaml_map(entry->yaml, entry->value, "an edit", edit_fields, edit));
    BASE_TRY(find_mechanisms(entry, edit, &unused));
    return complain(edit) == NULL ? COL_OK : base_refuse_value(entry, "%s", complain(edit));
}

static col_status read_edit(const base_entry *entry, void *target) {
    sim_design_error *wrong = target;
    if (wrong->edit_count == SIM_ERROR_EDITS)
        return base_refuse_value(entry, "an error has at most %d edits", SIM_ERROR_EDITS);
    sim_error_edit *edit = &wrong->edits[wrong->edit_count];
    BASE_TRY(read_one(entry, edit));
    if (edit->with.said) {
        BASE_TRY(find_mechanisms(entry, edit, &wrong->with));
        memset(edit, 0, sizeof *edit); /* the next one comes here */
        return COL_OK;
    }
    for (uint32_t i = 0; i < wrong->edit_count; i++)
        if (is_same_cell(&wrong->edits[i].at, &edit->at))
            return base_refuse_value(entry, "the cell %s/%s/%s is edited twice",
                                     edit->at.machine.text, edit->at.state.text,
                                     edit->at.event.text);
    wrong->edit_count++;
    return COL_OK;
}

/* ---- An edit alone, as --error takes it. */

/* A text of several errors must not become others by what a name holds. */
static bool is_name(const char *word) {
    for (const char *c = word; *c != '\0'; c++)
        if (isalnum((unsigned char)*c) == 0 && *c != '_')
            return false;
    return word[0] != '\0';
}

static const char *put_cell(const char *key, const sim_error_cell *cell, base_text *text) {
    const sim_error_word *const words[] = {&cell->machine, &cell->state, &cell->event};
    for (int i = 0; i < 3; i++)
        if (!is_name(words[i]->text))
            return words[i]->text;
    base_text_print(text, "%s: %s/%s/%s", key, cell->machine.text, cell->state.text,
                    cell->event.text);
    return NULL;
}

static const char *put_words(const char *key, const sim_error_words *words, base_text *text) {
    if (!words->said)
        return NULL;
    base_text_print(text, ", %s: [", key);
    for (uint32_t i = 0; i < words->count; i++) {
        if (!is_name(words->words[i].text))
            return words->words[i].text;
        base_text_print(text, "%s%s", i == 0 ? "" : ", ", words->words[i].text);
    }
    base_text_add(text, "]");
    return NULL;
}

/* NULL, or what in it is not a name. */
static const char *put_edit(const sim_error_edit *e, base_text *text) {
    if (e->with.said) { /* its words are known ones */
        base_text_print(text, "{ with: [");
        for (uint32_t i = 0; i < e->with.count; i++)
            base_text_print(text, "%s%s", i == 0 ? "" : ", ", e->with.words[i].text);
        base_text_add(text, "] }");
        return NULL;
    }
    base_text_add(text, "{ ");
    const char *bad = put_cell("at", &e->at, text);
    if (e->is_removed)
        base_text_add(text, ", remove: true");
    if (e->is_new)
        base_text_add(text, ", new: true");
    if (bad == NULL && e->next.text[0] != '\0') {
        bad = is_name(e->next.text) ? NULL : e->next.text;
        base_text_print(text, ", next: %s", e->next.text);
    }
    if (bad == NULL && is_said(&e->as))
        bad = put_cell(", as", &e->as, text);
    bad = bad == NULL ? put_words("drop", &e->drop, text) : bad;
    bad = bad == NULL ? put_words("actions", &e->actions, text) : bad;
    bad = bad == NULL ? put_words("plus", &e->plus, text) : bad;
    base_text_add(text, " }");
    return bad;
}

col_status sim_error_edit_read(const base_entry *entry, base_text *text) {
    sim_error_edit edit = {.is_new = false};
    BASE_TRY(read_one(entry, &edit));
    const char *bad = put_edit(&edit, text);
    return bad == NULL ? COL_OK
                       : base_refuse_value(entry, "'%.63s' is not a name of a protocol", bad);
}

/* ---- The error. */

static col_status read_core(const base_entry *entry, void *wiring) {
    const base_field fields[] = {sim_without_field, BASE_LAST_FIELD};
    return base_yaml_map(entry->yaml, entry->value, "core", fields, wiring);
}

static col_status read_machines(const base_entry *entry, void *wiring) {
    return base_yaml_value(entry, &sim_machines_field, wiring);
}

/* Texts end without white space, and hold nothing that a terminal would obey. */
static col_status check_text(const base_entry *entry, void *member) {
    char *text = member;
    for (const char *c = text; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            return base_refuse_value(entry, "%s has a character that cannot be printed",
                                     base_entry_name(entry));
    size_t length = strlen(text);
    while (length > 0 && strchr(" \n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return COL_OK;
}

#define OF_ERROR(word, form, member) BASE_FIELD(word, form, sim_design_error, member)
#define TEXT(word)                                                                                 \
    { OF_ERROR(#word, BASE_STRING, word), .read = check_text }

static const base_field error_fields[] = {
    TEXT(name),
    TEXT(source),
    TEXT(level),
    TEXT(summary),
    TEXT(explanation),
    TEXT(adapted),
    TEXT(same_as),
    {OF_ERROR("class", BASE_WORD, class), .words = sim_error_classes},
    {OF_ERROR("protocol", BASE_OWN, protocol), .read = read_word},
    {.name = "edits", .kind = BASE_ITEMS, .read = read_edit},
    {OF_ERROR("core", BASE_OWN, wiring), .read = read_core},
    {OF_ERROR("machines", BASE_OWN, wiring), .read = read_machines},
    BASE_LAST_FIELD,
};

static col_status read_error(base_yaml *yaml, sim_design_error *wrong) {
    const base_yaml_node *root = base_yaml_root(yaml);
    wrong->class = SIM_ERROR_CLASS_COUNT;
    BASE_TRY(base_yaml_map(yaml, root, "an error", error_fields, wrong));
    if (wrong->class == SIM_ERROR_CLASS_COUNT || wrong->summary[0] == '\0')
        return base_yaml_refuse(yaml, root, "an error has a %s",
                                wrong->summary[0] == '\0' ? "summary" : "class");
    if (wrong->edit_count == 0 && wrong->with == 0 && wrong->wiring.machine_count == 0 &&
        wrong->wiring.numbers[SIM_FILE_WITHOUT].value == 0)
        return base_yaml_refuse(
            yaml, root, "an error changes something: edits, core: { without: [..] } or machines");
    return COL_OK;
}

col_status sim_design_error_parse(sim_design_error *wrong, const char *text, size_t length,
                                  const char *path, col_problem *problem) {
    base_yaml yaml;
    memset(wrong, 0, sizeof *wrong);
    if (strlen(path) >= sizeof wrong->path)
        return base_refuse(problem, "the path '%.60s...' is too long", path);
    memcpy(wrong->path, path, strlen(path));
    wrong->wiring.path = wrong->path;
    /* "folder/D9.yaml" is D9. */
    const char *name = base_path_name(wrong->path);
    (void)snprintf(wrong->id, sizeof wrong->id, "%.*s", (int)base_path_stem(name), name);
    BASE_TRY(base_yaml_read(&yaml, text, length, path, problem));
    col_status status = read_error(&yaml, wrong);
    base_yaml_free(&yaml);
    return status;
}
