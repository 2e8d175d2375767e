/* SPDX-License-Identifier: MIT */
/*
 * The library of design errors: every file edits the cells that the published row says and no
 * others, by tables of their own here; and bad files (tests/data/error-bad) give the error that
 * their first line expects.
 */
#include "base/file.h"
#include "base/folder.h"
#include "protocol/simulate/design_error.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What the published rows say. */

/* A cell that differs: where it leads, and what it does not do any more, or all that it does. */
typedef struct expected {
    const char *error, *machine, *state, *event;
    const char *next;    /* NULL: as before */
    const char *dropped; /* an action; NULL: none */
    const char *actions; /* of a new cell, one after the other; NULL: it is not new */
    bool removed;
} expected;

#define CHANGED(error, machine, state, event, next, dropped)                                       \
    { error, machine, state, event, next, dropped, NULL, false }
#define NEW(error, machine, state, event, next, actions)                                           \
    { error, machine, state, event, next, NULL, actions, false }

static const char put[] = "popL0RequestQueue ";
static const char take[] = "writeDataFromL0Request popL0RequestQueue ";
static const char take_all[] = "writeDataFromL2Response noteSource sendExclusiveUnblock "
                               "sendExclusiveDataToL0 freeTBE popL2ResponseQueue wakeWaiting ";
static const char take_some[] = "writeDataFromL2Response noteSource noteAcks popL2ResponseQueue ";

static const expected rows[] = {
    CHANGED("D0", "L1Cache", "IS", "Data_Exclusive", "EE", NULL),
    NEW("D0", "L1Cache", "I", "WriteBack", "I", put),
    NEW("D0", "L1Cache", "SS", "WriteBack", "SS", put),
    NEW("D0", "L1Cache", "M_I", "WriteBack", "M_I", put),
    NEW("D0", "L1Cache", "SINK_WB_ACK", "WriteBack", "SINK_WB_ACK", put),
    NEW("D0", "L1Cache", "EE", "WriteBack", "MM", take),
    NEW("D1", "L1Cache", "E", "L0_Invalidate_when_GETX", "EE", ""),
    NEW("D1", "L1Cache", "I", "WriteBack", "MM",
        "allocateCacheBlock writeDataFromL0Request popL0RequestQueue "),
    NEW("D1", "L1Cache", "S", "WriteBack", "S", put),
    NEW("D2", "L1Cache", "E", "L0_Invalidate_when_GETX", "EE", ""),
    NEW("D2", "L1Cache", "I", "WriteBack", "I", put),
    NEW("D2", "L1Cache", "S", "WriteBack", "S", put),
    NEW("D3", "L1Cache", "E", "L0_Invalidate_when_GETS", "EE", ""),
    NEW("D3", "L1Cache", "SS", "WriteBack", "SS", put),
    NEW("D3", "L1Cache", "S", "WriteBack", "S", put),
    CHANGED("D4", "L0Cache", "E", "Store", NULL, "mark_dirty"),
    CHANGED("D5", "L1Cache", "M_IL0", "L0_DataAck", "EE", NULL),
    CHANGED("D6", "L1Cache", "MM", "Load", "E", NULL),
    CHANGED("D7", "L2Cache", "MT", "L2_Replacement", "MCT_I", NULL),
    CHANGED("D8", "L1Cache", "E_IL0", "L0_DataAck", NULL, "writeDataFromL0Response"),
    CHANGED("D9", "L1Cache", "IS_I", "DataS_fromL1", NULL, "writeDataFromL2Response"),
    CHANGED("E.4.1", "L0Cache", "E", "Store", NULL, "mark_dirty"),
    CHANGED("E.4.2", "L1Cache", "M_IL0", "L0_DataAck", "EE", NULL),
    CHANGED("E.4.3", "L1Cache", "E", "WriteBack", NULL, "writeDataFromL0Request"),
    CHANGED("E.4.4", "L1Cache", "IS_I", "Data_all_Acks", NULL, "writeDataFromL2Response"),
    CHANGED("E.4.5", "L1Cache", "E_IL0", "L0_DataAck", NULL, "writeDataFromL0Response"),
    CHANGED("E.4.6", "L1Cache", "IS_I", "DataS_fromL1", NULL, "writeDataFromL2Response"),
    CHANGED("E.4.7", "L1Cache", "E_IL0", "WriteBack", NULL, "writeDataFromL0Request"),
    CHANGED("E.4.8", "L1Cache", "IS", "Inv", "IS", NULL),
    NEW("E.4.8", "L1Cache", "SM", "Data_all_Acks", "M", take_all),
    NEW("E.4.8", "L1Cache", "SM", "Data", "SM", take_some),
    CHANGED("E.4.9", "L1Cache", "S", "L0_Invalidate_Own", "SS", "forward_eviction_to_L0_own"),
    CHANGED("E.5.1", "L1Cache", "IS_I", "Data_all_Acks", NULL, "writeDataFromL2Response"),
    CHANGED("E.5.2", "L1Cache", "IS", "Inv", "IS", NULL),
    NEW("E.5.2", "L1Cache", "SM", "Data_all_Acks", "M", take_all),
    NEW("E.5.2", "L1Cache", "SM", "Data", "SM", take_some),
    CHANGED("E.5.3", "L1Cache", "IS_I", "DataS_fromL1", NULL, "writeDataFromL2Response"),
    CHANGED("E.5.4", "L1Cache", "E_IL0", "WriteBack", NULL, "writeDataFromL0Request"),
    CHANGED("E.5.5", "L1Cache", "S", "L0_Invalidate_Own", "SS", "forward_eviction_to_L0_own"),
    CHANGED("e.5.1", "L1Cache", "SI", "Writeback_Ack_Data", NULL, "blockIntoMessage"),
    CHANGED("e.5.2", "L2Cache", "ILXW", "L1_WBDIRTYDATA", NULL, "writeDataToCache"),
    CHANGED("e.5.3", "L1Cache", "OM", "Fwd_GETS", NULL, "blockIntoMessage"),
    CHANGED("e.5.4", "L2Cache", "ILOXW", "L1_WBCLEANDATA", NULL, "writeDataToCache"),
    CHANGED("e.5.5", "L1Cache", "SM", "Fwd_GETS", NULL, "blockIntoMessage"),
    CHANGED("MESI,LQ+IS,Inv", "L1Cache", "IS_I", "Data_all_Acks", NULL, "tellCore"),
    CHANGED("MESI,LQ+IS,Inv", "L1Cache", "IS_I", "DataS_fromL1", NULL, "tellCore"),
    CHANGED("MESI,LQ+SM,Inv", "L1Cache", "SM", "Inv", NULL, "tellCore"),
    CHANGED("MESI,LQ+E,Inv", "L1Cache", "E", "Inv", NULL, "tellCore"),
    CHANGED("MESI,LQ+M,Inv", "L1Cache", "M", "Inv", NULL, "tellCore"),
    CHANGED("MESI,LQ+S,Replacement", "L1Cache", "S", "L1_Replacement", NULL, "tellCore"),
    {"MESI+PUTX-Race", "L2Cache", "MT", "L1_PUTX_old", NULL, NULL, NULL, true},
    CHANGED("MESI+Replace-Race", "L2Cache", "MCT_I", "WB_Data", NULL, "noteModified"),
    CHANGED("MESI+lost-sharer", "L2Cache", "SS", "L1_GETS", NULL, "addSharer"),
    CHANGED("MESI+no-wake-up", "L1Cache", "IS", "Data_all_Acks", NULL, "wakeWaiting"),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* What differs in the wiring. */
static const struct wired {
    const char *error, *machine, *parameter;
    uint32_t ways, without;
} wired[] = {
    {"D1", "L1Cache", "split_GETX", 0, 0},
    {"D2", "L1Cache", "split_GETX", 0, 0},
    {"D3", "L1Cache", "split_GETS", 0, 0},
    {"E.4.9", "L0Cache", NULL, 2, 0},
    {"E.5.5", "L0Cache", NULL, 2, 0},
    {"TSO-CC+no-epoch-ids", "L1Cache", "without_epoch_ids", 0, 0},
    {"TSO-CC+no-epoch-ids", "L2Cache", "without_epoch_ids", 0, 0},
    {"TSO-CC+compare", "L1Cache", "equal_is_old", 0, 0},
    {"LQ+no-TSO", NULL, NULL, 0, 1U << SIM_SQUASH},
    {"SQ+no-FIFO", NULL, NULL, 0, 1U << SIM_FIFO},
};
enum { WIRED = sizeof wired / sizeof wired[0] };

/* ---- Each file against its rows. */

static uint32_t index_of(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

static void list_actions(const sl_machine *machine, const uint16_t *list, const sl_cell *cell,
                         const char *dropped, char text[1024]) {
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < cell->action_count; i++) {
        const char *name = machine->actions[list[cell->first_action + i]];
        if (dropped == NULL || strcmp(name, dropped) != 0)
            length += (size_t)snprintf(text + length, 1024 - length, "%s ", name);
        else
            dropped = NULL;
    }
    assert_null(dropped); /* it was there */
}

static void check_row(const expected *row, const sl_machine *machine, const sl_cell *before,
                      const sl_cell *after, const uint16_t *list) {
    char was[1024], is[1024];
    if (row->removed) {
        assert_true((before->flags & SL_DEFINED) != 0);
        assert_int_equal(after->flags & SL_DEFINED, 0);
        return;
    }
    assert_int_equal((before->flags & SL_DEFINED) == 0, row->actions != NULL);
    assert_true((after->flags & SL_DEFINED) != 0);
    assert_int_equal(after->flags & (SL_STALL | SL_NEXT_BY_FUNCTION), 0);
    if (row->next != NULL)
        assert_string_equal(machine->states[after->next], row->next);
    else
        assert_int_equal(after->next, before->next);
    list_actions(machine, list, after, NULL, is);
    if (row->actions == NULL)
        list_actions(machine, machine->action_list, before, row->dropped, was);
    assert_string_equal(is, row->actions == NULL ? was : row->actions);
}

static const expected *find_row(const char *error, const char *machine, const char *state,
                                const char *event) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].error, error) == 0 && strcmp(rows[i].machine, machine) == 0 &&
            strcmp(rows[i].state, state) == 0 && strcmp(rows[i].event, event) == 0)
            return &rows[i];
    return NULL;
}

/* Every cell: those of the rows differ as they say, the others not at all. */
static void check_cells(const char *id, const sim_system *system) {
    size_t checked = 0, wanted = 0;
    for (size_t i = 0; i < ROWS; i++)
        wanted += strcmp(rows[i].error, id) == 0;
    for (uint32_t m = 0; m < system->protocol->machine_count; m++) {
        const sl_machine *machine = system->protocol->machines[m];
        for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++) {
            const sl_cell *before = &machine->cells[i], *after = &system->cells[m][i];
            const expected *row =
                find_row(id, machine->name, machine->states[i / machine->event_count],
                         machine->events[i % machine->event_count]);
            if (row == NULL) {
                assert_memory_equal(before, after, sizeof *before);
                continue;
            }
            check_row(row, machine, before, after, system->action_lists[m]);
            checked++;
        }
    }
    assert_int_equal(checked, wanted);
}

static int64_t parameter_of(const sim_machine_wiring *w, const char *name) {
    for (uint32_t i = 0; i < w->parameter_count; i++)
        if (strcmp(w->parameters[i].name, name) == 0)
            return w->parameters[i].value;
    return 0;
}

/* `was` is put right by the table, and must then be the same as `is`. */
static void check_wiring(const char *id, const sl_protocol *protocol, sim_wiring *was,
                         const sim_wiring *is) {
    const char *names[SIM_MOST_MACHINES];
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        names[m] = protocol->machines[m]->name;
    for (size_t i = 0; i < WIRED; i++) {
        if (strcmp(wired[i].error, id) != 0)
            continue;
        was->core.without |= wired[i].without;
        if (wired[i].machine == NULL)
            continue;
        const uint32_t m = index_of(names, protocol->machine_count, wired[i].machine);
        if (wired[i].ways > 0) {
            assert_int_not_equal(was->machines[m].caches[0].ways, wired[i].ways);
            was->machines[m].caches[0].ways = wired[i].ways;
        }
        if (wired[i].parameter != NULL) {
            assert_int_equal(parameter_of(&was->machines[m], wired[i].parameter), 0);
            sim_wiring_parameter(&was->machines[m], wired[i].parameter, 1);
        }
    }
    assert_memory_equal(was, is, sizeof *was);
}

static void check_error(const base_library_file *file, const char *design_name) {
    static sim_design design;
    static sim_wiring before;
    sim_design_error *wrong;
    sim_system *system;
    col_problem problem;
    assert_int_equal(sim_design_open(&design, design_name, 2, NULL, &problem), COL_OK);
    if (sim_design_error_open(&wrong, file->name, design.protocol, &problem) != COL_OK)
        fail_msg("%s:%u:%u: %s", problem.file, problem.line, problem.column, problem.message);
    assert_string_equal(wrong->path, file->path);
    assert_string_equal(wrong->id, file->name);
    assert_string_equal(wrong->name, file->name); /* the papers' name */
    assert_true(wrong->source[0] != '\0' && wrong->level[0] != '\0' && wrong->summary[0] != '\0' &&
                wrong->explanation[0] != '\0');
    memcpy(&before, &design.wiring, sizeof before);
    assert_int_equal(sim_design_error_wire(wrong, design.protocol, &design.wiring, &problem),
                     COL_OK);
    check_wiring(wrong->id, design.protocol, &before, &design.wiring);
    assert_int_equal(sim_system_new(&system, design.protocol, &design.wiring, &problem), COL_OK);
    assert_int_equal(sim_design_error_apply(wrong, system, &problem), COL_OK);
    check_cells(wrong->id, system);
    sim_system_free(system);
    sim_design_error_free(wrong);
    sim_design_close(&design);
}

TEST(every_error_edits_what_its_row_says) {
    base_library library;
    col_problem problem;
    assert_int_equal(sim_design_error_list(&library, &problem), COL_OK);
    assert_int_equal(library.count, 42);
    for (size_t i = 0; i < library.count; i++) {
        char folder[64];
        const char *slash = strrchr(library.entries[i].path, '/');
        const char *start = slash;
        while (start[-1] != '/')
            start--;
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - start), start);
        check_error(&library.entries[i], strcmp(folder, "core") == 0 ? "msi" : folder);
    }
    base_library_free(&library);
}

static const sl_cell *cell_of(const sim_system *system, uint32_t m, const char *state,
                              const char *event) {
    const sl_machine *machine = system->protocol->machines[m];
    return &system->cells[m][index_of(machine->states, machine->state_count, state) *
                                 machine->event_count +
                             index_of(machine->events, machine->event_count, event)];
}

/* A new cell sends what the cell sends that it is made after, and waits for the same room. */
TEST(new_cells_wait_for_room) {
    static sim_design design;
    sim_design_error *wrong;
    sim_system *system;
    uint32_t m;
    assert_int_equal(sim_design_open(&design, "mesi3", 2, NULL, NULL), COL_OK);
    assert_int_equal(sim_design_error_open(&wrong, "E.4.8", design.protocol, NULL), COL_OK);
    assert_int_equal(sim_system_new(&system, design.protocol, &design.wiring, NULL), COL_OK);
    assert_int_equal(sim_design_error_apply(wrong, system, NULL), COL_OK);
    assert_int_equal(sim_find_machine(design.protocol, "L1Cache", &m, NULL), COL_OK);
    const sl_cell *like = cell_of(system, m, "IM", "Data_all_Acks");
    const sl_cell *made = cell_of(system, m, "SM", "Data_all_Acks");
    assert_true(like->resource_count > 0);
    assert_int_equal(made->resource_count, like->resource_count);
    assert_int_equal(made->first_resource, like->first_resource);
    sim_system_free(system);
    sim_design_error_free(wrong);
    sim_design_close(&design);
}

static void assert_waits(const char *errors, const char *state, const char *event, bool waits) {
    static sim_design design;
    sim_design_error *wrong;
    sim_system *system;
    uint32_t m;
    assert_int_equal(sim_design_open(&design, "mi", 2, NULL, NULL), COL_OK);
    assert_int_equal(sim_design_error_open(&wrong, errors, design.protocol, NULL), COL_OK);
    assert_int_equal(sim_system_new(&system, design.protocol, &design.wiring, NULL), COL_OK);
    assert_int_equal(sim_design_error_apply(wrong, system, NULL), COL_OK);
    assert_int_equal(sim_find_machine(design.protocol, "L1Cache", &m, NULL), COL_OK);
    const sl_cell *like = cell_of(system, m, "I", "Load"), *made = cell_of(system, m, state, event);
    assert_true((like->flags & SL_CHECK_TBE) != 0 && like->check > 0);
    assert_int_equal((made->flags & SL_CHECK_TBE) != 0, waits);
    assert_int_equal(made->check, waits ? like->check : 0);
    sim_system_free(system);
    sim_design_error_free(wrong);
    sim_design_close(&design);
}

/* An action that allocates a TBE waits for one wherever an edit puts it. */
TEST(edited_cells_wait_for_what_their_actions_allocate) {
    assert_waits("{at: L1Cache/I/Replacement, plus: [allocateTBE]}", "I", "Replacement", true);
    assert_waits("{at: L1Cache/I/Replacement, plus: [tellCore]}", "I", "Replacement", false);
    assert_waits("{at: L1Cache/M/Load, actions: [loadHit, allocateTBE]}", "M", "Load", true);
    assert_waits("{at: L1Cache/M/Load, next: I}", "M", "Load", false);
    assert_waits("{at: L1Cache/I/Put_Ack, new: true, next: I, actions: [allocateTBE]}", "I",
                 "Put_Ack", true);
    assert_waits("{at: L1Cache/I/Put_Ack, new: true, next: I, actions: [popResponse]}", "I",
                 "Put_Ack", false);
    assert_waits("{at: L1Cache/MI/Replacement, new: true, next: MI, as: L1Cache/M/Replacement}",
                 "MI", "Replacement", true);
}

/* What is said to be the same is. */
TEST(errors_declared_the_same_are_the_same) {
    const sl_protocol *protocol = sim_built_in_find("mesi3");
    base_library library;
    col_problem problem;
    uint32_t checked = 0;
    assert_int_equal(sim_design_error_list(&library, &problem), COL_OK);
    for (size_t i = 0; i < library.count; i++) {
        sim_design_error *wrong, *other;
        assert_int_equal(sim_design_error_read(&wrong, &library.entries[i], protocol, &problem),
                         COL_OK);
        if (wrong == NULL || wrong->same_as[0] == '\0') {
            sim_design_error_free(wrong);
            continue;
        }
        assert_int_equal(sim_design_error_open(&other, wrong->same_as, protocol, &problem), COL_OK);
        assert_int_equal(wrong->edit_count, other->edit_count);
        assert_int_equal(wrong->class, other->class);
        for (uint32_t e = 0; e < wrong->edit_count; e++) {
            sim_cell_change a, b;
            base_text one = {0}, two = {0};
            assert_int_equal(sim_design_error_change(wrong, e, protocol, &a, &problem), COL_OK);
            assert_int_equal(sim_design_error_change(other, e, protocol, &b, &problem), COL_OK);
            sim_design_error_say(protocol, &a, &one);
            sim_design_error_say(protocol, &b, &two);
            assert_string_equal(one.data, two.data);
            base_text_free(&one);
            base_text_free(&two);
        }
        sim_design_error_free(wrong);
        sim_design_error_free(other);
        checked++;
    }
    assert_int_equal(checked, 9);
    base_library_free(&library);
}

TEST(every_error_is_in_the_documentation) {
    base_library library;
    base_text page = {0};
    col_problem problem;
    char path[1024];
    const char *root = strrchr(README_FILE, '/');
    (void)snprintf(path, sizeof path, "%.*s/docs/errors-library.md", (int)(root - README_FILE),
                   README_FILE);
    assert_int_equal(base_file_read(path, &page, &problem), COL_OK);
    assert_int_equal(sim_design_error_list(&library, &problem), COL_OK);
    for (size_t i = 0; i < library.count; i++) {
        char row[128];
        (void)snprintf(row, sizeof row, "| `%s` |", library.entries[i].name);
        if (strstr(page.data, row) == NULL)
            fail_msg("%s is not in the table of docs/errors-library.md", library.entries[i].name);
    }
    base_library_free(&library);
    base_text_free(&page);
}

/* ---- Files that are wrong. */

/* Also if only the wiring that it makes is wrong, or a name in an edit. */
static col_status read_error(const char *path, const base_text *text, col_problem *problem) {
    static sim_design design;
    sim_design_error *wrong = NULL;
    sim_system *system = NULL;
    assert_int_equal(sim_design_open(&design, "msi", 2, NULL, problem), COL_OK);
    col_status status = sim_design_error_open(&wrong, path, design.protocol, problem);
    if (status == COL_OK)
        status = sim_design_error_wire(wrong, design.protocol, &design.wiring, problem);
    if (status == COL_OK)
        status = sim_system_new(&system, design.protocol, &design.wiring, problem);
    if (status == COL_OK)
        status = sim_design_error_apply(wrong, system, problem);
    sim_system_free(system);
    sim_design_error_free(wrong);
    sim_design_close(&design);
    return status;
}

static uint32_t cell_place(const sl_protocol *protocol, const sim_mutant *mutant) {
    return mutant->state * protocol->machines[mutant->machine]->event_count + mutant->event;
}

/* Nothing is said of a cell before the edits before it, or a mutant, are there. */
TEST(an_edit_takes_back_what_was_before_it) {
    static const char mend[] = "{ at: L1Cache/I/Load, next: IM }";
    const sl_protocol *mi = sim_built_in_find("mi");
    sim_mutant mutant;
    sim_design_error *wrong;
    col_problem problem;
    run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(mi, &shape), *whole = make_system(mi, &shape);
    assert_true(sim_table_mutant(mi, 1, &mutant));
    assert_int_equal(sim_mutant_apply(system, &mutant, &problem), COL_OK);
    assert_int_equal(sim_design_error_open(&wrong, mend, mi, &problem), COL_OK);
    assert_int_equal(sim_design_error_apply(wrong, system, &problem), COL_OK);
    assert_int_equal(system->cells[mutant.machine][cell_place(mi, &mutant)].next,
                     whole->cells[mutant.machine][cell_place(mi, &mutant)].next);
    assert_int_equal(sim_design_error_apply(wrong, whole, &problem), COL_BAD_INPUT);
    sim_design_error_free(wrong);
    sim_system_free(system);
    sim_system_free(whole);
}

TEST(bad_files_are_refused_with_their_place) {
    expect_refusals(TEST_DATA "/error-bad", 50, false, read_error);
}

/* Where a file may hold only this many, one more is refused. */
TEST(lists_that_are_too_long_are_refused) {
    sim_design_error *wrong = malloc(sizeof *wrong);
    base_text text = {0};
    col_problem problem;
    assert_non_null(wrong);
    base_text_add(&text, "class: SWMR\nsummary: many\nedits:\n");
    for (uint32_t i = 0; i < SIM_ERROR_EDITS; i++)
        base_text_print(&text, "  - { at: A/B/C%u, remove: true }\n", i);
    assert_int_equal(sim_design_error_parse(wrong, text.data, text.length, "x.yaml", &problem),
                     COL_OK);
    assert_int_equal(wrong->edit_count, SIM_ERROR_EDITS);
    base_text_add(&text, "  - { at: A/B/D, remove: true }\n");
    assert_int_equal(sim_design_error_parse(wrong, text.data, text.length, "x.yaml", &problem),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, 4 + SIM_ERROR_EDITS);
    assert_non_null(strstr(problem.message, "at most"));
    base_text_free(&text);
    free(wrong);
}

/* ---- Finding files. */

static void write_error(const char *folder, const char *name, const char *protocol,
                        const char *summary) {
    char path[256], text[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int length = snprintf(
        text, sizeof text, "class: SWMR\nsummary: %s\nprotocol: %s\ncore: { without: [squash] }\n",
        summary, protocol);
    assert_int_equal(base_file_write(path, text, (size_t)length, NULL), COL_OK);
}

static void assert_summary(const char *id, const char *protocol, const char *summary) {
    sim_design_error *wrong;
    col_problem problem;
    if (sim_design_error_open(&wrong, id, sim_built_in_find(protocol), &problem) != COL_OK)
        fail_msg("%s for %s: %s", id, protocol, problem.message);
    assert_string_equal(wrong->summary, summary);
    sim_design_error_free(wrong);
}

static void assert_refused(const char *id, const char *protocol, const char *sentence) {
    sim_design_error *wrong;
    col_problem problem;
    assert_int_equal(sim_design_error_open(&wrong, id, sim_built_in_find(protocol), &problem),
                     COL_BAD_INPUT);
    assert_null(wrong);
    if (strstr(problem.message, sentence) == NULL)
        fail_msg("%s for %s: %s", id, protocol, problem.message);
}

/* Own files go before those of the library, and an ID may be used for each protocol. */
TEST(files_are_found_in_their_order) {
    char folder[] = "/tmp/collider-errors-XXXXXX", inside[64], command[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(inside, sizeof inside, "%s/deeper", folder);
    assert_int_equal(base_folder_make(inside, NULL), COL_OK);
    write_error(folder, "D9.yaml", "mesi3", "mine");
    write_error(inside, "D9.yaml", "moesi2", "mine too");
    write_error(inside, "X.yaml", "mi", "x");
    write_error(folder, "notes.txt", "mi", "x");
    assert_int_equal(setenv("COLLIDER_ERRORS", folder, 1), 0);
    assert_summary("D9", "mesi3", "mine");
    assert_summary("D9", "moesi2", "mine too");
    assert_summary("X", "mi", "x");
    assert_refused("D9", "mi", "the error D9 is for the protocol m");
    assert_refused("D8", "mi", "the error D8 is for the protocol mesi3, and the design has mi");
    assert_refused("notes", "mi",
                   "there is no design error 'notes' for the protocol mi; there are "
                   "LQ+no-TSO; SQ+no-FIFO; X");
    assert_int_equal(unsetenv("COLLIDER_ERRORS"), 0);
    assert_refused("X", "mi", "there are LQ+no-TSO; SQ+no-FIFO");
    assert_refused("/no/such.yaml", "mi", "cannot read /no/such.yaml");
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

TEST(edits_are_described_in_words) {
    static const char *const sentences[] = {
        "L1Cache: S by Inv leads to S instead of I, without acknowledge, tellCore",
        "Directory: S by GetM is missing",
        "L1Cache: M by Inv is new and leads to I",
        "L1Cache: I by Data is new and leads to I",
    };
    const sl_protocol *protocol = sim_built_in_find("msi");
    sim_design_error *wrong;
    col_problem problem;
    assert_int_equal(
        sim_design_error_open(&wrong, TEST_DATA "/error/everything.yaml", protocol, &problem),
        COL_OK);
    assert_string_equal(wrong->explanation, "Two lines and a word.");
    for (uint32_t i = 0; i < wrong->edit_count; i++) {
        sim_cell_change change;
        base_text text = {0};
        assert_int_equal(sim_design_error_change(wrong, i, protocol, &change, &problem), COL_OK);
        sim_design_error_say(protocol, &change, &text);
        assert_string_equal(text.data, sentences[i]);
        base_text_free(&text);
    }
    sim_design_error_free(wrong);
}

int main(void) {
    (void)unsetenv("COLLIDER_ERRORS"); /* the library alone */
    return run_all_tests(NULL, NULL);
}
