/* SPDX-License-Identifier: MIT */
/* Cells that were reached: see reached.h. */
#include "sim/reached.h"

#include "base/file.h"
#include "slicc/reached.h"

bool sim_was_reached(const sim_system *s, uint32_t machine, uint32_t state, uint32_t event) {
    const sl_machine *m = s->protocol->machines[machine];
    const size_t cells = (size_t)m->state_count * m->event_count;
    const size_t cell = (size_t)state * m->event_count + event;
    for (uint32_t n = 0; n < s->wiring.machines[machine].count; n++)
        if (s->counts[machine][n * cells + cell] > 0)
            return true;
    return false;
}

/* The cells of the system and of the file, as the tables have them. */
static void write_cells(const sim_system *s, slicc_reached *old, base_text *text) {
    base_text_print(text,
                    "# SPDX-License-Identifier: MIT\n# Transitions of %s that are known to be "
                    "reachable, by search and simulation.\n",
                    s->protocol->name);
    for (uint32_t i = 0; i < s->protocol->machine_count; i++) {
        const sl_machine *m = s->protocol->machines[i];
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++) {
            const char *state = m->states[c / m->event_count];
            const char *event = m->events[c % m->event_count];
            if (slicc_reached_has(old, m->name, state, event) ||
                sim_was_reached(s, i, c / m->event_count, c % m->event_count))
                base_text_print(text, "%s %s %s\n", m->name, state, event);
        }
    }
}

col_status sim_reached_add(const sim_system *s, const char *path, col_problem *problem) {
    slicc_reached old = {0};
    slicc_report report = {0};
    base_text text = {0};
    col_status status = slicc_reached_read(&old, path, &report, problem);
    write_cells(s, &old, &text);
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
