/* SPDX-License-Identifier: MIT */
/* Cells that were reached: see reached_transitions.h. */
#include "protocol/simulate/reached_transitions.h"

#include "base/file.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool sim_was_reached(const sim_system *s, uint32_t machine, uint32_t state, uint32_t event) {
    const sl_machine *m = s->protocol->machines[machine];
    const size_t cells = (size_t)m->state_count * m->event_count;
    const size_t cell = (size_t)state * m->event_count + event;
    for (uint32_t n = 0; n < s->wiring.machines[machine].count; n++)
        if (s->counts[machine][n * cells + cell] > 0)
            return true;
    return false;
}

col_status sim_reached_add(const sim_system *s, const char *path, col_problem *problem) {
    slicc_reached old = {0};
    slicc_report report = {0};
    base_text text = {0};
    col_status status = slicc_reached_read(&old, path, &report, problem);
    /* The cells of the system and of the file, as the tables have them. */
    base_text_print(&text,
                    "# SPDX-License-Identifier: MIT\n# Transitions of %s that are known to be "
                    "reachable, by search and simulation.\n",
                    s->protocol->name);
    for (uint32_t i = 0; i < s->protocol->machine_count; i++) {
        const sl_machine *m = s->protocol->machines[i];
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++) {
            const char *state = m->states[c / m->event_count];
            const char *event = m->events[c % m->event_count];
            if (slicc_reached_has(&old, m->name, state, event) ||
                sim_was_reached(s, i, c / m->event_count, c % m->event_count))
                base_text_print(&text, "%s %s %s\n", m->name, state, event);
        }
    }
    slicc_reached_complain(&old, &report); /* nothing of the file is lost silently */
    if (status == COL_OK)
        status = slicc_report_status(&report, problem);
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    slicc_reached_free(&old);
    slicc_report_free(&report);
    base_text_free(&text);
    return status;
}

/* Transitions that are known to be taken. */

static void say_caches(const sl_protocol *protocol, const sim_wiring *wiring, base_text *text) {
    bool is_first = true;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sim_machine_wiring *w = &wiring->machines[m];
        const char *name = protocol->machines[m]->name;
        if (!w->is_private) {
            base_text_print(text, "%s%s=%u", is_first ? "" : " ", name, w->count);
            is_first = false;
        }
        for (uint32_t i = 0; i < w->cache_count; i++) {
            const sim_cache_shape *c = &w->caches[i];
            base_text_print(text, "%s%s.%s=%llu/%u/%s", is_first ? "" : " ", name, c->name,
                            (unsigned long long)c->bytes, c->ways,
                            sim_replacements[c->replacement]);
            is_first = false;
        }
    }
}

/* Is the file about these caches, and no more cores? It says so in a line
 * "# cores 4, caches L1Cache.cache=...". */
static bool is_about(const char *text, const sim_wiring *wiring, const char *caches) {
    unsigned cores;
    int used = 0;
    const char *line = strstr(text, "# cores ");
    if (line == NULL || sscanf(line, "# cores %u, caches %n", &cores, &used) != 1 || used == 0)
        return false;
    line += used;
    return cores <= wiring->cores && strncmp(line, caches, strlen(caches)) == 0 &&
           line[strlen(caches)] == '\n';
}

uint32_t sim_taken_count(slicc_reached *taken, const sl_machine *machine) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < machine->state_count * machine->event_count; c++)
        count += slicc_reached_has(taken, machine->name, machine->states[c / machine->event_count],
                                   machine->events[c % machine->event_count]);
    return count;
}

static col_status read_list(slicc_reached *taken, const char *path, const sl_protocol *protocol,
                            col_problem *problem) {
    slicc_report report = {0};
    col_status status = slicc_reached_read(taken, path, &report, problem);
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        (void)sim_taken_count(taken, protocol->machines[m]);
    slicc_reached_complain(taken, &report);
    if (status == COL_OK)
        status = slicc_report_status(&report, problem);
    slicc_report_free(&report);
    return status;
}

col_status sim_taken_read(slicc_reached *taken, const sim_design *design, const sim_wiring *wiring,
                          col_problem *problem) {
    char path[sizeof design->path + 8];
    base_text text = {0}, caches = {0};
    const char *dot = strrchr(design->path, '.');
    if (dot == NULL || design->vary != NULL)
        return COL_OK;
    (void)snprintf(path, sizeof path, "%.*s.reached", (int)(dot - design->path), design->path);
    if (access(path, F_OK) != 0)
        return COL_OK;
    col_status status = base_file_read(path, &text, problem);
    say_caches(design->protocol, wiring, &caches);
    if (status == COL_OK)
        status = base_text_status(&caches, problem);
    if (status == COL_OK && text.data != NULL && caches.data != NULL &&
        is_about(text.data, wiring, caches.data))
        status = read_list(taken, path, design->protocol, problem);
    base_text_free(&text);
    base_text_free(&caches);
    return status;
}
