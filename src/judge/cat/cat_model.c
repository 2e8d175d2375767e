/* SPDX-License-Identifier: MIT */
/* Reading a model: its statements, and the files that it includes. */
#include "judge/cat/cat_model.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "judge/cat/cat_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHECKS = 1000 };

/* ---- Checks. */

static void add_check(cat_reader *r, cat_check check) {
    cat_model *m = r->model;
    if (r->status == COL_OK && m->check_count == MOST_CHECKS)
        CAT_REFUSE(r, check.place, "more than %d tests", MOST_CHECKS);
    if (r->status == COL_OK)
        r->status = base_reserve(&m->checks, &m->check_capacity, m->check_count + 1,
                                 sizeof *m->checks, r->problem);
    if (r->status == COL_OK)
        m->checks[m->check_count++] = check;
}

/* That the formula of a statement is empty. Returns the check. */
static uint32_t add_formula(cat_reader *r, const cat_statement *s, cat_purpose purpose,
                            uint32_t formula) {
    add_check(r, (cat_check){.name = s->name,
                             .place = s->place,
                             .test = CAT_IS_EMPTY,
                             .purpose = purpose,
                             .formula = formula});
    return r->status == COL_OK ? (uint32_t)r->model->check_count - 1 : 0;
}

/* A test whose formula is empty, whatever the execution, is known to hold. */
static void run_test(cat_reader *r, const cat_statement *s) {
    const cat_formulas *f = &r->model->formulas;
    cat_value value = cat_evaluate(r, s->value);
    if (r->status != COL_OK)
        return;
    const bool is_set =
        s->test == CAT_IS_EMPTY && value.kind == CAT_V_FORMULA && f->items[value.formula].is_set;
    uint32_t formula = is_set ? value.formula : cat_as_formula(r, value, false, s->value->place);
    if (r->status != COL_OK)
        return;
    cat_check check = {.name = s->name,
                       .place = s->place,
                       .test = s->test,
                       .purpose = s->purpose,
                       .is_negated = s->is_negated,
                       .formula = formula};
    if (check.test != CAT_IS_EMPTY && f->items[formula].kind == CAT_O_CLOSURE) {
        check.test = CAT_IS_ACYCLIC;
        check.formula = f->items[formula].first;
    }
    const bool holds = cat_is_empty(f, formula) && !s->is_negated;
    const bool fails = cat_is_empty(f, formula) && s->is_negated;
    if (s->purpose == CAT_FLAGS ? fails : holds)
        return;
    add_check(r, check);
}

/* ---- Statements. */

static void run_all(cat_reader *r, const cat_statement *s);
static void include(cat_reader *r, const cat_statement *s);

static void define_procedure(cat_reader *r, const cat_statement *s) {
    cat_function *function = cat_new_function(r, &s->pattern, NULL, s->body);
    cat_bind(r, s->name, (cat_value){.kind = CAT_V_PROCEDURE, .function = function});
    if (s->is_recursive && function != NULL)
        function->environment = r->environment;
}

static void call(cat_reader *r, const cat_statement *s) {
    const cat_value *procedure = cat_find(r, s->name);
    if (procedure == NULL || procedure->kind != CAT_V_PROCEDURE) {
        CAT_REFUSE(r, s->place, "'%.60s' is not a procedure", s->name);
        return;
    }
    const cat_value argument = cat_evaluate(r, s->value);
    const cat_environment *outer = cat_enter_function(r, procedure->function, argument, s->place);
    run_all(r, procedure->function->statements);
    r->environment = outer;
}

static void run_forall(cat_reader *r, const cat_statement *s) {
    const cat_environment *outer = r->environment;
    const cat_value value = cat_evaluate(r, s->value);
    if (r->status == COL_OK && value.kind != CAT_V_LIST)
        CAT_REFUSE(r, s->place, "going through the events of a set by 'forall' is not supported");
    for (uint32_t i = 0; i < value.count && r->status == COL_OK; i++) {
        cat_bind(r, s->name, value.items[i]);
        run_all(r, s->body);
        r->environment = outer;
    }
}

/* The order of writes is that of the execution, if it keeps what the model asks for. */
static void take_order_of_writes(cat_reader *r, const cat_statement *s, cat_value value) {
    cat_formulas *f = &r->model->formulas;
    const uint32_t co = cat_make_relation(f, CAT_CO);
    r->model->chooses_co = true;
    const uint32_t missing = cat_make_two(f, CAT_O_DIFFERENCE, value.formula, co);
    cat_refuse(r, f->status);
    if (r->status == COL_OK && !cat_is_empty(f, missing))
        (void)add_formula(r, s, CAT_CHECKS, missing);
    cat_bind(r, s->name, cat_formula_value(co));
}

/* Another order is chosen for each execution: cat_run_choose_first. Whoever chooses needs the
 * values of two formulas, as of tests that are none. */
static void choose(cat_reader *r, const cat_statement *s, cat_value value) {
    cat_model *m = r->model;
    if (m->choice_count == CAT_MOST_CHOICES) {
        CAT_REFUSE(r, s->place, "more than %d choices", CAT_MOST_CHOICES);
        return;
    }
    const uint32_t set = add_formula(r, s, CAT_CHOOSES, value.set);
    const uint32_t kept = cat_make_one(&m->formulas, CAT_O_CLOSURE, value.formula);
    const cat_choice made = {.name = s->name,
                             .place = s->place,
                             .by_location = value.by_location,
                             .set = set,
                             .relation = add_formula(r, s, CAT_CHOOSES, kept)};
    const uint32_t order = cat_make_choice(&m->formulas, m->choice_count, s->name);
    cat_refuse(r, m->formulas.status);
    if (r->status != COL_OK)
        return;
    m->choices[m->choice_count++] = made;
    cat_bind(r, s->name, cat_formula_value(order));
}

static void run_with(cat_reader *r, const cat_statement *s) {
    const cat_value value = cat_evaluate(r, s->value);
    if (r->status != COL_OK)
        return;
    if (value.kind == CAT_V_LIST && value.count == 1)
        cat_bind(r, s->name, value.items[0]);
    else if (value.kind != CAT_V_ORDERS)
        CAT_REFUSE(r, s->place,
                   "'with %.60s from' chooses among several values: only orders, such as those of "
                   "'linearisations', are supported",
                   s->name);
    else if (strcmp(s->name, cat_relation_names[CAT_CO]) == 0 && value.by_location &&
             value.set == cat_make_set(&r->model->formulas, CAT_W))
        take_order_of_writes(r, s, value);
    else
        choose(r, s, value);
}

static void run_match(cat_reader *r, const cat_statement *s) {
    const cat_value value = cat_evaluate(r, s->value);
    if (r->status == COL_OK && value.kind != CAT_V_TAG)
        CAT_REFUSE(r, s->value->place, "expected a tag");
    const cat_clause *c = s->clauses;
    while (c != NULL && c->tag != NULL && c->tag != value.tag)
        c = c->next;
    if (c != NULL && r->status == COL_OK)
        run_all(r, c->statements);
}

/* The name of an enum is the set of its tags. */
static void define_enum(cat_reader *r, const cat_statement *s) {
    uint32_t count = 0, i = 0;
    for (const cat_clause *c = s->clauses; c != NULL; c = c->next)
        count++;
    cat_value *items = cat_take_memory(r, count * sizeof *items);
    for (const cat_clause *c = s->clauses; c != NULL && items != NULL; c = c->next)
        items[i++] = (cat_value){.kind = CAT_V_TAG, .tag = c->tag};
    cat_bind(r, s->name, (cat_value){.kind = CAT_V_LIST, .items = items, .count = i});
}

static void run_let(cat_reader *r, const cat_statement *s) {
    cat_bind_all(r, s->bindings, s->is_recursive);
}

static void run_if(cat_reader *r, const cat_statement *s) {
    run_all(r, cat_evaluate_condition(r, s->value) ? s->body : s->rest);
}

static void show(cat_reader *r, const cat_statement *s) {
    (void)r;
    (void)s;
}

static void run_all(cat_reader *r, const cat_statement *s) {
    static void (*const run[])(cat_reader * r, const cat_statement *s) = {
        [CAT_S_LET] = run_let, [CAT_S_MATCH] = run_match,   [CAT_S_TEST] = run_test,
        [CAT_S_SHOW] = show,   [CAT_S_INCLUDE] = include,   [CAT_S_PROCEDURE] = define_procedure,
        [CAT_S_CALL] = call,   [CAT_S_FORALL] = run_forall, [CAT_S_WITH] = run_with,
        [CAT_S_IF] = run_if,   [CAT_S_ENUM] = define_enum};
    if (s == NULL)
        return;
    r->depth++;
    if (r->depth > CAT_MOST_NESTED)
        CAT_REFUSE(r, s->place, "calls nested more than %d deep", CAT_MOST_NESTED);
    for (; s != NULL && r->status == COL_OK; s = s->next)
        run[s->kind](r, s);
    r->depth--;
}

/* ---- Files. */

/* Parses and runs. The text may go, the tree does not need it. */
static void run_source(cat_reader *r, const cat_source *s, cat_file *file) {
    if (r->status != COL_OK)
        return;
    const char *path = base_arena_text(&r->model->arena, s->path, strlen(s->path));
    if (path == NULL)
        cat_refuse(r, base_out_of_memory(r->problem));
    else if (s->length > CAT_MOST_BYTES)
        cat_refuse(r, base_refuse_at(r->problem, path, 1, 1, "a model of more than 1 MiB"));
    if (r->status == COL_OK)
        r->status = cat_parse(file, s->bytes, s->length, path, &r->model->names, r->problem);
    if (r->status != COL_OK)
        return;
    if (file->finds_dependencies)
        r->model->finds_dependencies = true;
    run_all(r, file->statements);
}

/* herd7's cross.cat defines what is built in here: sets of all orders cannot be listed. */
static void include(cat_reader *r, const cat_statement *s) {
    cat_source found = {0};
    cat_file file;
    if (strcmp(s->name, "cross.cat") == 0)
        return;
    if (cat_leaves_folder(s->name))
        CAT_REFUSE(r, s->place, "an included file is named by its name alone, not by '%.60s'",
                   s->name);
    else if (r->inclusion == CAT_MOST_INCLUSION || r->included == CAT_MOST_INCLUDED)
        CAT_REFUSE(r, s->place, "too many files included: does one include itself?");
    if (r->status != COL_OK)
        return;
    cat_refuse(r, cat_source_include(&found, s->place.file, s->name, r->sources, r->problem));
    if (r->status == COL_OK && found.bytes == NULL)
        CAT_REFUSE(r, s->place,
                   "cannot find '%.200s': name its folder with --include or COLLIDER_CATPATH",
                   s->name);
    r->inclusion++;
    r->included++;
    run_source(r, &found, &file);
    r->inclusion--;
    cat_source_close(&found);
}

static void run_own(cat_reader *r, const char *name) {
    cat_source own = {.path = name};
    cat_file file;
    own.bytes = cat_own_file(name, &own.length);
    run_source(r, &own, &file);
}

/* A library that lies with the model is the one that it was written for. */
static void run_prelude(cat_reader *r, const char *path) {
    cat_source library = {0};
    cat_file file;
    run_own(r, "prelude.cat");
    if (r->status == COL_OK)
        cat_refuse(r, cat_source_include(&library, path, "stdlib.cat", r->sources, r->problem));
    if (r->status == COL_OK && cat_is_old_library(&library))
        run_own(r, CAT_OLD_NAMES);
    run_source(r, &library, &file);
    cat_source_close(&library);
}

/* ---- The whole. */

static uint64_t digest_of(const cat_model *m) {
    uint64_t digest = 0;
    for (size_t i = 0; i < m->check_count; i++) {
        const cat_check *c = &m->checks[i];
        if (c->purpose == CAT_CHECKS || c->purpose == CAT_CHOOSES)
            digest += base_index_hash(m->formulas.items[c->formula].digest * 8 +
                                      (uint64_t)c->test * 2 + c->is_negated);
    }
    return digest;
}

static void mark_used(cat_model *m) {
    cat_formulas *f = &m->formulas;
    for (size_t i = 0; i < m->check_count; i++)
        f->items[m->checks[i].formula].is_used = true;
    for (size_t i = f->count; i-- > 0;) {
        const cat_formula *item = &f->items[i];
        for (uint32_t k = 0; item->is_used && k < cat_part_count(f, item); k++)
            f->items[cat_part(f, item, k)].is_used = true;
    }
}

bool cat_model_uses(const cat_model *model, cat_operator kind, uint32_t which) {
    for (size_t i = 0; i < model->formulas.count; i++) {
        const cat_formula *item = &model->formulas.items[i];
        if (item->is_used && item->kind == kind && item->first == which)
            return true;
    }
    return false;
}

static const cat_sources no_sources = {0}, whole = {.is_whole = true};

static col_status read_source(cat_model *model, const cat_source *s, const cat_sources *sources,
                              col_problem *problem) {
    cat_reader r = {.model = model,
                    .sources = sources != NULL ? sources : &no_sources,
                    .problem = problem,
                    .status = COL_OK};
    cat_file file = {0};
    *model = (cat_model){.names = {0}};
    model->names.arena = &model->arena;
    model->formulas.problem = problem;
    cat_begin_environment(&r);
    run_prelude(&r, s->path);
    model->finds_dependencies = false;
    run_source(&r, s, &file);
    if (r.status == COL_OK) {
        model->title = file.title;
        model->path = base_arena_text(&model->arena, s->path, strlen(s->path));
        if (model->path == NULL)
            r.status = base_out_of_memory(problem);
    }
    if (r.status != COL_OK) {
        cat_model_free(model);
        return r.status;
    }
    model->formulas.problem = NULL;
    mark_used(model);
    model->digest = digest_of(model);
    return COL_OK;
}

col_status cat_model_read(cat_model *model, const char *text, size_t length, const char *path,
                          const cat_sources *sources, col_problem *problem) {
    const cat_source s = {.bytes = text, .length = length, .path = path};
    return read_source(model, &s, sources, problem);
}

col_status cat_model_read_file(cat_model *model, const char *path, const cat_sources *sources,
                               col_problem *problem) {
    cat_source s = {0};
    *model = (cat_model){.names = {0}};
    col_status status = cat_source_open(&s, path, sources != NULL ? sources : &no_sources, problem);
    if (status == COL_OK)
        status = read_source(model, &s, sources, problem);
    cat_source_close(&s);
    return status;
}

void cat_model_free(cat_model *model) {
    cat_formulas_free(&model->formulas);
    free(model->checks);
    base_names_free(&model->names);
    base_arena_free(&model->arena);
    *model = (cat_model){.names = {0}};
}

col_status cat_model_is_built_in(const cat_model *model, bool *is_built_in, col_model *which,
                                 col_problem *problem) {
    *is_built_in = false;
    for (col_model m = 0; m < COL_MODEL_COUNT && !*is_built_in; m++) {
        char name[32];
        cat_model own;
        cat_source s = {.path = name};
        (void)snprintf(name, sizeof name, "%s.cat", col_models[m]);
        s.bytes = cat_own_file(name, &s.length);
        if (s.bytes == NULL)
            continue; /* a model that was added to the tables alone */
        const col_status status = read_source(&own, &s, &whole, problem);
        if (status != COL_OK)
            return status;
        *is_built_in = own.digest == model->digest;
        *which = m;
        cat_model_free(&own);
    }
    return COL_OK;
}

/* The files of a model. */

/* ---- Our own. */

typedef struct own_file {
    const char *name;
    const unsigned char *bytes;
    const size_t *size;
} own_file;

#include "cat_own_files.h" /* generated from models/ */

const char *cat_own_file(const char *name, size_t *length) {
    for (size_t i = 0; i < sizeof own_files / sizeof own_files[0]; i++) {
        if (strcmp(own_files[i].name, name) == 0) {
            *length = *own_files[i].size;
            return (const char *)own_files[i].bytes;
        }
    }
    return NULL;
}

static void take_own(cat_source *source, const char *name) {
    source->bytes = cat_own_file(name, &source->length);
    source->path = name;
}

/* ---- The user's. */

/* COL_OK, and nothing found, if there is no such file. */
static col_status try_file(const char *path, cat_source *source, col_problem *problem) {
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return COL_OK;
    const col_status status = base_file_read(path, &source->text, problem);
    if (status != COL_OK)
        return status;
    source->path = path;
    source->bytes = source->text.data != NULL ? source->text.data : "";
    source->length = source->text.length;
    return COL_OK;
}

/* Found by the name that a file has for it. */
static col_status try_found(cat_source *source, col_problem *problem) {
    const col_status status = base_file_check_regular(source->found, true, problem);
    return status == COL_OK ? try_file(source->found, source, problem) : status;
}

static col_status try_in(const char *folder, size_t length, const char *name, cat_source *source,
                         col_problem *problem) {
    char copy[PATH_MAX];
    if (length == 0 || length >= sizeof copy)
        return COL_OK;
    memcpy(copy, folder, length);
    copy[length] = '\0';
    const col_status status = base_path_in(source->found, copy, name, problem);
    return status == COL_OK ? try_found(source, problem) : status;
}

/* Folders between colons. */
static col_status search_list(const char *list, const char *name, cat_source *source,
                              col_problem *problem) {
    col_status status = COL_OK;
    while (list != NULL && status == COL_OK && source->bytes == NULL) {
        const size_t length = strcspn(list, ":");
        status = try_in(list, length, name, source, problem);
        list = list[length] == ':' ? list + length + 1 : NULL;
    }
    return status;
}

static col_status search_lists(const cat_sources *sources, const char *name, cat_source *source,
                               col_problem *problem) {
    col_status status = search_list(sources->path, name, source, problem);
    if (status == COL_OK && source->bytes == NULL)
        status = search_list(getenv("COLLIDER_CATPATH"), name, source, problem);
    return status;
}

bool cat_leaves_folder(const char *name) {
    const char *dots = strstr(name, "..");
    return name[0] == '/' || name[0] == '\0' ||
           (dots != NULL && (dots == name || dots[-1] == '/') &&
            (dots[2] == '/' || dots[2] == '\0'));
}

/* Beside the file that includes it, in the folders that were named, in COLLIDER_CATPATH. */
col_status cat_source_include(cat_source *source, const char *includer, const char *name,
                              const cat_sources *sources, col_problem *problem) {
    col_status status = COL_OK;
    *source = (cat_source){0};
    if (!sources->is_whole) {
        status = base_path_beside(source->found, includer, name, problem);
        if (status == COL_OK)
            status = try_found(source, problem);
        if (status == COL_OK && source->bytes == NULL)
            status = search_lists(sources, name, source, problem);
    }
    if (status == COL_OK && source->bytes == NULL)
        take_own(source, name);
    return status;
}

col_status cat_source_open(cat_source *source, const char *path, const cat_sources *sources,
                           col_problem *problem) {
    *source = (cat_source){0};
    col_status status = try_file(path, source, problem);
    if (status == COL_OK && source->bytes == NULL && strchr(path, '/') == NULL)
        status = search_lists(sources, path, source, problem);
    if (status != COL_OK || source->bytes != NULL)
        return status;
    take_own(source, path);
    return source->bytes != NULL ? COL_OK : base_cannot_read(path, ENOENT, problem);
}

static bool is_of_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

bool cat_is_old_library(const cat_source *library) {
    const bool is_own = library->text.length == 0;
    for (size_t i = 0; !is_own && i + 2 <= library->length; i++)
        if (memcmp(library->bytes + i, "EX", 2) == 0 &&
            (i == 0 || !is_of_word(library->bytes[i - 1])) &&
            (i + 2 == library->length || !is_of_word(library->bytes[i + 2])))
            return false;
    return !is_own;
}

void cat_source_close(cat_source *source) {
    base_text_free(&source->text);
    *source = (cat_source){0};
}
