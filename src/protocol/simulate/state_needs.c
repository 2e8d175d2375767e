/* SPDX-License-Identifier: MIT */
/* What a controller waits for, by its transition table: see state_needs.h. */
#include "protocol/simulate/state_needs.h"

#include <string.h>

/* ---- Which state is it in? */

/* The record that in_ports hand to getState: that of a cache, of machines without caches that of
 * their table. */
static void *entry_of(const sl_controller *c, sl_address block) {
    const sl_machine *m = c->machine;
    bool has_cache = false;
    void *entry = NULL;
    for (uint32_t i = 0; i < m->member_count && entry == NULL; i++)
        if (m->members[i].kind == SL_MEMBER_CACHE) {
            has_cache = true;
            entry = sl_cache_lookup(sim_member(c, &m->members[i]), block);
        }
    for (uint32_t i = 0; i < m->member_count && entry == NULL && !has_cache; i++)
        if (m->members[i].kind == SL_MEMBER_TABLE)
            entry = sl_table_lookup(sim_member(c, &m->members[i]), block);
    return entry;
}

bool sim_has_tbe(const sl_controller *c, sl_address block, void **tbe) {
    const sl_machine *m = c->machine;
    *tbe = NULL;
    for (uint32_t i = 0; i < m->member_count && *tbe == NULL; i++)
        if (m->members[i].kind == SL_MEMBER_TBES)
            *tbe = sl_table_lookup(sim_member(c, &m->members[i]), block);
    return *tbe != NULL;
}

bool sim_is_named(const sl_controller *c, sl_address block, const sl_controller *other) {
    void *record;
    if (!sim_has_tbe(c, block, &record))
        record = entry_of(c, block);
    const sl_entry *entry = record;
    if (entry == NULL || entry->record >= c->machine->record_count)
        return false;
    for (const sl_field *f = c->machine->records[entry->record]; f->kind != SL_FIELD_END; f++) {
        const uint8_t *at = (const uint8_t *)record + f->offset;
        sl_machine_id id;
        sl_destination many;
        if (f->kind == SL_FIELD_MACHINE) {
            memcpy(&id, at, sizeof id);
            if (id == other->machine_id)
                return true;
        } else if (f->kind == SL_FIELD_DESTINATION) {
            memcpy(&many, at, sizeof many);
            if ((many.words[other->id / 64] >> (other->id % 64) & 1) != 0)
                return true;
        }
    }
    return false;
}

/* The protocol's own function may find something wrong, which is not what is asked for now. */
COL_NEVER_INLINE uint32_t ask(sim_system *s, sl_controller *c, void *tbe, void *entry,
                              sl_address block) {
    volatile uint32_t state = SIM_NO_STATE;
    if (setjmp(s->escape) == 0)
        state = c->get_state(c, tbe, entry, block);
    return state;
}

uint32_t sim_state_of(sim_system *s, sl_controller *c, sl_address block) {
    void *tbe;
    jmp_buf escape;
    if (c->get_state == NULL)
        return SIM_NO_STATE;
    (void)sim_has_tbe(c, block, &tbe);
    memcpy(&escape, &s->escape, sizeof escape);
    s->is_asking = true;
    const uint32_t state = ask(s, c, tbe, entry_of(c, block), block);
    s->is_asking = false;
    memcpy(&s->escape, &escape, sizeof escape);
    return state < c->machine->state_count ? state : SIM_NO_STATE;
}

/* ---- Which states are at rest? */

/* Does nothing but leave the message where it is, as far as the table says: whoever takes a message
 * does that by an action, and something else by another. */
static bool holds_up(const sl_cell *cell, uint32_t state) {
    return (cell->flags & SL_STALL) != 0 ||
           ((cell->flags & SL_DEFINED) != 0 && (cell->flags & SL_NEXT_BY_FUNCTION) == 0 &&
            cell->next == state && cell->action_count <= 1);
}

static bool leads_on(const sl_cell *cell, uint32_t state) {
    return (cell->flags & (SL_DEFINED | SL_STALL | SL_NEXT_BY_FUNCTION)) == SL_DEFINED &&
           cell->next != state;
}

bool sim_is_busy(const sl_machine *m, uint32_t state) {
    enum { BACKING_STORE_BUSY = 4, BUSY = 7 }; /* AccessPermission, in the prelude's order */
    return m->permissions[state] == BUSY || m->permissions[state] == BACKING_STORE_BUSY;
}

/* Requests are what leads on from the first state, where nothing is held. */
static bool is_at_rest(const sl_machine *m, const sl_cell *cells, uint32_t state) {
    if (sim_is_busy(m, state))
        return false;
    for (uint32_t e = 0; e < m->event_count; e++)
        if (leads_on(&cells[e], 0) && holds_up(&cells[state * m->event_count + e], state))
            return false;
    return true;
}

/* Transitions to a state at rest, at least; UINT32_MAX: there is no way. */
static void measure(const sl_machine *m, const sl_cell *cells, uint32_t *far) {
    for (uint32_t s = 0; s < m->state_count; s++)
        far[s] = is_at_rest(m, cells, s) ? 0 : UINT32_MAX;
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t s = 0; s < m->state_count; s++)
            for (uint32_t e = 0; e < m->event_count; e++) {
                const sl_cell *cell = &cells[s * m->event_count + e];
                if (!leads_on(cell, s) || far[cell->next] == UINT32_MAX ||
                    far[s] <= far[cell->next] + 1)
                    continue;
                far[s] = far[cell->next] + 1;
                is_new = true;
            }
    }
}

void sim_say_needs(const sl_machine *m, const sl_cell *cells, uint32_t state, base_text *text) {
    enum { MOST = 3 };
    uint32_t far[SIM_MOST_STATES], events[MOST], count = 0;
    if (m->state_count > SIM_MOST_STATES)
        return;
    measure(m, cells, far);
    for (uint32_t e = 0; e < m->event_count; e++) {
        const sl_cell *cell = &cells[state * m->event_count + e];
        if (leads_on(cell, state) && far[cell->next] < far[state] && count++ < MOST)
            events[count - 1] = e;
    }
    const uint32_t shown = count < MOST ? count : MOST;
    for (uint32_t i = 0; i < shown; i++)
        base_text_print(text, "%s%s",
                        i == 0           ? ""
                        : i + 1 == count ? " or "
                                         : ", ",
                        m->events[events[i]]);
    if (count > MOST)
        base_text_add(text, " or others");
}
