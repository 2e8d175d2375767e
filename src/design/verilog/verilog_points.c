/* SPDX-License-Identifier: MIT */
/*
 * Points that the RTL does not write down, found in Verilator's XML: see verilog_file.h. The XML
 * leaves generate blocks out of the paths of instances, and the enumeration out of the type of
 * an array's elements.
 */
#include "design/verilog/verilog_file.h"

#include "base/memory.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tags of the XML, one after the other. What it has between them is of no interest. */

typedef struct xml_tag {
    const char *name, *attributes, *end; /* in the text */
    size_t name_length;
    bool closes; /* </name> */
} xml_tag;

static const char blanks[] = " \t\r\n";

/* Where the tag ends: a > outside quotes. */
static const char *end_of(const char *at) {
    while (*at != '\0' && *at != '>') {
        if (*at == '"')
            at = strchr(at + 1, '"');
        if (at == NULL)
            return NULL;
        at++;
    }
    return *at == '>' ? at : NULL;
}

/* The next tag from `*at` on, which moves behind it. False: there is none. */
static bool next_tag(const char **at, xml_tag *tag) {
    const char *open = strchr(*at, '<');
    const char *end = open == NULL ? NULL : end_of(open + 1);
    if (end == NULL)
        return false;
    tag->closes = open[1] == '/';
    tag->name = open + 1 + tag->closes;
    tag->name_length = strcspn(tag->name, " \t\r\n/>");
    tag->attributes = tag->name + tag->name_length;
    tag->end = end;
    *at = end + 1;
    return true;
}

static bool is_tag(const xml_tag *tag, const char *name) {
    return strlen(name) == tag->name_length && strncmp(tag->name, name, tag->name_length) == 0;
}

/* The character that `*at` begins with, which moves behind it. */
static char take_character(const char **at) {
    static const struct {
        const char *code;
        char character;
    } codes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strncmp(*at, codes[i].code, strlen(codes[i].code)) == 0) {
            *at += strlen(codes[i].code);
            return codes[i].character;
        }
    return *(*at)++;
}

static bool copy_value(const char *from, const char *end, char *value, size_t size) {
    size_t length = 0;
    while (from < end) {
        if (length + 1 >= size)
            return false;
        value[length++] = take_character(&from);
    }
    value[length] = '\0';
    return true;
}

/* Its value, with characters instead of their codes such as &lt;. False: the tag does not have the
 * attribute, or there is no room for its value. */
static bool tag_get(const xml_tag *tag, const char *attribute, char *value, size_t size) {
    const size_t length = strlen(attribute);
    for (const char *at = tag->attributes; at < tag->end;) {
        at += strspn(at, blanks);
        const char *open = memchr(at, '"', (size_t)(tag->end - at));
        const char *close =
            open == NULL ? NULL : memchr(open + 1, '"', (size_t)(tag->end - open - 1));
        if (close == NULL)
            return false;
        if (strncmp(at, attribute, length) == 0 && at[length] == '=')
            return copy_value(open + 1, close, value, size);
        at = close + 1;
    }
    return false;
}

/* ---- Modules. */

enum { OWN_NAME = 512, ID = 16, MOST_TYPES = 16 };

/* A module, interface or package, and where it begins. */
typedef struct module {
    char own[OWN_NAME]; /* with its parameters' values */
    char name[DUV_NAME];
    char file[ID];
    uint32_t line;
} module;

typedef struct finding {
    const duv_verilog_file *f;
    const char *xml;
    module *modules;
    uint32_t count;
    size_t capacity;
    col_problem *problem;
} finding;

static bool is_module(const xml_tag *tag) {
    return !tag->closes &&
           (is_tag(tag, "module") || is_tag(tag, "package") || is_tag(tag, "iface"));
}

/* "e,11,13,11,17": the file's letters, the line, the column. */
static bool read_place(const xml_tag *tag, char file[ID], uint32_t *line) {
    char place[64];
    return tag_get(tag, "loc", place, sizeof place) &&
           sscanf(place, "%15[a-z],%u", file, line) == 2;
}

static col_status add_module(finding *in, const xml_tag *tag) {
    BASE_TRY(base_reserve(&in->modules, &in->capacity, (size_t)in->count + 1, sizeof *in->modules,
                          in->problem));
    module *m = &in->modules[in->count];
    in->count += tag_get(tag, "name", m->own, sizeof m->own) &&
                 tag_get(tag, "origName", m->name, sizeof m->name) &&
                 read_place(tag, m->file, &m->line);
    return COL_OK;
}

static col_status find_modules(finding *in) {
    const char *at = in->xml;
    col_status status = COL_OK;
    for (xml_tag tag; status == COL_OK && next_tag(&at, &tag);)
        if (is_module(&tag))
            status = add_module(in, &tag);
    return status;
}

static const module *module_owning(const finding *in, const xml_tag *tag, const char *attribute) {
    char own[OWN_NAME];
    if (!tag_get(tag, attribute, own, sizeof own))
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
    for (uint32_t i = 0; i < in->count; i++)
        if (is_first(in, i))
            base_list_add(&list, in->modules[i].name);
    return DUV_REFUSE_AT(in->f, place, in->problem, "the design has no module '%s'; it has %.300s",
                         name, base_list_text(&list));
}

/* ---- Files. */

static void path_of(const finding *in, const char *file, char path[PATH_MAX]) {
    const char *at = in->xml;
    char id[ID];
    path[0] = '\0';
    for (xml_tag tag; next_tag(&at, &tag);)
        if (is_tag(&tag, "file") && tag_get(&tag, "id", id, sizeof id) && strcmp(id, file) == 0) {
            if (!tag_get(&tag, "filename", path, PATH_MAX))
                path[0] = '\0';
            return;
        }
}

/* Without its folder, and only if it is a word that can be in quotes. */
static void name_of(const finding *in, const char *file, char name[DUV_NAME]) {
    char path[PATH_MAX];
    path_of(in, file, path);
    const char *slash = strrchr(path, '/'), *last = slash == NULL ? path : slash + 1;
    (void)snprintf(name, DUV_NAME, "%.127s", last);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c <= ' ')
            *c = '_';
}

/* ---- State signals. */

typedef struct variable {
    char type[ID], type_name[DUV_NAME]; /* its number in the table; what the source calls it */
    char file[ID];
    uint32_t line;
} variable;

static bool find_variable(const finding *in, const duv_state_signal *s, variable *v) {
    const char *at = in->xml;
    const module *inside = NULL;
    char name[DUV_NAME], param[8];
    for (xml_tag tag; next_tag(&at, &tag);) {
        if (is_module(&tag))
            inside = module_owning(in, &tag, "name");
        if (inside == NULL || strcmp(inside->name, s->module.text) != 0 || !is_tag(&tag, "var") ||
            !tag_get(&tag, "origName", name, sizeof name) || strcmp(name, s->signal.text) != 0 ||
            tag_get(&tag, "param", param, sizeof param))
            continue;
        if (!tag_get(&tag, "vartype", v->type_name, sizeof v->type_name))
            v->type_name[0] = '\0';
        return tag_get(&tag, "dtype_id", v->type, sizeof v->type) &&
               read_place(&tag, v->file, &v->line);
    }
    return false;
}

static bool find_type(const finding *in, const char *id, xml_tag *tag) {
    const char *at = strstr(in->xml, "<typetable");
    char own[ID];
    while (at != NULL && next_tag(&at, tag))
        if (tag_get(tag, "id", own, sizeof own) && strcmp(own, id) == 0)
            return true;
    return false;
}

/* Bits of a number, or of the elements of an array of numbers; 0: it is something else. */
static uint32_t bits_of(const finding *in, const char *first) {
    static const char *const passed[] = {"enumdtype", "refdtype", "constdtype", "unpackarraydtype"};
    char id[ID], left[ID], right[ID];
    (void)snprintf(id, sizeof id, "%s", first);
    for (int steps = 0; steps < MOST_TYPES; steps++) {
        xml_tag tag;
        bool passes = false;
        if (!find_type(in, id, &tag))
            return 0;
        if (is_tag(&tag, "basicdtype")) {
            if (!tag_get(&tag, "left", left, sizeof left) ||
                !tag_get(&tag, "right", right, sizeof right))
                return 1;
            const long a = strtol(left, NULL, 10), b = strtol(right, NULL, 10);
            return (uint32_t)(a > b ? a - b : b - a) + 1;
        }
        for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
            passes = passes || is_tag(&tag, passed[i]);
        if (!passes || !tag_get(&tag, "sub_dtype_id", id, sizeof id))
            return 0;
    }
    return 0;
}

/* ---- Enumerations. */

/* Does the table's name, such as my_package::state_t, mean this type? 2: as this module's own. */
static int fits(const char *name, const char *type, const char *module_name) {
    const size_t length = strlen(name), tail = strlen(type), own = strlen(module_name);
    if (strcmp(name, type) == 0)
        return 2;
    if (length <= tail || strcmp(name + length - tail, type) != 0 ||
        strchr(":.", name[length - tail - 1]) == NULL)
        return 0;
    return length == own + 1 + tail && strncmp(name, module_name, own) == 0 ? 2 : 1;
}

/* Where the items of the enumeration begin; NULL: there is none. */
static const char *find_enumeration(const finding *in, const char *type, const char *module_name) {
    const char *at = strstr(in->xml, "<typetable"), *found = NULL;
    char name[OWN_NAME];
    int best = 0;
    for (xml_tag tag; at != NULL && next_tag(&at, &tag);) {
        if (tag.closes || !is_tag(&tag, "enumdtype") || !tag_get(&tag, "name", name, sizeof name))
            continue;
        const int fit = fits(name, type, module_name);
        found = fit > best ? at : found;
        best = fit > best ? fit : best;
    }
    return found;
}

/* "5'h1f", or "32'sh3" */
static bool read_value(const char *text, uint64_t *value) {
    const char *digits = strchr(text, 'h');
    char *end = NULL;
    *value = digits == NULL ? 0 : strtoull(digits + 1, &end, 16);
    return digits != NULL && digits[1] != '\0' && *end == '\0';
}

static col_status refuse_states(const finding *in, const duv_state_signal *s, const char *why) {
    const base_place place = s->type.text[0] != '\0' ? s->type.place : s->signal.place;
    return DUV_REFUSE_AT(in->f, place, in->problem, "%s", why);
}

static col_status take_states(const finding *in, duv_state_signal *s, const char *at) {
    char text[128], name[DUV_NAME] = "";
    for (xml_tag tag; next_tag(&at, &tag) && !(tag.closes && is_tag(&tag, "enumdtype"));) {
        uint64_t value = 0;
        if (is_tag(&tag, "enumitem") && !tag.closes)
            (void)tag_get(&tag, "name", name, sizeof name);
        if (!is_tag(&tag, "const") || name[0] == '\0')
            continue;
        if (!tag_get(&tag, "name", text, sizeof text) || !read_value(text, &value))
            return refuse_states(in, s, "the values of this enumeration are not numbers");
        if (s->state_count == DUV_MOST_STATES)
            return refuse_states(in, s, "this enumeration has more than 64 values");
        duv_state *state = &s->states[s->state_count++];
        (void)snprintf(state->name, sizeof state->name, "%.*s", (int)strcspn(name, "\"\\ \t"),
                       name);
        state->value = value;
        name[0] = '\0';
    }
    return s->state_count > 0 ? COL_OK : refuse_states(in, s, "this enumeration has no values");
}

static col_status find_states(const finding *in, duv_state_signal *s, const variable *v) {
    const char *type = s->type.text[0] != '\0' ? s->type.text : v->type_name;
    char why[400];
    if (s->state_count > 0)
        return COL_OK;
    const char *items = type[0] == '\0' ? NULL : find_enumeration(in, type, s->module.text);
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
    const char *at = in->xml;
    char path[2048], quoted[2056];
    for (xml_tag tag; next_tag(&at, &tag);) {
        const module *of = is_tag(&tag, "cell") ? module_owning(in, &tag, "submodname") : NULL;
        if (of == NULL || strcmp(of->name, s->module.text) != 0 ||
            !tag_get(&tag, "hier", path, sizeof path) || !is_plain(path))
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

static col_status resolve_signal(const finding *in, duv_state_signal *s) {
    const base_place place = s->signal.place;
    variable v = {{0}, {0}, {0}, 0};
    if (!has_module(in, s->module.text))
        return refuse_module(in, s->module.text, s->module.place);
    if (!find_variable(in, s, &v))
        return DUV_REFUSE_AT(in->f, place, in->problem, "the module %s has no signal '%s'",
                             s->module.text, s->signal.text);
    const uint32_t bits = bits_of(in, v.type);
    if (bits == 0 || bits > 64)
        return DUV_REFUSE_AT(in->f, place, in->problem,
                             "the signal %s of %s is not a number of at most 64 bits, nor an "
                             "unpacked array of such numbers",
                             s->signal.text, s->module.text);
    name_of(in, v.file, s->file);
    s->line = v.line;
    find_instances(in, s);
    BASE_TRY(find_states(in, s, &v));
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
        path_of(in, m->file, path);
        if (is_first(in, i) && !matches(&points->lines, m->name) &&
            !matches(&points->toggles, m->name) && strpbrk(path, "\"\\*?[") == NULL)
            base_text_print(text, "coverage_off -file \"%s\" -lines %u-%u\n", path, m->line,
                            last_line(in, m));
    }
}

col_status duv_points_resolve(const duv_verilog_file *file, const char *xml, col_problem *problem) {
    duv_points *points = file->points;
    finding in = {.f = file, .xml = xml, .problem = problem};
    col_status status = find_modules(&in);
    for (uint32_t i = 0; i < points->signal_count && status == COL_OK; i++)
        status = resolve_signal(&in, &points->signals[i]);
    if (status == COL_OK)
        status = resolve_filter(&in, &points->lines);
    if (status == COL_OK)
        status = resolve_filter(&in, &points->toggles);
    if (status == COL_OK) {
        configure(&in, points);
        status = base_text_status(&points->configuration, problem);
    }
    free(in.modules);
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
