/* SPDX-License-Identifier: MIT */
/*
 * A command that runs images as a design: a simulator, an emulator, a board (docs/command.md). One
 * start runs many rounds of a program, and programs that are known to come next; an instance is one
 * round. A start that did not end well is an instance that fails, the first one of the program that
 * it stopped in, since nobody knows how many will be asked for; then the rounds that it finished
 * are handed out.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "design/command/command_batch.h"
#include "design/design_kind.h"
#include "design/image_room.h"
#include "protocol/simulate/simulated_design.h"

#include <stdlib.h>
#include <string.h>

typedef struct command {
    duv_command_file file;
    isa_platform platform; /* with as many harts as the user wants */
    col_duv_description description;
    duv_wait wait;
    const col_program *program;                     /* NULL: none */
    const col_program *expected[DUV_MOST_PROGRAMS]; /* by the next load, and those after it */
    uint32_t expected_count;
    duv_batch batch;     /* what the last start brought, or the next one runs */
    uint32_t part;       /* of the program */
    isa_results results; /* of this part */
    isa_reads reads;
    /* A start of several programs went wrong, and nothing says in which of them: */
    uint32_t left; /* programs that are to run alone; 0: that is over */
    uint32_t unclear_count;
    col_run unclear;
} command;

/* ---- Opening. */

static void close_command(void *state) {
    command *c = state;
    isa_results_close(&c->results);
    isa_reads_free(&c->reads);
    duv_batch_free(&c->batch);
    duv_command_file_free(&c->file);
    free(c);
}

static void describe_command(command *c) {
    const isa_platform *p = &c->platform;
    const bool is_riscv = p->target->elf_machine == ISA_EM_RISCV;
    c->description =
        (col_duv_description){.name = c->file.name,
                              .cores = (uint32_t)p->harts,
                              .model = c->file.model,
                              .geometry = duv_image_geometry(p),
                              .shows = COL_SHOWS_READS,
                              .varies = !c->file.repeats,
                              .is_narrow = (p->target->word_sizes & 8) == 0,
                              .is_single = c->file.is_single,
                              .executes = true,
                              .refuses = is_riscv && !p->has_flush ? 1U << COL_FLUSH : 0,
                              .least_operations = (uint32_t)c->file.least_operations,
                              .most_operations = (uint32_t)c->file.most_operations,
                              .instances = (uint32_t)c->file.rounds,
                              .window = duv_image_window(p)};
}

static col_status check_program(const command *c, col_problem *problem) {
    char path[PATH_MAX], sentence[200];
    if (duv_command_find_program(&c->file, path))
        return COL_OK;
    duv_command_say_missing(&c->file, sentence, sizeof sentence);
    return base_refuse(problem, "%s %s%s", c->file.name,
                       c->file.package[0] == '\0' ? "cannot be started: " : "", sentence);
}

static col_status take_options(command *c, const char *options, col_problem *problem) {
    if (options == NULL || options[0] == '\0')
        return COL_OK;
    if ((c->file.uses >> DUV_AT_OPTIONS & 1) == 0)
        return base_refuse(problem,
                           "the command of %.300s takes no options: its line has no {options}",
                           c->file.path);
    c->batch.options = strdup(options);
    return c->batch.options == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* What it is called, or the file of a design of the list. */
static col_status find_file(const char *what, char path[PATH_MAX], col_problem *problem) {
    if (!sim_is_design_file(what) && sim_design_list_path(what, path, PATH_MAX))
        return COL_OK;
    if (strlen(what) >= PATH_MAX)
        return base_refuse(problem, "the path %.100s... is too long", what);
    memcpy(path, what, strlen(what) + 1);
    return COL_OK;
}

static col_status open_file(command *c, const col_duv_settings *settings, col_problem *problem) {
    char path[PATH_MAX];
    BASE_TRY(find_file(settings->name, path, problem));
    BASE_TRY(duv_command_file_read(&c->file, path, problem));
    BASE_TRY(check_program(c, problem));
    BASE_TRY(take_options(c, settings->options, problem));
    c->platform = c->file.platform;
    c->platform.harts = settings->cores > 0 ? settings->cores : c->file.harts;
    describe_command(c);
    isa_image_settings *image = &c->batch.settings;
    isa_image_default(image);
    image->log = c->file.log;
    image->has_finals = c->file.log != ISA_LOG_TAP;
    c->batch.file = &c->file;
    c->batch.platform = &c->platform;
    return COL_OK;
}

static col_status open_command(void **state, const col_duv_settings *settings,
                               col_problem *problem) {
    command *c = NULL;
    BASE_TRY(base_new(&c, 1, sizeof *c, problem));
    c->batch.image = (isa_image)ISA_IMAGE_EMPTY;
    c->wait.limit = COL_DUV_LIMIT;
    return duv_opened(state, c, open_file(c, settings, problem), close_command);
}

static const col_duv_description *describe(void *state) {
    return &((command *)state)->description;
}

duv_wait *duv_command_wait(void *state) {
    return &((command *)state)->wait;
}

/* ---- Loading. */

/* The programs that will be loaded next, in this order, the first one now. They stay until they
 * were loaded and run. */
void duv_command_expect(void *state, const col_program *const *programs, uint32_t count) {
    command *c = state;
    c->expected_count = count < DUV_MOST_PROGRAMS ? count : DUV_MOST_PROGRAMS;
    memcpy(c->expected, programs, c->expected_count * sizeof *programs);
}

uint32_t duv_command_programs(void *state) {
    return (uint32_t)((command *)state)->file.programs;
}

/* A start of its own, with those that come next if there are some; alone, if one of them is looked
 * for that goes wrong. */
static col_status make_batch(command *c, const col_program *program, bool is_alone,
                             col_problem *problem) {
    const bool is_expected = c->expected_count > 0 && c->expected[0] == program;
    c->part = 0;
    if (is_alone || !is_expected || c->left > 0)
        return duv_batch_make(&c->batch, &program, 1, problem);
    return duv_batch_make(&c->batch, c->expected, c->expected_count, problem);
}

static col_status open_part(command *c, const col_program *program, col_problem *problem) {
    const duv_part *part = &c->batch.parts[c->part];
    isa_results_close(&c->results);
    return isa_results_open(&c->results, part->map, program, part->bytes, problem);
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    command *c = state;
    const uint32_t found = duv_batch_find(&c->batch, c->part + 1, col_program_hash(program));
    col_status status;
    c->program = NULL;
    if (found < c->batch.count) {
        c->part = found;
        status = open_part(c, program, problem);
    } else {
        status = make_batch(c, program, false, problem);
    }
    c->expected_count = 0;
    c->program = status == COL_OK ? program : NULL;
    return status;
}

/* ---- Running. */

/* Programs of a start that went wrong, nobody knows where, run once more, each alone. If that goes
 * well with all of them, the last one has the failure: there was one. */
static void look_back(command *c) {
    duv_part *part = &c->batch.parts[0];
    if (c->left == 0)
        return;
    c->left = part->has_failed ? 0 : c->left - 1;
    if (c->left > 0 || part->has_failed)
        return;
    part->has_failed = true;
    part->failure = c->unclear;
    const size_t length = strlen(part->failure.message);
    base_sentence(part->failure.message + length, sizeof part->failure.message - length,
                  " (in a start of %u programs, none of which failed alone)",
                  (unsigned)c->unclear_count);
}

static col_status run_batch(command *c, uint64_t seed, const volatile int *stop,
                            col_problem *problem) {
    col_status status = COL_OK;
    /* The file knows best how long a start takes. */
    c->batch.limit = c->file.limit > 0 ? c->file.limit : c->wait.limit;
    c->batch.interrupt = c->wait.interrupt;
    c->batch.stop = stop;
    if (c->batch.was_run) /* more rounds than one start has */
        status = make_batch(c, c->program, true, problem);
    if (status == COL_OK)
        status = duv_batch_run(&c->batch, seed, problem);
    if (status == COL_OK && c->batch.is_unclear) {
        c->unclear = c->batch.unclear;
        c->unclear_count = c->left = c->batch.count;
        status = make_batch(c, c->program, true, problem);
        if (status == COL_OK)
            status = duv_batch_run(&c->batch, seed, problem);
    }
    if (status != COL_OK || !c->batch.was_run)
        return status;
    look_back(c);
    return open_part(c, c->program, problem);
}

static bool is_used_up(const command *c) {
    const duv_part *part = &c->batch.parts[c->part];
    return part->next == part->whole && !part->has_failed;
}

/* A value that nobody logged cannot be judged; one of another round can, and is wrong. */
static col_status hand_out(command *c, const col_observer *observer, col_run *result,
                           col_problem *problem) {
    duv_part *part = &c->batch.parts[c->part];
    BASE_TRY(isa_results_round(&c->results, part->next++, &c->reads, problem));
    if (c->reads.lost_count > 0 && c->reads.old_count == 0) {
        result->end = COL_RUN_CRASHED;
        (void)isa_reads_explain(&c->results, &c->reads, result->message, sizeof result->message);
    } else if (observer != NULL) {
        isa_reads_tell(&c->reads, c->program, observer);
    }
    return COL_OK;
}

static col_status run(void *state, uint64_t seed, const col_observer *observer,
                      const volatile int *stop, col_run *result, col_problem *problem) {
    command *c = state;
    col_status status = COL_OK;
    result->operations = col_program_operations(c->program);
    if (is_used_up(c)) {
        if (!base_is_stopped(stop))
            status = run_batch(c, seed, stop, problem);
        if (status != COL_OK)
            return status;
        if (is_used_up(c)) {
            result->end = COL_RUN_STOPPED;
            return COL_OK;
        }
    }
    duv_part *part = &c->batch.parts[c->part];
    const base_text *output = &c->batch.output;
    const col_event event = {.kind = COL_OUTPUT, .message = output->data};
    if (observer != NULL && (observer->kinds >> COL_OUTPUT & 1) != 0 && output->length > 0)
        observer->notice(observer->context, &event);
    if (!part->has_failed)
        return hand_out(c, observer, result, problem);
    part->has_failed = false;
    *result = part->failure;
    result->operations = 0;
    return COL_OK;
}

const col_duv_interface duv_command = {.version = COL_DUV_VERSION,
                                       .name = "command",
                                       .open = open_command,
                                       .close = close_command,
                                       .describe = describe,
                                       .load = load,
                                       .run = run,
                                       .collect = duv_collect_nothing};

/* ---- What it is: the file, its platform, and the program that it starts, if that is no tool of
 * the system. */

void duv_command_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity) {
    char path[PATH_MAX], program[PATH_MAX];
    duv_command_file file = {.path = ""};
    (void)error_name; /* it takes none */
    if (find_file(what, path, NULL) != COL_OK ||
        duv_command_file_read(&file, path, NULL) != COL_OK) {
        duv_hash_word(hasher, "cannot be opened");
    } else {
        duv_hash_file(hasher, path);
        duv_hash_bytes(hasher, (const char *)&file.platform.ram, sizeof file.platform.ram);
        if (strchr(file.words[0], '/') != NULL && duv_command_find_program(&file, program))
            duv_hash_file(hasher, program);
        identity->cores = (uint32_t)file.harts;
    }
    duv_hash_end(hasher, identity->file);
    duv_command_file_free(&file);
}

/* ---- Which designs are commands. */

bool duv_is_named_command(const char *what) {
    char path[PATH_MAX];
    return !duv_is_command_file(what) && duv_find_command(what, path);
}
