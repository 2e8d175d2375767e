/* SPDX-License-Identifier: MIT */
/* A SLICC protocol as an editor sees it: see lsp_protocol.h. */
#include "cli/lsp/lsp_protocol.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "protocol/slicc/translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LISTS = 64, MOST_COMPLAINTS = 1000 };

static const char *keep(lsp_protocol *p, const char *text) {
    const char *kept = base_arena_text(&p->arena, text, strlen(text));
    p->failed = p->failed || kept == NULL;
    return kept;
}

/* ---- Its files. */

static void note_file(lsp_protocol *p, const char *name, const char *real) {
    if (base_reserve(&p->files, &p->file_capacity, p->file_count + 1, sizeof *p->files, NULL) !=
        COL_OK) {
        p->failed = true;
        return;
    }
    const lsp_file file = {.name = keep(p, name), .real = keep(p, real)};
    if (!p->failed)
        p->files[p->file_count++] = file;
}

static const char *find_text(void *context, const char *path, size_t *length) {
    lsp_protocol *p = context;
    char real[PATH_MAX];
    lsp_real_path(path, real);
    note_file(p, path, real);
    const lsp_document *document = lsp_document_at(p->documents, real);
    if (document == NULL)
        return NULL;
    *length = document->text.length;
    return document->text.data;
}

const lsp_file *lsp_protocol_file(const lsp_protocol *protocol, const char *real_path) {
    for (size_t i = 0; i < protocol->file_count; i++)
        if (strcmp(protocol->files[i].real, real_path) == 0)
            return &protocol->files[i];
    return NULL;
}

const lsp_file *lsp_protocol_named(const lsp_protocol *protocol, const char *name) {
    for (size_t i = 0; i < protocol->file_count; i++)
        if (strcmp(protocol->files[i].name, name) == 0)
            return &protocol->files[i];
    return NULL;
}

lsp_text lsp_protocol_text(const lsp_protocol *protocol, const char *file) {
    lsp_text text = {0};
    text.data = slicc_report_text(&protocol->report, file, &text.length);
    const lsp_file *known = lsp_protocol_named(protocol, file);
    if (text.data == NULL)
        return (lsp_text){.data = ""};
    text.lines = known == NULL ? NULL : &known->lines;
    return text;
}

/* ---- What is wrong with it. */

static void note_complaint(void *context, const slicc_complaint *complaint) {
    lsp_protocol *p = context;
    const slicc_place *place = &complaint->place;
    if (place->file == NULL || p->complaint_count == MOST_COMPLAINTS)
        return;
    for (size_t i = 0; i < p->complaint_count; i++) {
        const lsp_complaint *before = &p->complaints[i];
        if (before->line == place->line && before->column == place->column &&
            strcmp(before->message, complaint->message) == 0 &&
            strcmp(before->file, place->file) == 0)
            return;
    }
    if (base_reserve(&p->complaints, &p->complaint_capacity, p->complaint_count + 1,
                     sizeof *p->complaints, NULL) != COL_OK) {
        p->failed = true;
        return;
    }
    const lsp_complaint noted = {.file = keep(p, place->file),
                                 .line = place->line,
                                 .column = place->column,
                                 .is_warning = complaint->is_warning,
                                 .message = keep(p, complaint->message)};
    if (!p->failed)
        p->complaints[p->complaint_count++] = noted;
}

/* ---- Reading. */

static void begin(lsp_protocol *p, const lsp_documents *documents) {
    *p = (lsp_protocol){.documents = documents};
    p->overlay = (slicc_overlay){find_text, p};
    p->tree.overlay = &p->overlay;
    p->report.listener = note_complaint;
    p->report.context = p;
}

void lsp_protocol_free(lsp_protocol *protocol) {
    slicc_tree_free(&protocol->tree);
    slicc_report_free(&protocol->report);
    base_arena_free(&protocol->arena);
    free(protocol->files);
    free(protocol->complaints);
    *protocol = (lsp_protocol){0};
}

/* Does the list include the document? */
static col_status includes(const char *list, const lsp_documents *documents,
                           const lsp_document *document, bool *found, col_problem *problem) {
    lsp_protocol p;
    struct stat about;
    if (stat(list, &about) != 0 || !S_ISREG(about.st_mode))
        return COL_OK;
    begin(&p, documents);
    col_status status = slicc_parse_file(&p.tree, list, &p.report, problem);
    if (p.failed)
        status = base_out_of_memory(problem);
    *found = lsp_protocol_file(&p, document->path) != NULL;
    lsp_protocol_free(&p);
    return status == COL_BAD_INPUT ? COL_OK : status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lists in a folder, by name. */
static col_status lists_in(const char *folder, char *names[MOST_LISTS], size_t *count,
                           col_problem *problem) {
    col_status status = COL_OK;
    errno = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return errno == ENOMEM ? base_out_of_memory(problem) : COL_OK;
    for (const struct dirent *entry;
         status == COL_OK && *count < MOST_LISTS && (entry = base_folder_next(entries)) != NULL;)
        if (base_path_ends(entry->d_name, ".slicc")) {
            names[*count] = strdup(entry->d_name);
            if (names[*count] == NULL)
                status = base_out_of_memory(problem);
            else
                (*count)++;
        }
    if (status == COL_OK && *count < MOST_LISTS && errno != 0)
        status = base_cannot_read(folder, errno, problem);
    (void)closedir(entries);
    qsort(names, *count, sizeof *names, by_text);
    return status;
}

static col_status find_list(const lsp_documents *documents, lsp_document *document,
                            col_problem *problem) {
    char *names[MOST_LISTS];
    char folder[PATH_MAX];
    size_t count = 0;
    bool found = false;
    memcpy(document->list, document->path, sizeof document->list);
    if (base_path_ends(document->path, ".slicc") ||
        base_path_beside(folder, document->path, ".", NULL) != COL_OK)
        return COL_OK;
    col_status status = lists_in(folder, names, &count, problem);
    for (size_t i = 0; i < count; i++) {
        char list[PATH_MAX];
        if (status == COL_OK && !found &&
            base_path_beside(list, document->path, names[i], NULL) == COL_OK) {
            status = includes(list, documents, document, &found, problem);
            if (found)
                memcpy(document->list, list, sizeof list);
        }
        free(names[i]);
    }
    return status;
}

col_status lsp_protocol_read(lsp_protocol *protocol, const lsp_documents *documents,
                             lsp_document *document, col_problem *problem) {
    col_status status = COL_OK;
    begin(protocol, documents);
    if (document->list[0] == '\0' || strcmp(document->list, document->path) == 0)
        status = find_list(documents, document, problem);
    BASE_THEN(status, slicc_analyse(&protocol->tree, &protocol->report, document->list, problem));
    if (status == COL_OK && lsp_protocol_file(protocol, document->path) == NULL) {
        /* It was taken from its list: it stands alone now. */
        lsp_protocol_free(protocol);
        memcpy(document->list, document->path, sizeof document->list);
        begin(protocol, documents);
        status = slicc_analyse(&protocol->tree, &protocol->report, document->list, problem);
    }
    for (size_t i = 0; i < protocol->file_count; i++)
        lsp_lines_find(&protocol->files[i].lines,
                       lsp_protocol_text(protocol, protocol->files[i].name), &protocol->arena);
    return status == COL_OK && protocol->failed ? base_out_of_memory(problem) : status;
}

/* What is wrong with documents. */

static json_t *range_at(lsp_text text, uint32_t line, uint32_t column) {
    if (text.length > 0) {
        const size_t from = lsp_offset_of(text, line, column);
        return lsp_range(text, from, from + lsp_word_length(text, from));
    }
    const json_int_t l = line == 0 ? 0 : line - 1, c = column == 0 ? 0 : column - 1;
    return json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "start", "line", l, "character", c, "end",
                     "line", l, "character", c);
}

json_t *lsp_diagnostic(lsp_text text, uint32_t line, uint32_t column, bool is_warning,
                       const char *message) {
    return json_pack("{s:o, s:i, s:s, s:o}", "range", range_at(text, line, column), "severity",
                     is_warning ? 2 : 1, "source", "collider", "message", base_json_text(message));
}

void lsp_complaint_path(const lsp_protocol *protocol, const lsp_complaint *complaint,
                        char real[PATH_MAX]) {
    const lsp_file *file = lsp_protocol_named(protocol, complaint->file);
    if (file == NULL)
        lsp_real_path(complaint->file, real);
    else
        (void)snprintf(real, PATH_MAX, "%s", file->real);
}

json_t *lsp_diagnostics_of(const lsp_protocol *protocol, const char *real_path) {
    json_t *list = json_array();
    for (size_t i = 0; i < protocol->complaint_count; i++) {
        const lsp_complaint *c = &protocol->complaints[i];
        char real[PATH_MAX];
        lsp_complaint_path(protocol, c, real);
        if (strcmp(real, real_path) == 0)
            base_json_append(&list, lsp_diagnostic(lsp_protocol_text(protocol, c->file), c->line,
                                                   c->column, c->is_warning, c->message));
    }
    return list;
}

/*
 * What a word of a protocol stands for. Names are looked up where they stand, from the inside out:
 * variables, the machine, what is outside. A field whose record is not known may be several; then
 * all of them are found.
 */

static bool same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

bool lsp_names_have(const slicc_name *list, const char *name) {
    for (; list != NULL; list = list->next)
        if (same(list->text, name))
            return true;
    return false;
}

/* ---- The word. */

static bool comes_before(slicc_place a, slicc_place b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static bool contains(const slicc_declaration *d, const char *file, slicc_place place) {
    return same(d->start.file, file) && d->end.line > 0 && !comes_before(place, d->start) &&
           !comes_before(d->end, place);
}

static const slicc_declaration *find_around(const slicc_declaration *list, const char *file,
                                            slicc_place place) {
    for (; list != NULL; list = list->next)
        if (contains(list, file, place))
            return list;
    return NULL;
}

/* A machine has members in the files that it includes, too. */
static void find_place(const lsp_protocol *protocol, lsp_cursor *cursor) {
    const char *file = cursor->file->name;
    const slicc_place place = cursor->token.place;
    for (const slicc_declaration *d = protocol->tree.declarations; d != NULL; d = d->next) {
        const slicc_declaration *inside = NULL;
        if (d->kind == SLICC_MACHINE || d->kind == SLICC_STRUCTURE)
            inside = find_around(d->members, file, place);
        if (inside == NULL && d->kind == SLICC_MACHINE)
            inside = find_around(d->arguments, file, place);
        if (inside == NULL && !contains(d, file, place))
            continue;
        cursor->machine = d->kind == SLICC_MACHINE ? d : NULL;
        cursor->member = inside != NULL ? inside : d;
        return;
    }
}

static bool touches(const slicc_token *token, const char *at) {
    return token->start <= at && at <= token->start + token->length;
}

static bool find_cursor(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                        lsp_cursor *cursor) {
    slicc_scanner scanner;
    slicc_report unheard = {0};
    slicc_token last = {.kind = SLICC_TOKEN_END};
    bool found = false;
    *cursor = (lsp_cursor){.file = file, .text = lsp_protocol_text(protocol, file->name)};
    const char *at = cursor->text.data + offset;
    slicc_scan_start(&scanner, cursor->text.data, cursor->text.length, file->name, &unheard);
    cursor->token.kind = SLICC_TOKEN_END;
    while (!found) {
        cursor->before[1] = cursor->before[0];
        cursor->before[0] = last;
        last = cursor->token = slicc_scan_next(&scanner);
        if (last.kind == SLICC_TOKEN_END || last.start > at)
            break;
        found = touches(&last, at);
    }
    if (found) {
        cursor->after = slicc_scan_next(&scanner);
        const bool is_name = cursor->token.kind == SLICC_TOKEN_NAME;
        if (!is_name && cursor->after.kind == SLICC_TOKEN_NAME && touches(&cursor->after, at)) {
            cursor->before[1] = cursor->before[0]; /* between the two, the name is meant */
            cursor->before[0] = cursor->token;
            cursor->token = cursor->after;
            cursor->after = slicc_scan_next(&scanner);
        }
        const size_t length = cursor->token.length;
        if (cursor->token.kind == SLICC_TOKEN_NAME && length < sizeof cursor->word)
            memcpy(cursor->word, cursor->token.start, length);
        find_place(protocol, cursor);
    }
    slicc_report_free(&unheard);
    return found;
}

/* ---- Targets. */

static void add(lsp_targets *targets, lsp_target target) {
    if (targets->count < LSP_MOST_TARGETS)
        targets->list[targets->count++] = target;
}

slicc_place lsp_target_place(const lsp_target *target) {
    return target->value != NULL       ? target->value->place
           : target->parameter != NULL ? target->parameter->place
           : target->local != NULL     ? target->local->place
                                       : target->declaration->place;
}

const char *lsp_target_name(const lsp_target *target) {
    return target->value != NULL       ? target->value->name
           : target->parameter != NULL ? target->parameter->name
           : target->local != NULL     ? target->local->text
                                       : target->declaration->name;
}

/* The type of what has one, by name; NULL: it is not known. */
static const char *target_type(const lsp_target *target) {
    return target->value != NULL       ? target->declaration->name
           : target->parameter != NULL ? target->parameter->type
           : target->local != NULL     ? target->local->type
                                       : target->declaration->type;
}

static bool is_enumeration(const slicc_declaration *d) {
    return d->kind == SLICC_ENUMERATION || d->kind == SLICC_STATES;
}

static void add_value(const slicc_declaration *d, const slicc_declaration *machine,
                      const char *name, lsp_targets *targets) {
    for (const slicc_value *v = d->values; v != NULL; v = v->next)
        if (same(v->name, name))
            add(targets, (lsp_target){.declaration = d, .machine = machine, .value = v});
}

/* Values of the machine's states, or of its events. */
static void add_state_or_event(const slicc_declaration *machine, bool is_state, const char *name,
                               lsp_targets *targets) {
    for (const slicc_declaration *d = machine == NULL ? NULL : machine->members; d != NULL;
         d = d->next)
        if (is_state ? d->kind == SLICC_STATES
                     : d->kind == SLICC_ENUMERATION && same(d->name, "Event"))
            add_value(d, machine, name, targets);
}

/* Declarations of that name; of functions alone where one is called. */
static void add_named(const slicc_declaration *list, const slicc_declaration *machine,
                      const char *name, bool is_called, lsp_targets *targets) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind != SLICC_TRANSITION && same(d->name, name) &&
            (!is_called || d->kind == SLICC_FUNCTION))
            add(targets, (lsp_target){.declaration = d, .machine = machine});
}

static void add_type_values(const lsp_protocol *protocol, const lsp_cursor *cursor,
                            const char *type, lsp_targets *targets) {
    if (cursor->machine != NULL)
        for (const slicc_declaration *d = cursor->machine->members; d != NULL; d = d->next)
            if (is_enumeration(d) && same(d->name, type))
                add_value(d, cursor->machine, cursor->word, targets);
    for (const slicc_declaration *d = protocol->tree.declarations; d != NULL; d = d->next) {
        if (d->kind == SLICC_MACHINE && same(type, "MachineType") && same(d->name, cursor->word))
            add(targets, (lsp_target){.declaration = d, .machine = d});
        else if (targets->count == 0 && is_enumeration(d) && same(d->name, type))
            add_value(d, NULL, cursor->word, targets);
    }
}

/* ---- Variables. */

static const slicc_expression *find_local_in(const slicc_expression *x, const char *name) {
    for (; x != NULL; x = x->next) {
        if (x->kind == SLICC_LOCAL && same(x->text, name))
            return x;
        const slicc_expression *parts[] = {x->left, x->right, x->arguments};
        for (size_t i = 0; i < 3; i++) {
            const slicc_expression *found = find_local_in(parts[i], name);
            if (found != NULL)
                return found;
        }
    }
    return NULL;
}

static const slicc_expression *find_local(const slicc_statement *s, const char *name) {
    for (; s != NULL; s = s->next) {
        const slicc_expression *found = find_local_in(s->target, name);
        if (found == NULL)
            found = find_local_in(s->value, name);
        if (found == NULL)
            found = find_local(s->body, name);
        if (found == NULL)
            found = find_local(s->otherwise, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static void add_variables(const lsp_cursor *cursor, const char *name, lsp_targets *targets) {
    const slicc_declaration *d = cursor->member;
    if (d == NULL)
        return;
    const slicc_expression *local = find_local(d->body, name);
    if (local != NULL)
        add(targets, (lsp_target){.declaration = d, .machine = cursor->machine, .local = local});
    for (const slicc_parameter *p = d->parameters; p != NULL; p = p->next)
        if (same(p->name, name))
            add(targets,
                (lsp_target){.declaration = d, .machine = cursor->machine, .parameter = p});
}

/* ---- Names, and members of what is before a dot. */

static void add_names(const lsp_protocol *protocol, const lsp_cursor *cursor, const char *name,
                      bool is_called, lsp_targets *targets) {
    if (!is_called)
        add_variables(cursor, name, targets);
    if (targets->count == 0 && cursor->machine != NULL) {
        add_named(cursor->machine->members, cursor->machine, name, is_called, targets);
        add_named(cursor->machine->arguments, cursor->machine, name, is_called, targets);
    }
    if (targets->count == 0)
        add_named(protocol->tree.declarations, NULL, name, is_called, targets);
}

/* The type of in_msg or out_msg: of the innermost statement around that has a message. */
static const char *message_type(const slicc_statement *s, slicc_place place, bool is_in) {
    const char *type = NULL;
    for (; s != NULL && !comes_before(place, s->place); s = s->next) {
        const bool fits = is_in ? s->kind == SLICC_PEEK : s->kind == SLICC_ENQUEUE;
        if (fits)
            type = s->type;
        const char *inner = message_type(s->body, place, is_in);
        if (inner == NULL)
            inner = message_type(s->otherwise, place, is_in);
        type = inner != NULL ? inner : type;
    }
    return type;
}

const char *lsp_message_type(const lsp_cursor *cursor) {
    const bool is_in = same(cursor->word, "in_msg");
    if ((!is_in && !same(cursor->word, "out_msg")) || cursor->member == NULL)
        return NULL;
    return message_type(cursor->member->body, cursor->token.place, is_in);
}

static const char *type_of(const lsp_protocol *protocol, const lsp_cursor *cursor,
                           const char *name) {
    lsp_targets found = {.count = 0};
    const bool is_in = same(name, "in_msg");
    if ((is_in || same(name, "out_msg")) && cursor->member != NULL)
        return message_type(cursor->member->body, cursor->token.place, is_in);
    add_names(protocol, cursor, name, false, &found);
    return found.count == 0 ? NULL : target_type(&found.list[0]);
}

/* Members of a structure of that type; NULL: of any structure. */
static void add_members(const slicc_declaration *list, const slicc_declaration *machine,
                        const char *type, const lsp_cursor *cursor, lsp_targets *targets) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind == SLICC_STRUCTURE && (type == NULL || same(d->name, type)))
            add_named(d->members, machine, cursor->word, false, targets);
}

static void add_all_members(const lsp_protocol *protocol, const lsp_cursor *cursor,
                            const char *type, lsp_targets *targets) {
    if (cursor->machine != NULL)
        add_members(cursor->machine->members, cursor->machine, type, cursor, targets);
    if (targets->count == 0)
        add_members(protocol->tree.declarations, NULL, type, cursor, targets);
}

static void resolve_member(const lsp_protocol *protocol, const lsp_cursor *cursor,
                           lsp_targets *targets) {
    char name[sizeof cursor->word] = "";
    const slicc_token *left = &cursor->before[1];
    if (left->kind == SLICC_TOKEN_NAME && left->length < sizeof name) {
        memcpy(name, left->start, left->length);
        name[left->length] = '\0';
        const char *type = type_of(protocol, cursor, name);
        if (type != NULL)
            add_all_members(protocol, cursor, type, targets);
    }
    if (targets->count == 0)
        add_all_members(protocol, cursor, NULL, targets);
}

/* ---- Transitions. */

static bool is_at(const slicc_name *list, slicc_place place) {
    for (; list != NULL; list = list->next)
        if (list->place.line == place.line && list->place.column == place.column)
            return true;
    return false;
}

static bool resolve_transition(const lsp_cursor *cursor, lsp_targets *targets) {
    const slicc_declaration *t = cursor->member;
    const slicc_place place = cursor->token.place;
    if (t == NULL || t->kind != SLICC_TRANSITION)
        return false;
    if (is_at(t->states, place) || is_at(t->next_state, place))
        add_state_or_event(cursor->machine, true, cursor->word, targets);
    else if (is_at(t->events, place))
        add_state_or_event(cursor->machine, false, cursor->word, targets);
    else if (is_at(t->actions, place) && cursor->machine != NULL)
        for (const slicc_declaration *d = cursor->machine->members; d != NULL; d = d->next)
            if (d->kind == SLICC_ACTION && same(d->name, cursor->word))
                add(targets, (lsp_target){.declaration = d, .machine = cursor->machine});
    return true;
}

/* The value itself, where it is declared. */
static bool resolve_value(const lsp_cursor *cursor, lsp_targets *targets) {
    const slicc_declaration *d = cursor->member;
    if (d == NULL || !is_enumeration(d))
        return false;
    for (const slicc_value *v = d->values; v != NULL; v = v->next)
        if (v->place.line == cursor->token.place.line &&
            v->place.column == cursor->token.place.column) {
            add(targets, (lsp_target){.declaration = d, .machine = cursor->machine, .value = v});
            return true;
        }
    return false;
}

bool lsp_resolve(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                 lsp_cursor *cursor, lsp_targets *targets) {
    targets->count = 0;
    if (!find_cursor(protocol, file, offset, cursor))
        return false;
    if (cursor->word[0] == '\0' || resolve_transition(cursor, targets) ||
        resolve_value(cursor, targets))
        return true;
    if (cursor->before[0].kind == SLICC_TOKEN_COLON && cursor->before[1].kind == SLICC_TOKEN_NAME) {
        char type[sizeof cursor->word] = "";
        if (cursor->before[1].length < sizeof type)
            memcpy(type, cursor->before[1].start, cursor->before[1].length);
        add_type_values(protocol, cursor, type, targets);
    }
    if (cursor->before[0].kind == SLICC_TOKEN_DOT)
        resolve_member(protocol, cursor, targets);
    if (targets->count == 0)
        add_names(protocol, cursor, cursor->word,
                  cursor->after.kind == SLICC_TOKEN_OPEN_PARENTHESIS, targets);
    if (targets->count == 0)
        add_names(protocol, cursor, cursor->word, false, targets);
    for (int is_state = 1; targets->count == 0 && is_state >= 0; is_state--)
        add_state_or_event(cursor->machine, is_state == 1, cursor->word, targets);
    return true;
}
