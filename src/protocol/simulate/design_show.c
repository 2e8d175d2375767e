/* SPDX-License-Identifier: MIT */
/* A design as text and as Markdown: see design_show.h. */
#include "protocol/simulate/design_show.h"

#include "protocol/simulate/design_file.h"
#include "protocol/simulate/transition_table.h"

#include <string.h>

/* ---- What all forms share. */

const sl_cell *sim_cell(const sl_machine *machine, uint32_t state, uint32_t event) {
    const sl_cell *cell = &machine->cells[state * machine->event_count + event];
    return (cell->flags & SL_DEFINED) != 0 ? cell : NULL;
}

sim_counts sim_count(const sl_machine *machine) {
    sim_counts counts = {.states = machine->state_count,
                         .events = machine->event_count,
                         .actions = machine->action_count};
    for (uint32_t s = 0; s < machine->state_count; s++)
        for (uint32_t e = 0; e < machine->event_count; e++) {
            const sl_cell *cell = sim_cell(machine, s, e);
            counts.transitions += cell != NULL;
            counts.stalls += cell != NULL && (cell->flags & SL_STALL) != 0;
            counts.reached += cell != NULL && (cell->flags & SL_REACHED) != 0;
        }
    return counts;
}

static void show_counts(const sim_counts *c, base_text *text) {
    base_text_print(text, "%u state%s, %u event%s, %u transition%s (%u stall%s", c->states,
                    base_plural(c->states), c->events, base_plural(c->events), c->transitions,
                    base_plural(c->transitions), c->stalls, base_plural(c->stalls));
}

const char *sim_next_name(const sl_machine *machine, const sl_cell *cell) {
    return (cell->flags & SL_NEXT_BY_FUNCTION) != 0 ? "*" : machine->states[cell->next];
}

static void show_controllers(const sim_machine_wiring *w, base_text *text) {
    if (w->count == 0)
        base_text_add(text, "none");
    else if (w->is_private && w->sequencers > 1)
        base_text_print(text, "%u, one for %u cores", w->count, w->sequencers);
    else if (w->is_private)
        base_text_print(text, "%u, one per core", w->count);
    else
        base_text_print(text, "%u, shared", w->count);
}

static void show_cache(const sim_cache_shape *cache, base_text *text) {
    sim_show_bytes(cache->bytes, text);
    base_text_print(text, ", %u way%s, %s", cache->ways, base_plural(cache->ways),
                    sim_replacements[cache->replacement]);
}

/* The actions of a cell, with `between` between them. */
static void show_actions(const sl_machine *machine, const sl_cell *cell, const char *between,
                         base_text *text) {
    for (uint32_t i = 0; i < cell->action_count; i++) {
        const uint16_t action = machine->action_list[cell->first_action + i];
        base_text_print(text, "%s%s", i == 0 ? "" : between, machine->actions[action]);
    }
}

static void show_networks(uint32_t set, const char *what, base_text *text) {
    for (uint32_t n = 0, shown = 0; n < SIM_NETWORKS; n++)
        if ((set >> n & 1) != 0)
            base_text_print(text, "%s%u", shown++ == 0 ? what : " ", n);
}

static void show_network(const sim_wiring *w, base_text *text) {
    base_text_print(text, "%s, latency %u, jitter %u", sim_topologies[w->topology],
                    w->network_latency, w->jitter);
    if (w->interval > 0)
        base_text_print(text, ", interval %u", w->interval);
    if (w->network_buffers > 0)
        base_text_print(text, ", buffers %u", w->network_buffers);
    for (uint32_t n = 0; n < SIM_NETWORKS; n++) {
        const sim_virtual_network *own = &w->virtual_networks[n];
        if (own->latency != SIM_AS_OTHERS)
            base_text_print(text, ", latency %u on network %u", own->latency, n);
        if (own->jitter != SIM_AS_OTHERS)
            base_text_print(text, ", jitter %u on network %u", own->jitter, n);
    }
    show_networks(w->ordered, ", ordered ", text);
    show_networks(w->unordered, ", unordered ", text);
}

/* "8, tso: window 40, queues of 32 loads and 32 stores, width 4, 8 outstanding, jitter 4" */
static void show_cores(const sim_wiring *w, base_text *text) {
    const sim_core_settings *c = &w->core;
    base_text_print(text, "%u, %s: ", w->cores, sim_modes[c->mode]);
    if (c->mode != SIM_SIMPLE)
        base_text_print(text, "window %u, queues of %u loads and %u stores, width %u, jitter %u, ",
                        c->window, c->loads, c->stores, c->width, c->jitter);
    base_text_print(text, "%u outstanding", c->outstanding);
    if (c->skew != SIM_SKEW_OF_NETWORK)
        base_text_print(text, ", skew %u", c->skew);
    if (w->start != SIM_COLD)
        base_text_print(text, ", start %s", sim_starts[w->start]);
    for (uint32_t m = 0, shown = 0; m < SIM_MECHANISM_COUNT; m++)
        if ((c->without >> m & 1) != 0)
            base_text_print(text, "%s%s", shown++ == 0 ? ", without " : ", ", sim_mechanisms[m]);
}

const char *sim_model_name(const sim_wiring *w) {
    return w->core.mode == SIM_SIMPLE ? "none" : col_models[w->model];
}

static void show_varied(const sim_design *design, const char *before, const char *after,
                        base_text *text) {
    for (uint32_t i = 0; design->vary != NULL && i < sim_vary_count(design->vary); i++) {
        base_text_print(text, "%s%s: ", before, sim_vary_key(design->vary, i));
        sim_vary_values(design->vary, i, text);
        base_text_add(text, after);
    }
}

/* The controllers from the cores down to memory, a line each. */
static void draw_level(const sl_machine *machine, const sim_machine_wiring *w, base_text *text) {
    base_text_print(text, "    |\n  %-12s x%u", machine->name, w->count);
    if (w->clusters > 1)
        base_text_print(text, " in %u clusters", w->clusters);
    for (uint32_t i = 0; i < w->cache_count; i++) {
        base_text_print(text, "%s%s ", i == 0 ? ", " : "; ", w->caches[i].name);
        show_cache(&w->caches[i], text);
    }
    base_text_add(text, "\n");
}

static void show_hierarchy(const sim_design *design, base_text *text) {
    const sim_wiring *w = &design->wiring;
    base_text_print(text, "  %-12s x%u, %s\n", "core", w->cores, sim_modes[w->core.mode]);
    for (uint32_t level = 0; level < 4; level++) {
        if (level == 2) {
            base_text_add(text, "    |\n  === ");
            show_network(w, text);
            base_text_add(text, " ===\n");
        }
        for (uint32_t m = 0; m < design->protocol->machine_count; m++)
            if (sim_wiring_level(&w->machines[m]) == level && w->machines[m].count > 0)
                draw_level(design->protocol->machines[m], &w->machines[m], text);
    }
    base_text_print(text, "    |\n  %-12s latency %u\n", "memory", w->memory_latency);
}

/* ---- Text: the transitions of a state below each other. */

static size_t widest(const char *const *names, uint32_t count) {
    size_t width = 1;
    for (uint32_t i = 0; i < count; i++)
        if (strlen(names[i]) > width)
            width = strlen(names[i]);
    return width;
}

static void text_transitions(const sl_machine *machine, base_text *text) {
    const int events = (int)widest(machine->events, machine->event_count);
    const int states = (int)widest(machine->states, machine->state_count);
    for (uint32_t s = 0; s < machine->state_count; s++) {
        bool named = false;
        for (uint32_t e = 0; e < machine->event_count; e++) {
            const sl_cell *cell = sim_cell(machine, s, e);
            if (cell == NULL)
                continue;
            if (!named)
                base_text_print(text, "  %s\n", machine->states[s]);
            named = true;
            if ((cell->flags & SL_STALL) != 0) {
                base_text_print(text, "    %-*s stall\n", events, machine->events[e]);
                continue;
            }
            base_text_print(text, "    %-*s -> %-*s", events, machine->events[e],
                            cell->action_count > 0 ? states : 0, sim_next_name(machine, cell));
            if (cell->action_count > 0)
                base_text_add(text, "  ");
            show_actions(machine, cell, " ", text);
            base_text_add(text, "\n");
        }
    }
}

static void text_machine(const sl_machine *machine, const sim_machine_wiring *w, uint32_t taken,
                         base_text *text) {
    const sim_counts counts = sim_count(machine);
    base_text_print(text, "\nmachine %s: ", machine->name);
    show_counts(&counts, text);
    if (counts.reached > 0)
        base_text_print(text, ", %u reachable", counts.reached);
    if (taken > 0)
        base_text_print(text, ", %u known to be in these caches", taken);
    base_text_add(text, ")\n");
    base_text_add(text, "  controllers: ");
    show_controllers(w, text);
    if (w->has_dma)
        base_text_print(text, "\n  takes: accesses by DMA%s",
                        w->whole_blocks ? ", of whole blocks" : "");
    if (w->has_sequencer) {
        base_text_add(text, w->is_fetcher ? "\n  takes: fetches" : "\n  takes: ");
        if (!w->is_fetcher) {
            base_text_add(text, "loads, stores, swaps, adds");
            base_text_add(text,
                          sl_takes(machine, SL_STORE_CONDITIONAL) ? ", store-conditionals" : "");
            base_text_add(text,
                          sl_takes(machine, SL_LOCKED_WRITE) ? ", locked read-modify-writes" : "");
            base_text_add(text, sl_takes(machine, SL_IFETCH) ? ", fetches" : "");
            base_text_add(text, sim_prefetch_queue(machine) != NULL ? ", prefetches" : "");
            base_text_add(text, sl_takes(machine, SL_FLUSH) ? ", flushes" : "");
            base_text_add(text, sl_takes(machine, SL_ACQUIRE) ? ", acquires" : "");
        }
    }
    for (uint32_t i = 0; i < w->cache_count; i++) {
        base_text_print(text, "\n  cache %s: ", w->caches[i].name);
        show_cache(&w->caches[i], text);
    }
    base_text_add(text, "\n\n");
    text_transitions(machine, text);
}

void sim_show_text(const sim_design *design, uint32_t wanted, base_text *text) {
    const sim_wiring *w = &design->wiring;
    base_text_print(text, "design %s: %s\nprotocol %s (%s)\ncores: ", design->name,
                    design->description, design->protocol->name, design->source);
    show_cores(w, text);
    base_text_add(text, "\nnetwork: ");
    show_network(w, text);
    base_text_print(text, "\nmemory: latency %u\nmemory model: %s\n", w->memory_latency,
                    sim_model_name(w));
    base_text_add(text, design->vary != NULL ? "varies from test to test:\n" : "");
    show_varied(design, "  ", "\n", text);
    if (wanted == SIM_ALL_MACHINES) {
        base_text_add(text, "\n");
        show_hierarchy(design, text);
    }
    slicc_reached taken = {0};
    col_problem unused;
    const bool is_read = sim_taken_read(&taken, design, w, &unused) == COL_OK;
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        if (sim_is_shown(wanted, m))
            text_machine(design->protocol->machines[m], &w->machines[m],
                         is_read ? sim_taken_count(&taken, design->protocol->machines[m]) : 0,
                         text);
    slicc_reached_free(&taken);
}

/* ---- Markdown: states down, events across. */

/* A description may hold what Markdown would obey. */
static void add_escaped(base_text *text, const char *string) {
    for (; *string != '\0'; string++) {
        if (strchr("\\|*_`<>[]", *string) != NULL)
            base_text_add(text, "\\");
        base_text_add_bytes(text, *string == '\n' ? " " : string, 1);
    }
}

static void markdown_table(const sl_machine *machine, base_text *text) {
    base_text_add(text, "| state |");
    for (uint32_t e = 0; e < machine->event_count; e++)
        base_text_print(text, " %s |", machine->events[e]);
    base_text_add(text, "\n| --- |");
    for (uint32_t e = 0; e < machine->event_count; e++)
        base_text_add(text, " --- |");
    base_text_add(text, "\n");
    for (uint32_t s = 0; s < machine->state_count; s++) {
        base_text_print(text, "| **%s** |", machine->states[s]);
        for (uint32_t e = 0; e < machine->event_count; e++) {
            const sl_cell *cell = sim_cell(machine, s, e);
            if (cell == NULL) {
                base_text_add(text, " |");
            } else if ((cell->flags & SL_STALL) != 0) {
                base_text_add(text, " stall |");
            } else {
                base_text_print(text, " → `%s`", sim_next_name(machine, cell));
                if (cell->action_count > 0)
                    base_text_add(text, "<br>");
                show_actions(machine, cell, " ", text);
                base_text_add(text, " |");
            }
        }
        base_text_add(text, "\n");
    }
}

static void markdown_machine(const sl_machine *machine, const sim_machine_wiring *w,
                             base_text *text) {
    const sim_counts counts = sim_count(machine);
    base_text_print(text, "\n## %s\n\n", machine->name);
    show_counts(&counts, text);
    base_text_add(text, "). Controllers: ");
    show_controllers(w, text);
    base_text_add(text, ".\n\n");
    for (uint32_t i = 0; i < w->cache_count; i++) {
        base_text_print(text, "- cache %s: ", w->caches[i].name);
        show_cache(&w->caches[i], text);
        base_text_add(text, i + 1 == w->cache_count ? "\n\n" : "\n");
    }
    markdown_table(machine, text);
}

void sim_show_markdown(const sim_design *design, uint32_t wanted, base_text *text) {
    const sim_wiring *w = &design->wiring;
    base_text_print(text, "# %s\n\n", design->name);
    add_escaped(text, design->description);
    base_text_print(text, ".\n\nProtocol %s. Cores: ", design->protocol->name);
    show_cores(w, text);
    base_text_add(text, ". Network: ");
    show_network(w, text);
    base_text_print(text, ". Memory: latency %u. Memory model: %s.\n", w->memory_latency,
                    sim_model_name(w));
    base_text_add(text, design->vary != NULL ? "\nFrom test to test it varies:\n\n" : "");
    show_varied(design, "- ", "\n", text);
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        if (sim_is_shown(wanted, m))
            markdown_machine(design->protocol->machines[m], &w->machines[m], text);
}

/* A design as one self-contained HTML page, and as a graph for dot. */

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
            show_actions(machine, cell, "\n", text);
            base_text_add(text, "</small>");
        }
        base_text_add(text, "</td>");
    }
}

static void html_machine(const sl_machine *machine, const sim_machine_wiring *w, base_text *text) {
    const sim_counts counts = sim_count(machine);
    html_element(text, "<section id=\"", machine->name, "\">");
    html_element(text, "<h2>", machine->name, "</h2>\n");
    base_text_add(text, "<p>");
    show_counts(&counts, text);
    base_text_add(text, "). Controllers: ");
    show_controllers(w, text);
    base_text_add(text, ".</p>\n");
    for (uint32_t i = 0; i < w->cache_count; i++) {
        html_element(text, "<p class=\"faint\">cache ", w->caches[i].name, ": ");
        show_cache(&w->caches[i], text);
        base_text_add(text, "</p>\n");
    }
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
    show_cores(&design->wiring, text);
    base_text_print(text, "; memory model: %s</p>\n", sim_model_name(&design->wiring));
    if (design->vary != NULL) {
        base_text_add(text, "<p>Varies from test to test:</p>\n<ul>\n");
        show_varied(design, "<li>", "</li>\n", text); /* names, which have nothing to escape */
        base_text_add(text, "</ul>\n");
    }
    if (wanted == SIM_ALL_MACHINES) {
        base_text_add(text, "<pre>");
        show_hierarchy(design, text);
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
