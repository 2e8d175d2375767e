/* SPDX-License-Identifier: MIT */
/* A design as one self-contained HTML page, and as a graph for dot: see show.h. */
#include "base/plural.h"
#include "sim/show.h"

/* ---- HTML. */

static const char page_start[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

/* Headers and the column of states stay in sight; each table scrolls in its own frame. */
static const char page_style[] =
    "<style>\n"
    ":root { --paper: #fff; --ink: #1c2127; --faint: #626b76; --line: #d5dae0; --head: #eef1f5;"
    " --stall: #fbf3dc; --next: #0b5cad; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #15191e; --ink: #e4e8ed;"
    " --faint: #98a2ae; --line: #343c46; --head: #20262d; --stall: #3a3320; --next: #7db8f5; } }\n"
    "body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif;"
    " margin: 1.5rem; }\n"
    "h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }\n"
    "p { margin: .3rem 0; } .faint { color: var(--faint); } nav a { margin-right: 1rem;"
    " color: var(--next); }\n"
    ".frame { overflow: auto; max-height: 85vh; border: 1px solid var(--line); margin-top: .6rem; "
    "}\n"
    "table { border-collapse: separate; border-spacing: 0; font-size: .8rem; }\n"
    "th, td { border: 0 solid var(--line); border-width: 0 1px 1px 0; padding: .25rem .45rem;"
    " text-align: left; vertical-align: top; }\n"
    "th { background: var(--head); position: sticky; top: 0; z-index: 1; }\n"
    "tbody th { left: 0; top: auto; } thead th:first-child { left: 0; z-index: 2; }\n"
    "td b { color: var(--next); } td small { display: block; color: var(--faint);"
    " white-space: pre-line; }\n"
    "td.stall { background: var(--stall); color: var(--faint); }\n"
    "</style>\n";

static void add_html(base_text *text, const char *string) {
    for (; *string != '\0'; string++)
        switch (*string) {
        case '<':
            base_text_add(text, "&lt;");
            break;
        case '>':
            base_text_add(text, "&gt;");
            break;
        case '&':
            base_text_add(text, "&amp;");
            break;
        case '"':
            base_text_add(text, "&quot;");
            break;
        default:
            base_text_add_bytes(text, string, 1);
        }
}

static void html_element(base_text *text, const char *before, const char *content,
                         const char *after) {
    base_text_add(text, before);
    add_html(text, content);
    base_text_add(text, after);
}

static void html_cell(const sl_machine *machine, const sl_cell *cell, base_text *text) {
    if (cell == NULL) {
        base_text_add(text, "<td></td>");
    } else if ((cell->flags & SL_STALL) != 0) {
        base_text_add(text, "<td class=\"stall\">stall</td>");
    } else {
        html_element(text, "<td><b>", sim_next_name(machine, cell), "</b>");
        if (cell->action_count > 0) {
            base_text_add(text, "<small>");
            sim_show_actions(machine, cell, "\n", text);
            base_text_add(text, "</small>");
        }
        base_text_add(text, "</td>");
    }
}

static void html_table(const sl_machine *machine, base_text *text) {
    base_text_add(text, "<div class=\"frame\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">"
                        "state</th>");
    for (uint32_t e = 0; e < machine->event_count; e++)
        html_element(text, "<th scope=\"col\">", machine->events[e], "</th>");
    base_text_add(text, "</tr></thead>\n<tbody>\n");
    for (uint32_t s = 0; s < machine->state_count; s++) {
        html_element(text, "<tr><th scope=\"row\">", machine->states[s], "</th>");
        for (uint32_t e = 0; e < machine->event_count; e++)
            html_cell(machine, sim_cell(machine, s, e), text);
        base_text_add(text, "</tr>\n");
    }
    base_text_add(text, "</tbody></table></div>\n");
}

static void html_machine(const sl_machine *machine, const sim_machine_wiring *w, base_text *text) {
    const sim_counts counts = sim_count(machine);
    html_element(text, "<section id=\"", machine->name, "\">");
    html_element(text, "<h2>", machine->name, "</h2>\n");
    base_text_print(text, "<p>%u state%s, %u event%s, %u transition%s (%u stall%s). Controllers: ",
                    counts.states, base_plural(counts.states), counts.events,
                    base_plural(counts.events), counts.transitions, base_plural(counts.transitions),
                    counts.stalls, base_plural(counts.stalls));
    sim_show_controllers(w, text);
    base_text_add(text, ".</p>\n");
    for (uint32_t i = 0; i < w->cache_count; i++) {
        html_element(text, "<p class=\"faint\">cache ", w->caches[i].name, ": ");
        sim_show_cache(&w->caches[i], text);
        base_text_add(text, "</p>\n");
    }
    html_table(machine, text);
    base_text_add(text, "</section>\n");
}

void sim_show_html(const sim_design *design, uint32_t wanted, base_text *text) {
    const sl_protocol *protocol = design->protocol;
    base_text_add(text, page_start);
    html_element(text, "<title>", design->name, "</title>\n");
    base_text_add(text, page_style);
    html_element(text, "</head><body>\n<h1>", design->name, "</h1>\n");
    html_element(text, "<p>", design->description, "</p>\n");
    html_element(text, "<p class=\"faint\">protocol ", protocol->name, "");
    base_text_add(text, "; cores: ");
    sim_show_cores(&design->wiring, text);
    base_text_print(text, "; memory model: %s</p>\n", sim_model_name(&design->wiring));
    if (design->vary != NULL) {
        base_text_add(text, "<p>Varies from test to test:</p>\n<ul>\n");
        sim_show_varied(design, "<li>", "</li>\n", text); /* names, which have nothing to escape */
        base_text_add(text, "</ul>\n");
    }
    if (wanted == SIM_ALL_MACHINES) {
        base_text_add(text, "<pre>");
        sim_show_hierarchy(design, text);
        base_text_add(text, "</pre>\n");
    }
    base_text_add(text, "<nav>");
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (sim_is_shown(wanted, m)) {
            html_element(text, "<a href=\"#", protocol->machines[m]->name, "\">");
            html_element(text, "", protocol->machines[m]->name, "</a>");
        }
    base_text_add(text, "</nav>\n");
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (sim_is_shown(wanted, m))
            html_machine(protocol->machines[m], &design->wiring.machines[m], text);
    base_text_add(text, "</body></html>\n");
}

/* ---- dot: states are nodes; an edge carries all events that take it. Stalls move nothing. */

/* Does the cell lead to `next`, or to a state that the protocol works out (state_count)? */
static bool leads_to(const sl_machine *machine, const sl_cell *cell, uint32_t next) {
    if (cell == NULL || (cell->flags & SL_STALL) != 0)
        return false;
    const bool by_function = (cell->flags & SL_NEXT_BY_FUNCTION) != 0;
    return by_function ? next == machine->state_count : next == cell->next;
}

static const char *node_name(const sl_machine *machine, uint32_t state) {
    return state == machine->state_count ? "*" : machine->states[state];
}

static void dot_edge(const sl_machine *machine, uint32_t from, uint32_t to, base_text *text) {
    bool begun = false;
    for (uint32_t e = 0; e < machine->event_count; e++) {
        if (!leads_to(machine, sim_cell(machine, from, e), to))
            continue;
        if (!begun)
            base_text_print(text, "    \"%s.%s\" -> \"%s.%s\" [label=\"", machine->name,
                            machine->states[from], machine->name, node_name(machine, to));
        base_text_print(text, "%s%s", begun ? "\\n" : "", machine->events[e]);
        begun = true;
    }
    if (begun)
        base_text_add(text, "\"];\n");
}

static bool has_unknown_next(const sl_machine *machine) {
    for (uint32_t s = 0; s < machine->state_count; s++)
        for (uint32_t e = 0; e < machine->event_count; e++)
            if (leads_to(machine, sim_cell(machine, s, e), machine->state_count))
                return true;
    return false;
}

static void dot_machine(const sl_machine *machine, base_text *text) {
    base_text_print(text, "  subgraph \"cluster_%s\" {\n    label=\"%s\";\n", machine->name,
                    machine->name);
    const uint32_t nodes = machine->state_count + has_unknown_next(machine);
    for (uint32_t s = 0; s < nodes; s++)
        base_text_print(text, "    \"%s.%s\" [label=\"%s\"];\n", machine->name,
                        node_name(machine, s), node_name(machine, s));
    for (uint32_t s = 0; s < machine->state_count; s++)
        for (uint32_t next = 0; next < nodes; next++)
            dot_edge(machine, s, next, text);
    base_text_add(text, "  }\n");
}

void sim_show_dot(const sim_design *design, uint32_t wanted, base_text *text) {
    const sl_protocol *protocol = design->protocol;
    base_text_print(text,
                    "digraph \"%s\" {\n  rankdir=LR;\n  node [shape=box, style=rounded, "
                    "fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
                    design->name);
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (sim_is_shown(wanted, m))
            dot_machine(protocol->machines[m], text);
    base_text_add(text, "}\n");
}
