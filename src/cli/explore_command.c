/* SPDX-License-Identifier: MIT */
/* collider explore: search all states of a small system of a design. */
#include "base/json.h"
#include "base/machine.h"
#include "base/number.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "cli/explore_results.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"text", "dot", NULL};

#define EXPLORE_OPTIONS(X)                                                                         \
    X(CORES, "cores", "N", NULL, "cores of the system (those of the design file, else 2)",         \
      CLI_NUMBER(cli_explore_request, cores, 1, EXP_MOST_CORES))                                   \
    X(BLOCKS, "blocks", "N", "1", "blocks that the cores access; they compete for every cache",    \
      CLI_NUMBER(cli_explore_request, search.blocks, 1, EXP_MOST_BLOCKS))                          \
    X(OUTSTANDING, "outstanding", "N", "1", "outstanding accesses per core",                       \
      CLI_NUMBER(cli_explore_request, search.outstanding, 1, EXP_MOST_BLOCKS))                     \
    X(OPERATIONS, "operations", "LIST", NULL,                                                      \
      "accesses that cores make, such as load,store (all that the protocol takes)")                \
    X(CACHES, "caches", "A:B:C", "1:1:1",                                                          \
      "blocks that fit into a core's nearest cache, its further ones, and shared ones; or "        \
      "design, for the ways of the design's own caches")                                           \
    X(ERROR, "error", "ID", NULL,                                                                  \
      "with a design error: an ID of the library (collider design errors), or a file (.yaml)",     \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(TBES, "tbes", "N", NULL, "TBEs of each controller (the design's)",                           \
      CLI_NUMBER(cli_explore_request, tbes, 1, MOST_TBES))                                         \
    X(SLOTS, "slots", "N", NULL, "room of each queue, with back-pressure (no limit)",              \
      CLI_NUMBER(cli_explore_request, search.slots, 1, MOST_SLOTS))                                \
    X(TIME, "time", "T", "600s", "stop the search after T; with --emit after half of it",          \
      CLI_TIME(BASE_SECONDS, cli_explore_request, seconds, MOST_SECONDS))                          \
    X(STATES, "states", "N", NULL, "stop the search after about N states",                         \
      CLI_NUMBER(cli_explore_request, search.most_states, 1, UINT64_MAX))                          \
    X(MEMORY, "memory", "N", "8G", "stop the search when it holds N bytes")                        \
    X(PLAIN, "plain", NULL, NULL, "tell cores and blocks apart that the design treats alike",      \
      CLI_FLAG(cli_explore_request, is_plain))                                                     \
    X(ALL_STEPS, "all-steps", NULL, NULL, "take steps that commute in every order",                \
      CLI_FLAG(cli_explore_request, search.takes_all_steps))                                       \
    X(ANY_MEMBER, "any-member", NULL, NULL,                                                        \
      "take any member of a set for the smallest, so that cores are alike: more can happen",       \
      CLI_FLAG(cli_explore_request, search.takes_any))                                             \
    X(EXACT, "exact", NULL, NULL, "compare states, not hashes of them",                            \
      CLI_FLAG(cli_explore_request, search.is_exact))                                              \
    X(LIVELOCK, "livelock", NULL, NULL,                                                            \
      "also look for states from which an access can never complete (more memory)",                \
      CLI_FLAG(cli_explore_request, search.finds_livelocks))                                       \
    X(JOBS, "jobs", "N", NULL, "threads (as many as there are processors)",                        \
      CLI_NUMBER(cli_explore_request, search.workers, 1, EXP_MOST_WORKERS))                        \
    X(SAVE, "save", "SEARCH", NULL, "save the search in this file, to resume it later",            \
      .writes = true, .adds = true)                                                                \
    X(SAVE_EVERY, "save-every", "T", "10m", "with --save: also save after every T of searching",   \
      CLI_TIME(BASE_DELAY, cli_explore_request, search.save_every, MOST_SECONDS))                  \
    X(RESUME, "resume", "SEARCH", NULL,                                                            \
      "continue the search in this file; it may be the one of --save", .input = BASE_INPUT)        \
    X(FORMAT, "format", "NAME", "text", "%s: dot draws a search of at most 5000 states", formats)  \
    X(REACHED, "reached", "FILE", NULL,                                                            \
      "add the cells that were reached to this file (see docs/exploration.md)", .adds = true)      \
    X(WITNESSES, "witnesses", "FILE", NULL, "write how each transition is reached, as JSON")       \
    X(REACH, "reach", "CELL", NULL,                                                                \
      "stop when this transition is reached, and show how; or all, with --emit")                   \
    X(EMIT, "emit", "PATH", NULL,                                                                  \
      "with --reach: write a test that takes the transition; of all, a folder of tests")           \
    X(SEED, "seed", "N", "1", "with --emit: the seed of all random choices",                       \
      CLI_NUMBER(cli_explore_request, seed, 0, UINT64_MAX))                                        \
    CLI_COMMON_OPTIONS(X)

enum {
    FOUND_WRONG = 1,
    MOST_BLOCKS_OF_CACHE = 16,
    USUAL_CORES = 2,
    MOST_TBES = 65536,
    MOST_SLOTS = 64,
    AGAIN_BYTES = 256,
    MOST_SECONDS = 1000000000
};

CLI_TABLE(EXPLORE_OPTIONS);

static col_status parse_caches(const cli_arguments *arguments, cli_explore_request *r,
                               col_problem *problem) {
    char text[64];
    if (strcmp(arguments->values[OPTION_CACHES], "design") == 0) {
        r->keeps_ways = true;
        return COL_OK;
    }
    char *rest = text;
    const int length = snprintf(text, sizeof text, "%s", arguments->values[OPTION_CACHES]);
    const bool is_whole = length >= 0 && (size_t)length < sizeof text;
    for (uint32_t i = 0; i < 3; i++) {
        char *end = rest + strcspn(rest, ":");
        const bool is_last = *end == '\0';
        *end = '\0';
        if (!is_whole || is_last != (i == 2) || !base_number_parse(rest, &r->caches[i]) ||
            r->caches[i] == 0 || r->caches[i] > MOST_BLOCKS_OF_CACHE)
            return base_refuse(problem,
                               "--caches is three numbers from 1 to %d such as 1:2:2, or design, "
                               "not '%.60s'",
                               MOST_BLOCKS_OF_CACHE, arguments->values[OPTION_CACHES]);
        rest = end + 1;
    }
    return COL_OK;
}

static col_status parse_operations(const cli_arguments *arguments, cli_explore_request *r,
                                   col_problem *problem) {
    r->operations = arguments->values[OPTION_OPERATIONS];
    if (r->operations == NULL || exp_accesses_parse(r->operations, &r->search.accesses))
        return COL_OK;
    return base_refuse(
        problem, "--operations is a list of " EXP_ACCESS_WORDS ", separated by commas, not '%.60s'",
        r->operations);
}

/* As other numbers, but 8G is 8Gi: nobody means 8,000,000,000 bytes. */
static col_status parse_memory(const cli_arguments *arguments, uint64_t *bytes,
                               col_problem *problem) {
    enum { LEAST_MEMORY = 16 << 20 };
    const char *text = arguments->values[OPTION_MEMORY];
    const size_t length = strlen(text);
    char binary[32];
    if (length > 0 && strchr("KMG", text[length - 1]) != NULL &&
        snprintf(binary, sizeof binary, "%si", text) < (int)sizeof binary &&
        base_number_parse(binary, bytes) && *bytes >= LEAST_MEMORY)
        return COL_OK;
    const base_field field = {.name = "memory",
                              .kind = BASE_NUMBER,
                              .size = sizeof *bytes,
                              .least = LEAST_MEMORY,
                              .most = UINT64_MAX};
    return base_field_read(&field, text, "--", bytes, problem);
}

static col_status parse(const cli_arguments *arguments, cli_explore_request *r,
                        col_problem *problem) {
    r->search.workers = base_processors();
    r->search.wants_witnesses = arguments->values[OPTION_WITNESSES] != NULL;
    r->error = arguments->values[OPTION_ERROR];
    BASE_TRY(parse_caches(arguments, r, problem));
    BASE_TRY(parse_operations(arguments, r, problem));
    BASE_TRY(cli_arguments_read(arguments, r, problem));
    return parse_memory(arguments, &r->search.most_bytes, problem);
}

/* ---- What was found. */

static col_status print_drawing(const exp_exploration *found, col_problem *problem) {
    if (found->drawing.length == 0 && cli_stop == 0)
        return base_refuse(problem, "--format dot draws complete searches of at most %d states",
                           EXP_MOST_DRAWN);
    base_print(stdout, "%s", found->drawing.length == 0 ? "" : found->drawing.data);
    return COL_OK;
}

static col_status report(const cli_arguments *arguments, const sim_design *design,
                         const sim_system *system, const cli_explore_request *r,
                         const exp_exploration *found, const volatile int *stop,
                         col_problem *problem) {
    const char *file = arguments->values[OPTION_REACHED];
    col_status status = COL_OK;
    if (r->search.draws && !found->broken)
        status = print_drawing(found, problem);
    else if (arguments->prints && (r->search.goal == NULL || found->broken))
        status = cli_explore_print(design, system, r, found, problem);
    if (status == COL_OK && file != NULL)
        status = sim_reached_add(system, file, problem);
    if (status == COL_OK && arguments->values[OPTION_WITNESSES] != NULL)
        status = cli_witness_write(system, r->search.blocks, found,
                                   arguments->values[OPTION_WITNESSES], problem);
    if (status == COL_OK && r->search.goal != NULL)
        status = cli_witness_reach(system, found, r, arguments->values[OPTION_EMIT], stop, problem);
    if (status == COL_OK && r->emits_all)
        status = cli_witness_emit_all(system, found, r, arguments->values[OPTION_EMIT],
                                      arguments->prints ? stdout : stderr, stop, problem);
    if (status == COL_OK && arguments->json != NULL)
        status =
            base_json_write(arguments->json, cli_explore_json(design, system, r, found), problem);
    return status;
}

/* The exit status, and the last word of a search that did not end. */
static int conclude(const exp_exploration *found, const char *save, bool is_late,
                    col_problem *problem) {
    char again[AGAIN_BYTES] = "";
    if (found->broken)
        return FOUND_WRONG;
    if (is_late)
        return (int)base_fail(problem, "the time was up before all tests were found");
    if (found->complete || (found->limit != NULL && strcmp(found->limit, "reach") == 0))
        return COL_OK;
    if (found->saved)
        (void)snprintf(again, sizeof again, "; --resume %.200s continues it", save);
    if (cli_stop != 0) {
        char what[AGAIN_BYTES + 64];
        (void)snprintf(what, sizeof what, "the search is not complete%s", again);
        return cli_cut_short(problem, what);
    }
    return (int)base_fail(
        problem, "the search is not complete: it met its limit of %s after %llu state%s%s",
        found->limit, (unsigned long long)found->states, base_plural(found->states), again);
}

/* ---- While it runs. */

typedef struct display {
    cli_progress_display display;
    const cli_explore_request *request;
} display;

/* How many states there are is not known before the end, so that the time and the memory that it
 * may take say how far it is. */
static void show_progress(void *context, const exp_exploration_progress *p) {
    enum { ALWAYS, SHARE, REST, DEPTH };
    static const double mebibyte = 1 << 20;
    display *d = context;
    cli_progress_line line = {.count = 0};
    if (!cli_progress_is_due(&d->display, p->seconds))
        return;
    const double time = p->seconds / d->request->seconds;
    const double memory = (double)p->bytes / (double)d->request->search.most_bytes;
    cli_progress_line_add(&line, ALWAYS, "%6.1f s", p->seconds);
    cli_progress_line_add(&line, ALWAYS, "%llu state%s", (unsigned long long)p->states,
                          base_plural(p->states));
    cli_progress_line_add(&line, REST, "%llu to look at", (unsigned long long)p->waiting);
    cli_progress_line_add(&line, DEPTH, "depth %u", p->depth);
    cli_progress_line_add(&line, SHARE, "%.0f %% of --time, %.0f %% of --memory (%.0f MiB)",
                          100 * time, 100 * memory, (double)p->bytes / mebibyte);
    cli_progress_put_line(&d->display, &line);
}

static col_status list_edited(const sim_design_error *wrong, const sl_protocol *protocol,
                              cli_explore_request *r, col_problem *problem) {
    for (; wrong != NULL; wrong = wrong->next)
        for (uint32_t i = 0; i < wrong->edit_count && r->edited_count < CLI_EXPLORE_EDITED; i++) {
            sim_edit cell;
            BASE_TRY(sim_design_error_cell(wrong, i, protocol, &cell, problem));
            r->edited[r->edited_count++] = (exp_cell){cell.machine, cell.state, cell.event};
        }
    return COL_OK;
}

/* The system that is searched, with its design error. */
static col_status build(sim_design *design, cli_explore_request *r, sim_system **system,
                        col_problem *problem) {
    sim_design_error *wrong = NULL;
    col_status status = COL_OK;
    if (r->error != NULL)
        status = sim_design_error_open(&wrong, r->error, design->protocol, problem);
    if (status == COL_OK && wrong != NULL)
        status = sim_design_error_wire(wrong, design->protocol, &design->wiring, problem);
    if (status == COL_OK && wrong != NULL)
        status = list_edited(wrong, design->protocol, r, problem);
    /* One set in every cache, so that all blocks compete; no DMA. */
    for (uint32_t m = 0; m < design->protocol->machine_count; m++) {
        sim_machine_wiring *w = &design->wiring.machines[m];
        const uint64_t given = r->caches[!w->is_private ? 2 : w->has_sequencer ? 0 : 1];
        for (uint32_t i = 0; i < w->cache_count; i++) {
            const uint64_t blocks = r->keeps_ways ? w->caches[i].ways : given;
            w->caches[i].ways = (uint32_t)blocks;
            w->caches[i].bytes = blocks * SL_BLOCK_BYTES;
            w->caches[i].replacement = SL_LRU;
        }
        w->count = w->has_dma ? 0 : w->count;
    }
    design->wiring.monitors = false;
    design->wiring.start = SIM_COLD;
    design->wiring.core.mode = SIM_SIMPLE;
    if (r->tbes > 0)
        design->wiring.tbes = r->tbes;
    BASE_THEN(status, sim_system_new(system, design->protocol, &design->wiring, problem));
    if (status == COL_OK && wrong != NULL)
        status = sim_design_error_apply(wrong, *system, problem);
    sim_design_error_free(wrong);
    return status;
}

static int explore(const cli_arguments *arguments, sim_design *design, cli_explore_request *r,
                   col_problem *problem) {
    const char *save = arguments->values[OPTION_SAVE], *emit = arguments->values[OPTION_EMIT];
    char identity[CLI_IDENTITY_BYTES] = "", folder[PATH_MAX];
    display shown = {.display = {.quiet = arguments->quiet}, .request = r};
    exp_exploration_settings *search = &r->search;
    search->most_seconds = emit != NULL ? r->seconds / 2 : r->seconds;
    search->use_symmetry = !r->is_plain;
    search->most_states = search->draws ? EXP_MOST_DRAWN + 1 : search->most_states;
    search->identity = identity;
    search->save = save;
    search->resume = arguments->values[OPTION_RESUME];
    search->folder = cli_explore_folder(save, folder);
    search->stop = &cli_stop;
    search->progress = show_progress;
    search->context = &shown;
    sim_system *system = NULL;
    exp_exploration found = {0};
    base_timer *timer = NULL; /* of the search and the tests */
    col_status status = base_timer_new(&timer, &cli_stop, problem);
    BASE_THEN(status, build(design, r, &system, problem));
    if (status == COL_OK && (save != NULL || search->resume != NULL))
        status = cli_explore_identify(arguments->operands[0], design, r, identity, problem);
    if (status == COL_OK && emit != NULL)
        base_timer_set(timer, r->seconds);
    BASE_THEN(status, exp_explore(system, search, &found, problem));
    cli_progress_end(&shown.display);
    BASE_THEN(status,
              report(arguments, design, system, r, &found, base_timer_stop(timer), problem));
    const bool is_late =
        status == COL_OK && cli_stop == 0 && base_is_stopped(base_timer_stop(timer));
    const int result = status == COL_OK ? conclude(&found, save, is_late, problem) : (int)status;
    base_timer_free(timer);
    sim_system_free(system);
    base_text_free(&found.trace);
    base_text_free(&found.drawing);
    exp_witnesses_free(&found.witnesses);
    search->identity = NULL; /* these were here */
    search->context = NULL;
    search->folder = NULL;
    return result;
}

/* As many cores as are given, or as the design's file says, or two. */
static col_status open_design(sim_design *design, const char *what, const cli_explore_request *r,
                              col_problem *problem) {
    base_text complaints = {0};
    const sim_request asked = {.cores = (uint32_t)r->cores, .usual_cores = USUAL_CORES};
    col_status status = sim_design_open_as(design, what, &asked, &complaints, problem);
    if (status != COL_OK)
        cli_complaints_tell(what, &complaints, status, problem);
    base_text_free(&complaints);
    if (status == COL_OK && design->wiring.cores > EXP_MOST_CORES) {
        status = base_refuse(
            problem, "%.200s has %u core%s; a search has 1 to %d, such as --cores 2", what,
            design->wiring.cores, base_plural(design->wiring.cores), EXP_MOST_CORES);
        sim_design_close(design);
    }
    return status;
}

static col_status parse_goal(const cli_arguments *arguments, const sim_design *design,
                             cli_explore_request *r, col_problem *problem) {
    const char *reach = arguments->values[OPTION_REACH];
    const bool is_all = reach != NULL && strcmp(reach, "all") == 0;
    if (is_all && arguments->values[OPTION_EMIT] == NULL)
        return base_refuse(problem, "--reach all goes with --emit FOLDER");
    r->emits_all = is_all;
    r->search.wants_witnesses |= is_all;
    r->search.goal = reach != NULL && !is_all ? &r->goal : NULL;
    return r->search.goal != NULL ? cli_witness_parse(design->protocol, reach, &r->goal, problem)
                                  : COL_OK;
}

/* What cannot be saved. */
static col_status check_saving(const cli_arguments *arguments, col_problem *problem) {
    if (arguments->values[OPTION_SAVE] == NULL && arguments->typed[OPTION_SAVE_EVERY])
        return base_refuse(problem, "--save-every goes with --save");
    if (arguments->values[OPTION_SAVE] == NULL && arguments->values[OPTION_RESUME] == NULL)
        return COL_OK;
    if (arguments->values[OPTION_SAVE] != NULL && strcmp(arguments->values[OPTION_SAVE], "-") == 0)
        return base_refuse(problem, "--save takes a file, not standard output");
    if (arguments->values[OPTION_EXACT] != NULL)
        return base_refuse(problem, "an --exact search is small: it is not saved or resumed");
    return cli_writable_check(arguments, OPTION_SAVE, problem);
}

/* One test is a file, all of them are a folder. */
static col_status check_emitting(const cli_arguments *arguments, col_problem *problem) {
    const char *reach = arguments->values[OPTION_REACH];
    if (arguments->values[OPTION_EMIT] == NULL)
        return arguments->typed[OPTION_SEED] ? base_refuse(problem, "--seed goes with --emit")
                                             : COL_OK;
    if (reach == NULL)
        return base_refuse(problem, "--emit goes with --reach");
    return strcmp(reach, "all") == 0 ? COL_OK : cli_writable_check(arguments, OPTION_EMIT, problem);
}

static int run_explore(const cli_arguments *arguments, col_problem *problem) {
    cli_explore_request r = {0};
    col_status status = parse(arguments, &r, problem);
    if (status != COL_OK)
        return (int)status;
    r.search.draws = strcmp(arguments->values[OPTION_FORMAT], "dot") == 0;
    if (r.search.draws && (arguments->values[OPTION_REACH] != NULL || !arguments->prints))
        return (int)base_refuse(problem, "--format dot goes to standard output, where --reach and "
                                         "--json - go too");
    if (r.search.draws && arguments->typed[OPTION_STATES])
        return (int)base_refuse(problem, "--format dot draws all states: leave out --states");
    status = check_emitting(arguments, problem);
    BASE_THEN(status, check_saving(arguments, problem));
    if (status != COL_OK)
        return (int)status;
    sim_design *design = malloc(sizeof *design);
    if (design == NULL)
        return (int)base_out_of_memory(problem);
    status = open_design(design, arguments->operands[0], &r, problem);
    int result = (int)status;
    if (status == COL_OK) {
        cli_catch_signals();
        status = parse_goal(arguments, design, &r, problem);
        result = status == COL_OK ? explore(arguments, design, &r, problem) : (int)status;
        sim_design_close(design);
    }
    free(design);
    return result;
}

static void add_notes(base_text *text) {
    cli_add_designs(text, true);
}

const cli_command cli_explore_command = {
    .name = "explore",
    .summary = "search all states of a small system of a design",
    .example = "collider explore msi --cores 2 --blocks 1",
    .add_notes = add_notes,
    .usage = "  collider explore DESIGN\n",
    .missing = "explore is followed by a design; see collider explore --help",
    .most_operands = 1,
    .first = BASE_INPUT_OR_NAME,
    .options = options,
    .done = "all states were searched, no error found",
    .found = "an error was found in the design; the steps that lead there are printed",
    .incomplete = "the search reached a limit, so nothing is known about the states beyond",
    .run = run_explore,
};
