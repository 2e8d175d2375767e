/* SPDX-License-Identifier: MIT */
/*
 * What a register may become: see verilog_reach.h. Each expression has a set of values, given the
 * register's value now; a condition that is not decided by that takes both ways.
 */
#include "design/verilog/verilog_reach.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12, FUEL = 20000 };

/* A walk through a block, for one variable. */
typedef struct walk {
    xml_slice name;
    const duv_assignment *of;
    uint32_t count;
    duv_values at, escaped; /* what it is here; and where a jump has left */
} walk;

/* ---- Sets of values. */

static void add_value(duv_values *set, uint64_t value) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->all[i] == value)
            return;
    if (set->count == DUV_MOST_STATES)
        set->is_any = true;
    else
        set->all[set->count++] = value;
}

static void add_values(duv_values *set, const duv_values *more) {
    set->is_any = set->is_any || more->is_any;
    for (uint32_t i = 0; i < more->count; i++)
        add_value(set, more->all[i]);
}

bool duv_has_value(const duv_values *set, uint64_t value) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->all[i] == value)
            return true;
    return set->is_any;
}

static bool is_only(const duv_values *set, uint64_t value) {
    return !set->is_any && set->count == 1 && set->all[0] == value;
}

/* A bit that is not known. */
static void add_either(duv_values *set) {
    add_value(set, 0);
    add_value(set, 1);
}

/* ---- Assignments. */

const duv_assignment *duv_reach_assignments(const duv_reach *s, xml_slice name, uint32_t *count) {
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const xml_slice *other = &s->assignments[middle].name;
        const size_t shorter = other->length < name.length ? other->length : name.length;
        const int order = memcmp(other->text, name.text, shorter);
        if (order < 0 || (order == 0 && other->length < name.length))
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < s->count && xml_same(s->assignments[low + *count].name, name))
        ++*count;
    return *count == 0 ? NULL : &s->assignments[low];
}

static int by_name(const void *a, const void *b) {
    const xml_slice *x = &((const duv_assignment *)a)->name,
                    *y = &((const duv_assignment *)b)->name;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    if (order != 0 || x->length != y->length)
        return order != 0 ? order : x->length < y->length ? -1 : 1;
    if (((const duv_assignment *)a)->is_initial != ((const duv_assignment *)b)->is_initial)
        return ((const duv_assignment *)a)->is_initial ? 1 : -1;
    const char *p = ((const duv_assignment *)a)->node->name,
               *q = ((const duv_assignment *)b)->node->name;
    return p < q ? -1 : p > q;
}

static col_status add_assignment(duv_reach *s, const xml_node *target, duv_assignment as) {
    as.name = xml_value(target, "name");
    if (as.name.text == NULL)
        return COL_OK;
    BASE_TRY(base_reserve(&s->assignments, &s->capacity, s->count + 1, sizeof *s->assignments,
                          s->problem));
    s->assignments[s->count++] = as;
    return COL_OK;
}

static bool has_clock(const xml_node *process) {
    const xml_node *list = process->child;
    if (list == NULL || !xml_is(list, "sentree"))
        return false;
    for (const xml_node *item = list->child; item != NULL; item = item->next)
        if (xml_says(item, "edgeType", "POS") || xml_says(item, "edgeType", "NEG"))
            return true;
    return false;
}

/* A variable, an element of an array, or, of anything else, all variables in it, in part. */
static col_status take_assignment(duv_reach *s, const xml_node *node) {
    const xml_node *target = node->child == NULL ? NULL : node->child->next;
    duv_assignment as = {.node = node,
                         .process = xml_around(node, "always initial initialstatic contassign")};
    as.is_delayed = xml_is(node, "assigndly");
    as.is_clocked = as.process != NULL && has_clock(as.process);
    as.is_initial = as.process != NULL && xml_is_among(as.process, "initial initialstatic");
    if (xml_around(node, "func task") != NULL)
        as.process = NULL;
    while (target != NULL && xml_is(target, "arraysel")) {
        as.is_element = true;
        target = target->child;
    }
    if (target == NULL || xml_is(target, "varref"))
        return target == NULL ? COL_OK : add_assignment(s, target, as);
    as.is_part = true;
    for (const xml_node *n = target; n != NULL; n = xml_follow(n, target))
        if (xml_is_among(n, "varref varxref"))
            BASE_TRY(add_assignment(s, n, as));
    return COL_OK;
}

col_status duv_reach_module(duv_reach *s, const xml_node *module) {
    s->module = module;
    s->count = 0;
    for (const xml_node *n = module; n != NULL; n = xml_follow(n, module))
        if (xml_is_among(n, "assign assigndly contassign"))
            BASE_TRY(take_assignment(s, n));
    if (s->count > 0)
        qsort(s->assignments, s->count, sizeof *s->assignments, by_name);
    return COL_OK;
}

/* ---- Expressions. */

static void evaluate(duv_reach *s, const xml_node *e, const walk *w, duv_values *result);

uint32_t duv_reach_width(const duv_reach *s, const xml_node *e) {
    const xml_slice id = xml_value(e, "dtype_id");
    const unsigned long number = id.text == NULL ? 0 : strtoul(id.text, NULL, 10);
    return number < s->width_count ? s->widths[number] : 0;
}

static bool reads_register(const duv_reach *s, const xml_node *e) {
    while (e != NULL && xml_is_among(e, "sel arraysel"))
        e = e->child;
    return e != NULL && xml_is(e, "varref") && xml_same(xml_value(e, "name"), s->own->name);
}

typedef enum operator{ AND, OR, XOR, EQ, NEQ, LOGAND, LOGOR, LT, GT, LTE, GTE, OPERATORS } operator;
static const char *const operators[OPERATORS] = {"and",   "or", "xor", "eq",  "neq", "logand",
                                                 "logor", "lt", "gt",  "lte", "gte"};

static uint64_t compute(operator o, uint64_t a, uint64_t b) {
    switch (o) {
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case EQ:
        return a == b;
    case NEQ:
        return a != b;
    case LOGAND:
        return a != 0 && b != 0;
    case LOGOR:
        return a != 0 || b != 0;
    case LT:
        return a < b;
    case GT:
        return a > b;
    case LTE:
        return a <= b;
    default:
        return a >= b;
    }
}

static void apply(operator o, const duv_values *a, const duv_values *b, uint32_t width,
                  duv_values *result) {
    const bool is_bit = width == 1;
    for (uint32_t i = 0; i < a->count && !a->is_any && !b->is_any; i++)
        for (uint32_t j = 0; j < b->count; j++)
            add_value(result, compute(o, a->all[i], b->all[j]));
    if (!a->is_any && !b->is_any && a->count > 0 && b->count > 0)
        return;
    if ((o == AND || o == LOGAND) && (is_only(a, 0) || is_only(b, 0)))
        add_value(result, 0);
    else if (is_bit && (o == OR || o == LOGOR) && (is_only(a, 1) || is_only(b, 1)))
        add_value(result, 1);
    else if (is_bit)
        add_either(result);
    else
        result->is_any = true;
}

static void evaluate_operator(duv_reach *s, operator o, const xml_node *e, const walk *w,
                              duv_values *result) {
    duv_values sides[2] = {{.count = 0}, {.count = 0}};
    if (e->child == NULL || e->child->next == NULL) {
        result->is_any = true;
        return;
    }
    const xml_node *const operands[] = {e->child, e->child->next};
    for (int i = 0; i < 2; i++) {
        evaluate(s, operands[i], w, &sides[i]);
        s->is_tested = s->is_tested || (o != AND && o != OR && reads_register(s, operands[i]));
    }
    apply(o, &sides[0], &sides[1], o == AND || o == OR || o == XOR ? duv_reach_width(s, e) : 1,
          result);
}

static void walk_block(duv_reach *s, const xml_node *first, walk *w);

/* Everything that the variable is ever assigned: of one that is read where it is assigned. */
static void evaluate_anywhere(duv_reach *s, const duv_assignment *of, uint32_t count,
                              duv_values *result) {
    for (uint32_t i = 0; i < count; i++)
        evaluate(s, of[i].node->child, NULL, result);
}

/* Of a variable without a clock. */
static void evaluate_variable(duv_reach *s, xml_slice name, const walk *w, duv_values *result) {
    uint32_t count = 0;
    const duv_assignment *of = duv_reach_assignments(s, name, &count);
    result->is_any = of == NULL || s->depth == DEEPEST;
    for (uint32_t i = 0; i < count; i++)
        if (of[i].process == NULL || of[i].is_part || of[i].is_element || of[i].is_clocked ||
            (of[i].process != of[0].process && !of[i].is_initial) || of[0].is_initial)
            result->is_any = true;
    if (result->is_any)
        return;
    s->depth++;
    if (w != NULL && w->of->process == of[0].process) {
        evaluate_anywhere(s, of, count, result);
    } else if (xml_is(of[0].process, "contassign")) {
        evaluate(s, of[0].node->child, NULL, result);
    } else {
        walk inner = {.name = name, .of = of, .count = count, .at = {.is_any = true}};
        walk_block(s, of[0].process->child, &inner);
        *result = inner.at;
    }
    s->depth--;
}

/* The same, once for a value of the register. */
static void look_up(duv_reach *s, xml_slice name, const walk *w, duv_values *result) {
    duv_values own = {.count = 0};
    uint32_t i = 0;
    while (i < s->known_count && !xml_same(s->known[i].name, name))
        i++;
    if (i == DUV_MOST_KNOWN || (i < s->known_count && s->known[i].is_busy)) {
        result->is_any = true;
        return;
    }
    if (i == s->known_count) {
        s->known[s->known_count++] = (struct duv_known){.name = name, .is_busy = true};
        evaluate_variable(s, name, w, &own);
        s->known[i].values = own;
        s->known[i].is_busy = false;
    }
    add_values(result, &s->known[i].values);
}

static void evaluate_reference(duv_reach *s, const xml_node *e, const walk *w, duv_values *result) {
    const xml_slice name = xml_value(e, "name");
    const duv_wire *reset = duv_net_find(s->reset, s->module, name);
    if (reset != NULL)
        add_value(result, s->reset_is_low != reset->is_inverted);
    else if (w != NULL && xml_same(name, w->name) && !w->of->is_delayed && !s->is_array)
        add_values(result, &w->at);
    else if (!xml_same(name, s->own->name))
        look_up(s, name, w, result);
    else if (s->is_array && s->now.count > 0)
        result->is_any = true;
    else
        add_values(result, &s->now);
}

static void evaluate_choice(duv_reach *s, const xml_node *e, const walk *w, duv_values *result) {
    duv_values condition = {.count = 0};
    evaluate(s, e->child, w, &condition);
    if (condition.count == 0 || condition.is_any || !is_only(&condition, 0))
        evaluate(s, e->child->next, w, result);
    if (condition.count == 0 || duv_has_value(&condition, 0))
        evaluate(s, e->child->next->next, w, result);
}

static void evaluate_bits(duv_reach *s, const xml_node *e, const walk *w, duv_values *result) {
    duv_values whole = {.count = 0};
    uint64_t low = 0, width = 0;
    evaluate(s, e->child, w, &whole);
    if (whole.is_any || !xml_number(e->child->next, &low) ||
        !xml_number(e->child->next->next, &width) || low > 63 || width == 0) {
        if (duv_reach_width(s, e) == 1)
            add_either(result);
        else
            result->is_any = true;
        return;
    }
    for (uint32_t i = 0; i < whole.count; i++)
        add_value(result,
                  whole.all[i] >> low & (width > 63 ? UINT64_MAX : (UINT64_C(1) << width) - 1));
}

static void evaluate_unary(duv_reach *s, const xml_node *e, const walk *w, duv_values *result) {
    duv_values operand = {.count = 0};
    const uint32_t width = duv_reach_width(s, e);
    evaluate(s, e->child, w, &operand);
    const bool is_logical = xml_is_among(e, "lognot redor"), flips = xml_is_among(e, "not lognot");
    if (operand.is_any || operand.count == 0 || width == 0 || width > 63) {
        if (width == 1)
            add_either(result);
        else if (operand.is_any || width == 0 || width > 63)
            result->is_any = true;
        return;
    }
    for (uint32_t i = 0; i < operand.count; i++) {
        const uint64_t value = is_logical ? operand.all[i] != 0 : operand.all[i];
        add_value(result, flips ? ~value & ((UINT64_C(1) << width) - 1) : value);
    }
}

static void evaluate(duv_reach *s, const xml_node *e, const walk *w, duv_values *result) {
    uint64_t number = 0;
    const uint32_t operands = e == NULL ? 0 : xml_children(e);
    if (e == NULL || s->fuel == 0) {
        result->is_any = true;
        return;
    }
    s->fuel--;
    if (xml_is(e, "const") && xml_number(e, &number))
        add_value(result, number);
    else if (xml_is(e, "varref"))
        evaluate_reference(s, e, w, result);
    else if (xml_is(e, "cond") && operands == 3)
        evaluate_choice(s, e, w, result);
    else if (xml_is(e, "sel") && operands == 3)
        evaluate_bits(s, e, w, result);
    else if (xml_is_among(e, "not lognot redor extend") && operands == 1)
        evaluate_unary(s, e, w, result);
    else if (xml_is(e, "arraysel") && s->now.count == 0 && reads_register(s, e))
        return; /* an element of itself */
    else {
        for (int o = 0; o < OPERATORS; o++)
            if (xml_is(e, operators[o])) {
                evaluate_operator(s, (operator)o, e, w, result);
                return;
            }
        if (duv_reach_width(s, e) == 1)
            add_either(result);
        else
            result->is_any = true;
    }
}

/* ---- Statements. */

/* Is an assignment to the variable in it, or what skips some? */
static bool matters(const walk *w, const xml_node *statement) {
    const xml_node *behind = xml_skip(statement, NULL);
    for (uint32_t i = 0; i < w->count; i++)
        if (w->of[i].node->name >= statement->name &&
            (behind == NULL || w->of[i].node->name < behind->name))
            return true;
    for (const xml_node *n = statement; n != NULL; n = xml_follow(n, statement))
        if (xml_is(n, "jumpgo"))
            return true;
    return false;
}

static void walk_branch(duv_reach *s, const xml_node *first, const walk *before, duv_values *after,
                        walk *w) {
    w->at = before->at;
    walk_block(s, first, w);
    add_values(after, &w->at);
}

static void walk_if(duv_reach *s, const xml_node *statement, walk *w) {
    const xml_node *condition = statement->child, *yes = condition->next;
    duv_values holds = {.count = 0}, after = {.count = 0};
    const walk before = *w;
    evaluate(s, condition, w, &holds);
    const bool is_open = holds.count == 0 || holds.is_any;
    if (is_open || !is_only(&holds, 0))
        walk_branch(s, yes == NULL ? NULL : yes->child, &before, &after, w);
    if (is_open || duv_has_value(&holds, 0))
        walk_branch(s, yes == NULL || yes->next == NULL ? NULL : yes->next->child, &before, &after,
                    w);
    w->at = after;
}

static bool is_statement(const xml_node *n) {
    return xml_is_among(n,
                        "assign assigndly if case begin while jumpblock jumpgo jumplabel display "
                        "taskref stop finish stmtexpr comment fopen fclose readmem delay");
}

/* Does one of the values select the item? It always does, it may, or it never does. */
typedef enum answer { NEVER, MAYBE, ALWAYS } answer;

/* "3'bzz1", of casez; false: it is something else. */
static bool read_pattern(const xml_node *label, uint64_t *mask, uint64_t *bits) {
    char text[96];
    const char *at = xml_is(label, "const") && xml_get(label, "name", text, sizeof text)
                         ? strstr(text, "'b")
                         : NULL;
    if (at == NULL || strlen(at + 2) > 64)
        return false;
    *mask = *bits = 0;
    for (at += 2; *at != '\0'; at++) {
        if (strchr("01z?", *at) == NULL)
            return false;
        *mask = *mask << 1 | (*at == '0' || *at == '1');
        *bits = *bits << 1 | (*at == '1');
    }
    return true;
}

static void compare(duv_reach *s, const xml_node *label, const duv_values *selector, const walk *w,
                    duv_values *same) {
    duv_values wanted = {.count = 0};
    uint64_t mask = 0, bits = 0;
    if (!read_pattern(label, &mask, &bits) || selector->is_any || selector->count == 0) {
        evaluate(s, label, w, &wanted);
        apply(EQ, selector, &wanted, 1, same);
        return;
    }
    for (uint32_t i = 0; i < selector->count; i++)
        add_value(same, (selector->all[i] & mask) == bits);
}

static answer selects(duv_reach *s, const xml_node *item, const duv_values *selector,
                      const walk *w) {
    answer best = NEVER;
    for (const xml_node *label = item->child; label != NULL && !is_statement(label);
         label = label->next) {
        duv_values same = {.count = 0};
        compare(s, label, selector, w, &same);
        const answer own = is_only(&same, 0) ? NEVER : is_only(&same, 1) ? ALWAYS : MAYBE;
        best = own > best ? own : best;
    }
    return best;
}

static const xml_node *statements_of(const xml_node *item) {
    const xml_node *first = item->child;
    while (first != NULL && !is_statement(first))
        first = first->next;
    return first;
}

static void walk_case(duv_reach *s, const xml_node *statement, walk *w) {
    const walk before = *w;
    const xml_node *otherwise = NULL;
    duv_values selector = {.count = 0}, after = {.count = 0};
    answer last = NEVER;
    evaluate(s, statement->child, w, &selector);
    s->is_tested = s->is_tested || reads_register(s, statement->child);
    for (const xml_node *item = statement->child->next; item != NULL && last != ALWAYS;
         item = item->next) {
        const bool is_default = item->child == NULL || is_statement(item->child);
        if (!xml_is(item, "caseitem"))
            continue;
        otherwise = is_default ? item : otherwise;
        w->at = before.at;
        last = is_default ? NEVER : selects(s, item, &selector, w);
        if (last != NEVER)
            walk_branch(s, statements_of(item), &before, &after, w);
    }
    if (last != ALWAYS)
        walk_branch(s, otherwise == NULL ? NULL : statements_of(otherwise), &before, &after, w);
    w->at = after;
}

static void walk_loop(duv_reach *s, const xml_node *statement, walk *w) {
    uint32_t count = UINT32_MAX;
    for (int turn = 0; turn < 4 && count != w->at.count && !w->at.is_any; turn++) {
        const duv_values before = w->at;
        count = before.count;
        walk_block(s, statement->child, w);
        add_values(&w->at, &before);
    }
    w->at.is_any = w->at.is_any || count != w->at.count;
}

static void walk_assignment(duv_reach *s, const xml_node *statement, walk *w) {
    const duv_assignment *as = NULL;
    for (uint32_t i = 0; i < w->count && as == NULL; i++)
        as = w->of[i].node == statement ? &w->of[i] : NULL;
    if (as == NULL)
        return;
    duv_values value = {.count = 0};
    evaluate(s, statement->child, w, &value);
    if (as->is_element)
        add_values(&w->at, &value);
    else
        w->at = value;
}

static void walk_statement(duv_reach *s, const xml_node *n, walk *w) {
    if (xml_is_among(n, "assign assigndly")) {
        walk_assignment(s, n, w);
    } else if (xml_is(n, "if") && n->child != NULL) {
        walk_if(s, n, w);
    } else if (xml_is(n, "case") && n->child != NULL) {
        walk_case(s, n, w);
    } else if (xml_is(n, "while")) {
        walk_loop(s, n, w);
    } else if (xml_is(n, "jumpgo")) {
        add_values(&w->escaped, &w->at);
    } else if (xml_is(n, "jumpblock")) {
        const duv_values outside = w->escaped;
        w->escaped = (duv_values){.count = 0};
        walk_block(s, n->child, w);
        add_values(&w->at, &w->escaped);
        w->escaped = outside;
    } else if (xml_is(n, "begin")) {
        walk_block(s, n->child, w);
    } else { /* whatever it is, it may do so or not */
        const duv_values before = w->at;
        walk_block(s, n->child, w);
        add_values(&w->at, &before);
    }
}

static void walk_block(duv_reach *s, const xml_node *first, walk *w) {
    for (const xml_node *n = first; n != NULL; n = n->next)
        if (matters(w, n))
            walk_statement(s, n, w);
}

/* ---- A register. */

void duv_reach_next(duv_reach *s, duv_values *next) {
    s->known_count = 0;
    s->fuel = FUEL;
    for (uint32_t i = 0; i < s->own_count; i++) {
        const duv_assignment *as = &s->own[i];
        bool is_new = !as->is_initial;
        for (uint32_t j = 0; j < i; j++)
            is_new = is_new && s->own[j].process != as->process;
        if (!is_new)
            continue;
        walk w = {.name = as->name, .of = s->own, .count = s->own_count, .at = s->now};
        walk_block(s, as->process->child, &w);
        add_values(next, &w.at);
    }
}

void duv_reach_values(duv_reach *s, duv_values *all) {
    s->now = (duv_values){.count = 0};
    s->known_count = 0;
    s->fuel = FUEL;
    for (uint32_t i = 0; i < s->own_count; i++)
        evaluate(s, s->own[i].node->child, NULL, all);
}

/* ---- Widths. */

col_status duv_reach_widths(duv_reach *s) {
    for (int is_second = 0; is_second < 2; is_second++) {
        for (const xml_node *n = s->root; n != NULL;
             n = xml_is(n, "module") ? xml_skip(n, s->root) : xml_follow(n, s->root)) {
            const xml_slice id = xml_value(n, "id");
            if (n->parent == NULL || !xml_is(n->parent, "typetable") || id.text == NULL)
                continue;
            const unsigned long number = strtoul(id.text, NULL, 10);
            if (number >= 1 << 20)
                continue;
            if (is_second)
                s->widths[number] = xml_is(n, "basicdtype") ? xml_bits(s->root, n)
                                    : xml_is_among(n, "enumdtype refdtype")
                                        ? xml_bits(s->root, xml_type_of(s->root, n))
                                        : 0;
            else if (number >= s->width_count)
                s->width_count = (uint32_t)number + 1;
        }
        if (!is_second)
            BASE_TRY(
                base_new(&s->widths, (size_t)s->width_count + 1, sizeof *s->widths, s->problem));
    }
    return COL_OK;
}
