/* SPDX-License-Identifier: MIT */
/* Cells that were reached: see reached.h. */
#include "sim/reached.h"

#include "base/file.h"
#include "base/text.h"

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

/* Does the file have a line of these words? */
static bool has_line(const col_text *text, const char *line) {
    for (const char *at = text->data; at != NULL && *at != '\0';) {
        char machine[64], state[64], event[64], words[200];
        if (sscanf(at, "%63s %63[^#\n ] %63[^#\r\n\t ]", machine, state, event) == 3) {
            (void)snprintf(words, sizeof words, "%s %s %s", machine, state, event);
            if (strcmp(words, line) == 0)
                return true;
        }
        at = strchr(at, '\n');
        at += at != NULL;
    }
    return false;
}

col_status sim_reached_add(const sim_system *s, const char *path, col_error *error) {
    col_text old = {0}, fresh = {0};
    col_status status = access(path, F_OK) == 0 ? col_file_read(path, &old, error) : COL_OK;
    col_text_print(&fresh,
                   "# SPDX-License-Identifier: MIT\n# Transitions of %s that are known to "
                   "be reachable, by search and simulation.\n",
                   s->protocol->name);
    for (uint32_t i = 0; i < s->protocol->machine_count; i++) {
        const sl_machine *m = s->protocol->machines[i];
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++) {
            char line[160];
            (void)snprintf(line, sizeof line, "%s %s %s", m->name, m->states[c / m->event_count],
                           m->events[c % m->event_count]);
            if (sim_was_reached(s, i, c / m->event_count, c % m->event_count) ||
                has_line(&old, line))
                col_text_print(&fresh, "%s\n", line);
        }
    }
    if (status == COL_OK)
        status = col_text_status(&fresh, error);
    if (status == COL_OK)
        status = col_file_write(path, fresh.data, fresh.length, error);
    col_text_free(&old);
    col_text_free(&fresh);
    return status;
}
