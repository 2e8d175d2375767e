/* SPDX-License-Identifier: MIT */
/*
 * Points that the RTL does not write down, found in Verilator's XML: see verilog_file.h. The XML
 * leaves generate blocks out of the paths of instances, and the enumeration out of the type of
 * an array's elements.
 */
#include "design/verilog/verilog_file.h"
#include "design/verilog/verilog_xml.h"

#include "base/memory.h"
#include "base/names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Modules. */

enum { OWN_NAME = 512 };

/* A module, interface or package, and where it begins. */
typedef struct module {
    char own[OWN_NAME]; /* with its parameters' values */
    char name[DUV_NAME];
    char file[XML_FILE];
    uint32_t line;
} module;

typedef struct finding {
    const duv_verilog_file *f;
    const xml_node *root;
    module *modules;
    uint32_t count;
    size_t capacity;
    col_problem *problem;
} finding;

/* "e,11,13,11,17": the file's letters, the line, the column. */
static bool read_place(const xml_node *node, char file[XML_FILE], uint32_t *line) {
    xml_place place;
    if (!xml_place_of(node, &place))
        return false;
    (void)snprintf(file, XML_FILE, "%s", place.file);
    *line = place.line;
    return true;
}

static col_status add_module(finding *in, const xml_node *node) {
    BASE_TRY(base_reserve(&in->modules, &in->capacity, (size_t)in->count + 1, sizeof *in->modules,
                          in->problem));
    module *m = &in->modules[in->count];
    in->count += xml_get(node, "name", m->own, sizeof m->own) &&
                 xml_get(node, "origName", m->name, sizeof m->name) &&
                 read_place(node, m->file, &m->line);
    return COL_OK;
}

static col_status find_modules(finding *in) {
    col_status status = COL_OK;
    for (const xml_node *n = in->root; n != NULL && status == COL_OK; n = xml_follow(n, in->root))
        if (xml_is_among(n, XML_MODULES))
            status = add_module(in, n);
    return status;
}

static const module *module_owning(const finding *in, const xml_node *node, const char *attribute) {
    char own[OWN_NAME];
    if (!xml_get(node, attribute, own, sizeof own))
        return NULL;
    for (uint32_t i = 0; i < in->count; i++)
        if (strcmp(in->modules[i].own, own) == 0)
            return &in->modules[i];
    return NULL;
}

/* Is it the first of this name? Parameters make several of one. */
static bool is_first(const finding *in, uint32_t i) {
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(in->modules[j].name, in->modules[i].name) == 0)
            return false;
    return true;
}

static col_status refuse_module(const finding *in, const char *name, base_place place) {
    base_list list = {""};
    base_nearest nearest = {.text = name};
    for (uint32_t i = 0; i < in->count; i++) {
        base_nearest_try(&nearest, in->modules[i].name);
        if (is_first(in, i))
            base_list_add(&list, in->modules[i].name);
    }
    if (nearest.word != NULL)
        return DUV_REFUSE_AT(in->f, place, in->problem,
                             "the design has no module '%s'; did you mean '%s'?", name,
                             nearest.word);
    return DUV_REFUSE_AT(in->f, place, in->problem, "the design has no module '%s'; it has %.300s",
                         name, base_list_text(&list));
}

/* ---- Files. */

/* Without its folder, and only if it is a word that can be in quotes. */
static void name_of(const finding *in, const char *file, char name[DUV_NAME]) {
    char path[PATH_MAX];
    xml_path(in->root, file, path, sizeof path);
    const char *slash = strrchr(path, '/'), *last = slash == NULL ? path : slash + 1;
    (void)snprintf(name, DUV_NAME, "%.127s", last);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c <= ' ')
            *c = '_';
}

/* ---- State signals. */

static const xml_node *find_variable(const finding *in, const duv_state_signal *s) {
    for (const xml_node *n = in->root; n != NULL; n = xml_follow(n, in->root)) {
        if (!xml_is(n, "var") || !xml_says(n, "origName", s->signal.text) ||
            xml_value(n, "param").text != NULL)
            continue;
        const xml_node *inside = xml_around(n, XML_MODULES);
        if (inside != NULL && xml_says(inside, "origName", s->module.text))
            return n;
    }
    return NULL;
}

/* Of a number, or of the elements of an array of numbers; 0: it is something else. */
static uint32_t bits_of(const finding *in, const xml_node *variable) {
    const xml_node *type = xml_type_of(in->root, variable);
    for (int depth = 0; type != NULL && xml_is(type, "unpackarraydtype") && depth < 16; depth++)
        type = xml_type_of(in->root, type);
    return type != NULL && xml_is(type, "basicdtype") ? xml_bits(in->root, type) : 0;
}

static col_status refuse_states(const finding *in, const duv_state_signal *s, const char *why) {
    const base_place place = s->type.text[0] != '\0' ? s->type.place : s->signal.place;
    return DUV_REFUSE_AT(in->f, place, in->problem, "%s", why);
}

static col_status take_states(const finding *in, duv_state_signal *s, const xml_node *type) {
    for (const xml_node *item = type->child; item != NULL; item = item->next) {
        char name[DUV_NAME];
        duv_state *state = &s->states[s->state_count];
        if (!xml_is(item, "enumitem") || item->child == NULL ||
            !xml_get(item, "name", name, sizeof name))
            continue;
        if (s->state_count == DUV_MOST_STATES)
            return refuse_states(in, s, "this enumeration has more than 64 values");
        if (!xml_number(item->child, &state->value))
            return refuse_states(in, s, "the values of this enumeration are not numbers");
        (void)snprintf(state->name, sizeof state->name, "%.*s", (int)strcspn(name, "\"\\ \t"),
                       name);
        s->state_count++;
    }
    return s->state_count > 0 ? COL_OK : refuse_states(in, s, "this enumeration has no values");
}

static col_status find_states(const finding *in, duv_state_signal *s, const xml_node *variable) {
    char why[400], own[DUV_NAME] = "";
    (void)xml_get(variable, "vartype", own, sizeof own);
    const char *type = s->type.text[0] != '\0' ? s->type.text : own;
    if (s->state_count > 0)
        return COL_OK;
    const xml_node *items =
        type[0] == '\0' ? NULL : xml_enumeration(in->root, type, s->module.text);
    if (items != NULL)
        return take_states(in, s, items);
    if (s->type.text[0] != '\0')
        (void)snprintf(why, sizeof why, "the design has no enumeration '%s'", type);
    else
        (void)snprintf(why, sizeof why,
                       "which values of %s are states? Name an enumeration, or list them: "
                       "states: {IDLE: 0, BUSY: 1}",
                       s->signal.text);
    return refuse_states(in, s, why);
}

/* ---- Transitions. */

static uint32_t find_state(const duv_state_signal *s, const char *name, size_t length) {
    uint32_t i = 0;
    while (i < s->state_count &&
           (strlen(s->states[i].name) != length || strncmp(s->states[i].name, name, length) != 0))
        i++;
    return i;
}

static col_status find_transitions(const finding *in, duv_state_signal *s) {
    for (uint32_t i = 0; i < s->state_count; i++)
        s->states[i].next = s->lists_transitions ? 0 : UINT64_MAX;
    for (uint32_t i = 0; i < s->transitions.count; i++) {
        const char *from = s->transitions.texts[i], *to = strchr(from, ' ') + 1;
        const base_place place = s->transitions.places[i];
        const uint32_t first = find_state(s, from, (size_t)(to - from - 1));
        const uint32_t second = find_state(s, to, strlen(to));
        if (first == s->state_count || second == s->state_count)
            return DUV_REFUSE_AT(in->f, place, in->problem,
                                 "the signal %s of %s has no state '%.*s'", s->signal.text,
                                 s->module.text,
                                 (int)strcspn(first == s->state_count ? from : to, " "),
                                 first == s->state_count ? from : to);
        s->states[first].next |= UINT64_C(1) << second;
    }
    return COL_OK;
}

/* ---- Instances. */

static bool is_plain(const char *path) {
    return path[strspn(path, DUV_LETTERS ".[]$")] == '\0';
}

static void find_instances(const finding *in, duv_state_signal *s) {
    char path[2048], quoted[2056];
    for (const xml_node *n = in->root; n != NULL; n = xml_follow(n, in->root)) {
        const module *of = xml_is(n, "cell") ? module_owning(in, n, "submodname") : NULL;
        if (of == NULL || strcmp(of->name, s->module.text) != 0 ||
            !xml_get(n, "hier", path, sizeof path) || !is_plain(path))
            continue;
        s->instances++;
        (void)snprintf(quoted, sizeof quoted, "\"%s\", ", path);
        if (s->paths.data == NULL || strstr(s->paths.data, quoted) == NULL)
            base_text_add(&s->paths, quoted);
    }
}

static bool has_module(const finding *in, const char *name) {
    for (uint32_t i = 0; i < in->count; i++)
        if (strcmp(in->modules[i].name, name) == 0)
            return true;
    return false;
}

static col_status refuse_signal(const finding *in, const duv_state_signal *s) {
    char names[512][DUV_NAME];
    uint32_t count = 0;
    base_nearest nearest = {.text = s->signal.text};
    for (const xml_node *n = in->root; n != NULL && count < 512; n = xml_follow(n, in->root)) {
        const xml_node *inside = xml_is(n, "var") ? xml_around(n, XML_MODULES) : NULL;
        if (inside != NULL && xml_says(inside, "origName", s->module.text) &&
            xml_get(n, "origName", names[count], DUV_NAME))
            base_nearest_try(&nearest, names[count++]);
    }
    return DUV_REFUSE_AT(
        in->f, s->signal.place, in->problem, "the module %s has no signal '%s'%s%s%s",
        s->module.text, s->signal.text, nearest.word == NULL ? "" : "; did you mean '",
        nearest.word == NULL ? "" : nearest.word, nearest.word == NULL ? "" : "'?");
}

static col_status resolve_signal(const finding *in, duv_state_signal *s) {
    const base_place place = s->signal.place;
    const xml_node *variable = find_variable(in, s);
    char file[XML_FILE];
    if (!has_module(in, s->module.text))
        return refuse_module(in, s->module.text, s->module.place);
    if (variable == NULL || !read_place(variable, file, &s->line))
        return refuse_signal(in, s);
    const uint32_t bits = bits_of(in, variable);
    if (bits == 0 || bits > 64)
        return DUV_REFUSE_AT(in->f, place, in->problem,
                             "the signal %s of %s is not a number of at most 64 bits, nor an "
                             "unpacked array of such numbers",
                             s->signal.text, s->module.text);
    name_of(in, file, s->file);
    find_instances(in, s);
    BASE_TRY(find_states(in, s, variable));
    BASE_TRY(find_transitions(in, s));
    return base_text_status(&s->paths, in->problem);
}

/* ---- Modules that are filtered. */

static bool matches(const duv_module_filter *filter, const char *name) {
    for (uint32_t i = 0; i < filter->patterns.count; i++)
        if (fnmatch(filter->patterns.texts[i], name, 0) == 0)
            return true;
    return false;
}

static col_status resolve_filter(const finding *in, duv_module_filter *filter) {
    for (uint32_t p = 0; p < filter->patterns.count; p++) {
        bool is_used = false;
        for (uint32_t i = 0; i < in->count && !is_used; i++)
            is_used = fnmatch(filter->patterns.texts[p], in->modules[i].name, 0) == 0;
        if (!is_used)
            return refuse_module(in, filter->patterns.texts[p], filter->patterns.places[p]);
    }
    for (uint32_t i = 0; i < in->count; i++)
        if (is_first(in, i) && matches(filter, in->modules[i].name))
            base_text_print(&filter->modules, "\"%s\", ", in->modules[i].name);
    return base_text_status(&filter->modules, in->problem);
}

/* The line before the next module of the file. */
static uint32_t last_line(const finding *in, const module *m) {
    uint32_t last = INT32_MAX;
    for (uint32_t i = 0; i < in->count; i++)
        if (strcmp(in->modules[i].file, m->file) == 0 && in->modules[i].line > m->line &&
            in->modules[i].line - 1 < last)
            last = in->modules[i].line - 1;
    return last;
}

/* Counters that nobody reads cost time. What is included from elsewhere is left out only when its
 * points are declared. */
static void configure(const finding *in, duv_points *points) {
    base_text *text = &points->configuration;
    char path[PATH_MAX];
    base_text_add(text, "`verilator_config\n");
    for (uint32_t i = 0; i < points->signal_count; i++)
        base_text_print(text, "public_flat_rd -module \"%s\" -var \"%s\"\n",
                        points->signals[i].module.text, points->signals[i].signal.text);
    if (points->lines.patterns.count + points->toggles.patterns.count == 0)
        return;
    for (uint32_t i = 0; i < in->count; i++) {
        const module *m = &in->modules[i];
        xml_path(in->root, m->file, path, sizeof path);
        if (is_first(in, i) && !matches(&points->lines, m->name) &&
            !matches(&points->toggles, m->name) && strpbrk(path, "\"\\*?[") == NULL)
            base_text_print(text, "coverage_off -file \"%s\" -lines %u-%u\n", path, m->line,
                            last_line(in, m));
    }
}

col_status duv_points_resolve(const duv_verilog_file *file, const char *xml, col_problem *problem) {
    duv_points *points = file->points;
    base_arena nodes = {0};
    finding in = {.f = file, .problem = problem};
    col_status status = xml_read(&nodes, xml, &in.root, problem);
    if (status == COL_OK)
        status = find_modules(&in);
    for (uint32_t i = 0; i < points->signal_count && status == COL_OK; i++)
        status = duv_note(file, problem, resolve_signal(&in, &points->signals[i]));
    if (status == COL_OK)
        status = duv_note(file, problem, resolve_filter(&in, &points->lines));
    if (status == COL_OK)
        status = duv_note(file, problem, resolve_filter(&in, &points->toggles));
    if (status == COL_OK) {
        configure(&in, points);
        status = base_text_status(&points->configuration, problem);
    }
    free(in.modules);
    base_arena_free(&nodes);
    return status;
}

/* ---- C++. */

static void print_strings(base_text *t, const char *name, uint32_t number, const base_text *list) {
    base_text_print(t, "const char *const %s%u[] = {%snullptr};\n", name, number,
                    list->data == NULL ? "" : list->data);
}

static void print_states(base_text *t, uint32_t number, const duv_state_signal *s) {
    base_text_print(t, "const collider::state states%u[] = {", number);
    for (uint32_t i = 0; i < s->state_count; i++)
        base_text_print(t, "{\"%s\", %lluu, %lluu}, ", s->states[i].name,
                        (unsigned long long)s->states[i].value,
                        (unsigned long long)s->states[i].next);
    base_text_add(t, "{nullptr, 0, 0}};\n");
}

void duv_points_print(const duv_points *points, base_text *t) {
    for (uint32_t i = 0; i < points->signal_count; i++) {
        print_states(t, i, &points->signals[i]);
        print_strings(t, "paths", i, &points->signals[i].paths);
    }
    base_text_add(t, "const collider::state_signal state_signals[] = {\n");
    for (uint32_t i = 0; i < points->signal_count; i++) {
        const duv_state_signal *s = &points->signals[i];
        base_text_print(t, "    {\"%s\", \"%s\", \"%s\", %u, states%u, %u, paths%u, %u, %d},\n",
                        s->module.text, s->signal.text, s->file, s->line, i, s->state_count, i,
                        s->instances, s->lists_transitions);
    }
    base_text_add(t, "    {nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, 0, false}};\n");
    print_strings(t, "line_modules", 0, &points->lines.modules);
    print_strings(t, "toggle_modules", 0, &points->toggles.modules);
    base_text_print(t,
                    "const collider::observed observed = {state_signals, %u, line_modules0, "
                    "toggle_modules0};\n",
                    points->signal_count);
}
