/* SPDX-License-Identifier: MIT */
/* Following a signal through a design: see verilog_wires.h. A port of a module counts only if every
 * instance of the module connects it alike. */
#include "design/verilog/verilog_wires.h"

#include <stdlib.h>
#include <string.h>

typedef struct duv_link {
    const xml_node *from_module, *to_module;
    xml_slice from, to;
    bool inverts;
    uint32_t needed; /* links to `to` that there must be: one for each instance */
} duv_link;

enum { RISING, FALLING, TESTED, TESTED_INVERTED }; /* the other one of a pair: its last bit */

typedef struct duv_use {
    const xml_node *module;
    xml_slice name;
    uint32_t how;
} duv_use;

/* The variable, which may be inverted; NULL: it is something else. */
static const xml_node *take_variable(const xml_node *node, bool *inverts) {
    *inverts = false;
    while (node != NULL && xml_is_among(node, "not lognot")) {
        *inverts = !*inverts;
        node = node->child;
    }
    return node != NULL && xml_is(node, "varref") ? node : NULL;
}

static const xml_node *find_module(const xml_node *root, xml_slice own) {
    for (const xml_node *n = root; n != NULL;
         n = xml_is(n, "module") ? xml_skip(n, root) : xml_follow(n, root))
        if (xml_is(n, "module") && xml_same(xml_value(n, "name"), own))
            return n;
    return NULL;
}

static uint32_t count_instances(const xml_node *root, xml_slice own) {
    uint32_t count = 0;
    for (const xml_node *n = root; n != NULL; n = xml_follow(n, root))
        count += xml_is(n, "instance") && xml_same(xml_value(n, "defName"), own);
    return count;
}

static col_status add_link(duv_wiring *w, const xml_node *value, duv_link link,
                           col_problem *problem) {
    const xml_node *from = take_variable(value, &link.inverts);
    if (from == NULL || link.to.text == NULL)
        return COL_OK;
    link.from = xml_value(from, "name");
    BASE_TRY(base_reserve(&w->links, &w->capacity, w->count + 1, sizeof *w->links, problem));
    w->links[w->count++] = link;
    return COL_OK;
}

static col_status add_use(duv_wiring *w, const xml_node *value, uint32_t how,
                          col_problem *problem) {
    bool inverts = false;
    const xml_node *variable = take_variable(value, &inverts);
    if (variable == NULL)
        return COL_OK;
    BASE_TRY(base_reserve(&w->uses, &w->use_capacity, w->use_count + 1, sizeof *w->uses, problem));
    w->uses[w->use_count++] = (duv_use){.module = xml_around(variable, XML_MODULES),
                                        .name = xml_value(variable, "name"),
                                        .how = how ^ (inverts ? 1U : 0U)};
    return COL_OK;
}

static col_status add_instance(duv_wiring *w, const xml_node *instance, col_problem *problem) {
    const xml_slice own = xml_value(instance, "defName");
    duv_link link = {.from_module = xml_around(instance, XML_MODULES),
                     .to_module = find_module(w->root, own)};
    col_status status = COL_OK;
    if (link.to_module == NULL)
        return COL_OK;
    link.needed = count_instances(w->root, own);
    for (const xml_node *port = instance->child; port != NULL && status == COL_OK;
         port = port->next) {
        link.to = xml_value(port, "name");
        if (xml_is(port, "port") && xml_says(port, "direction", "in"))
            status = add_link(w, port->child, link, problem);
    }
    return status;
}

static col_status add_node(duv_wiring *w, const xml_node *n, col_problem *problem) {
    bool inverts = false;
    if (xml_is(n, "instance"))
        return add_instance(w, n, problem);
    if (xml_is(n, "senitem") && n->child != NULL)
        return xml_says(n, "edgeType", "POS")   ? add_use(w, n->child, RISING, problem)
               : xml_says(n, "edgeType", "NEG") ? add_use(w, n->child, FALLING, problem)
                                                : COL_OK;
    if (xml_is(n, "if")) {
        const xml_node *block = xml_around(n, "always " XML_MODULES);
        return block != NULL && xml_is(block, "always") && block->child != NULL &&
                       xml_is(block->child, "sentree")
                   ? add_use(w, n->child, TESTED, problem)
                   : COL_OK;
    }
    if (!xml_is(n, "contassign") || n->child == NULL ||
        take_variable(n->child->next, &inverts) == NULL || inverts)
        return COL_OK;
    const xml_node *module = xml_around(n, XML_MODULES);
    return add_link(w, n->child,
                    (duv_link){.from_module = module,
                               .to_module = module,
                               .to = xml_value(n->child->next, "name"),
                               .needed = 1},
                    problem);
}

col_status duv_wiring_find(duv_wiring *w, const xml_node *root, col_problem *problem) {
    col_status status = COL_OK;
    w->root = root;
    for (const xml_node *n = root; n != NULL && status == COL_OK; n = xml_follow(n, root)) {
        if (xml_is(n, "module") && xml_says(n, "topModule", "1"))
            w->top = n;
        status = add_node(w, n, problem);
    }
    return status;
}

void duv_wiring_free(duv_wiring *w) {
    free(w->links);
    free(w->uses);
}

/* ---- Nets. */

const duv_wire *duv_net_find(const duv_net *net, const xml_node *module, xml_slice name) {
    for (size_t i = 0; i < net->count; i++)
        if (net->wires[i].module == module && xml_same(net->wires[i].name, name))
            return &net->wires[i];
    return NULL;
}

static col_status add_wire(duv_net *net, duv_wire wire, col_problem *problem) {
    BASE_TRY(
        base_reserve(&net->wires, &net->capacity, net->count + 1, sizeof *net->wires, problem));
    net->wires[net->count++] = wire;
    return COL_OK;
}

/* Do all links to where this one leads come from the net, and with one polarity? */
static bool is_led(const duv_net *net, const duv_wiring *w, const duv_link *link, bool *inverted) {
    uint32_t count = 0;
    for (size_t i = 0; i < w->count; i++) {
        const duv_link *other = &w->links[i];
        if (other->to_module != link->to_module || !xml_same(other->to, link->to))
            continue;
        const duv_wire *from = duv_net_find(net, other->from_module, other->from);
        if (from == NULL)
            return false;
        const bool own = from->is_inverted != other->inverts;
        if (count++ > 0 && own != *inverted)
            return false;
        *inverted = own;
    }
    return count == link->needed;
}

col_status duv_net_follow(duv_net *net, const duv_wiring *w, const char *signal,
                          col_problem *problem) {
    const xml_slice name = {signal, strlen(signal)};
    col_status status =
        w->top == NULL ? COL_OK : add_wire(net, (duv_wire){w->top, name, false}, problem);
    for (size_t done = 0; done < net->count && status == COL_OK; done++)
        for (size_t i = 0; i < w->count && status == COL_OK; i++) {
            const duv_link *link = &w->links[i];
            duv_wire wire = {link->to_module, link->to, false};
            if (link->from_module == net->wires[done].module &&
                xml_same(link->from, net->wires[done].name) &&
                duv_net_find(net, wire.module, wire.name) == NULL &&
                is_led(net, w, link, &wire.is_inverted))
                status = add_wire(net, wire, problem);
        }
    return status;
}

void duv_net_free(duv_net *net) {
    free(net->wires);
}

duv_net_use duv_net_count(const duv_net *net, const duv_wiring *w) {
    duv_net_use use = {0};
    uint32_t *const counts[] = {&use.rising, &use.falling, &use.tested, &use.tested_inverted};
    for (size_t i = 0; i < w->use_count; i++) {
        const duv_wire *wire = duv_net_find(net, w->uses[i].module, w->uses[i].name);
        if (wire != NULL)
            (*counts[w->uses[i].how ^ (wire->is_inverted ? 1U : 0U)])++;
    }
    return use;
}
