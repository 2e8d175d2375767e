/* SPDX-License-Identifier: MIT */
/* collider generate: write tests without running them. */
#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "cli/generate_results.h"
#include "cli/signals.h"
#include "engine/engine.h"
#include "program/generate/generator.h"
#include "program/geometry.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How programs are written; rows X(word, ending of the file's name, writer). */
#define FORMATS(X)                                                                                 \
    X("text", "txt", write_text)                                                                   \
    X("svg", "svg", write_picture, .needs_chains = true)                                           \
    X("litmus", "litmus", NULL)
#define FORMAT_WORD(word, ...) word,
static const char *const format_words[] = {FORMATS(FORMAT_WORD) NULL};
#define ENGINE_WORD(word, ...) word,
static const char *const engine_words[] = {DIR_UNDIRECTED(ENGINE_WORD) DIR_CYCLES(ENGINE_WORD)
                                               NULL};
static const char *const fence_words[] = {"full", "exact", NULL};

#define GENERATE_OPTIONS(X)                                                                        \
    X(ENGINE, "engine", "NAME", "chain-bias",                                                      \
      "%s: independent operations or dependence chains, unconstrained addresses or locations "     \
      "that compete for cache sets; litmus: cycles of relaxations",                                \
      engine_words, CLI_WORD(job, engine_place))                                                   \
    X(THREADS, "threads", "P", "8", "threads of the program",                                      \
      CLI_NUMBER(job, generation.threads, 1, COL_MAX_THREADS))                                     \
    X(OPS, "ops", "N", "1Ki", "operations of the program, fences included",                        \
      CLI_NUMBER(job, generation.operations, 1, UINT32_MAX - 1))                                   \
    X(LOCATIONS, "locations", "S", "16", "shared locations",                                       \
      CLI_NUMBER(job, generation.locations, 1, COL_MAX_LOCATIONS))                                 \
    X(SETS, "sets", "K", NULL,                                                                     \
      "cache sets that the locations compete for (biased engines; 1 unless given)",                \
      CLI_NUMBER(job, generation.addressing.sets, 1, COL_MAX_LOCATIONS))                           \
    X(LARGEST, "largest", "X", NULL,                                                               \
      "locations in the fullest of these sets (all sets are equally full unless given)",           \
      CLI_NUMBER(job, generation.addressing.largest, 1, COL_MAX_LOCATIONS))                        \
    X(MIX, "mix", "NAME", NULL,                                                                    \
      "a mix of operations (plain) or chain categories (chain), by name or by weights; see below") \
    X(LENGTHS, "lengths", "HOW", "equal",                                                          \
      "lengths of the threads: equal, random, or a list such as 10,20,30")                         \
    X(FENCES, "fences", "HOW", "full",                                                             \
      "barriers in chains: full, or exact, ordering only the pair they are there for",             \
      fence_words, CLI_WORD(job, generation.exact_fences))                                         \
    X(SHARING, "sharing", "HOW", NULL,                                                             \
      "true: a block holds one location at most; mixed: it may hold more; false: two or more "     \
      "where possible (true for biased engines, else mixed)",                                      \
      gen_sharings, CLI_WORD(job, generation.addressing.sharing))                                  \
    X(ALIGN, "align", "BYTES", NULL,                                                               \
      "addresses are multiples of this (the block size for true sharing, else 8)",                 \
      POWER(generation.addressing.alignment_bits))                                                 \
    X(SPACE, "space", "BITS", "25", "addresses are below 2^BITS",                                  \
      CLI_NUMBER(job, generation.addressing.space_bits, 3, 48))                                    \
    X(BLOCK, "block", "BYTES", "64", "size of a cache block", POWER(block_bits))                   \
    X(CACHES, "caches", "LIST", "64x1,512x2,4096x8",                                               \
      "sets x ways of the cache levels that the locations compete in")                             \
    X(COUNT, "count", "C", "1", "how many programs", CLI_NUMBER(job, count, 1, 1000000))           \
    X(SEED, "seed", "N", "1", "the seed of all random choices",                                    \
      CLI_NUMBER(job, seed, 0, INT64_MAX))                                                         \
    X(CYCLE, "cycle", "NAMES", NULL,                                                               \
      "litmus: the test of this cycle, such as 'PodWR Fre PodWR Fre'")                             \
    X(UP_TO, "up-to", "N", NULL, "litmus: the tests of all cycles of up to N relaxations",         \
      CLI_NUMBER(job, cycles.up_to, 2, CYC_MOST))                                                  \
    X(RELAXATIONS, "relaxations", "LIST", NULL,                                                    \
      "litmus: build cycles from these relaxations, such as 'Pod**,Rfe,Fre,Coe'")                  \
    X(MODEL, "model", "NAME", "tso",                                                               \
      "litmus: build cycles from the relaxations that matter to %s", col_models,                   \
      CLI_WORD(job, cycles.model))                                                                 \
    X(ISA, "isa", "NAME", NULL, "litmus: write only the files for %s", prg_isa_words,              \
      CLI_WORD(job, cycles.isa))                                                                   \
    X(OUT, "out", "FOLDER", NULL,                                                                  \
      "write FOLDER/test-0000.txt and so on; litmus: FOLDER/SB.txt and so on", .writes = true)     \
    X(FORMAT, "format", "NAME", "text", "%s (svg is a picture; litmus is for --engine litmus)",    \
      format_words, CLI_WORD(job, format_place))                                                   \
    X(SHOW, "show", NULL, NULL, "draw each program as a table with its chains marked",             \
      CLI_FLAG(job, show))                                                                         \
    X(STATS, "stats", NULL, NULL, "print what was generated")                                      \
    CLI_COMMON_OPTIONS(X)

typedef struct job {
    const cli_arguments *arguments;
    const char *engine;
    col_generation generation;
    uint32_t *lengths;
    uint64_t count, seed;
    uint64_t done;
    uint32_t engine_place, format_place, block_bits;
    cli_cycles cycles; /* of the engine litmus */
    const struct format *format;
    bool show, stats;
    const char *folder; /* NULL: none was named */
    bool has_made_folder;

    col_generator *generator;
    col_program program;
    cli_generate_results results;
} job;

/* A power of two of bytes, read as its exponent. */
#define POWER(member)                                                                              \
    .kind = BASE_POWER, BASE_MEMBER(job, member), .least = COL_WORD_BYTES, .most = UINT64_C(1) << 40
CLI_TABLE(GENERATE_OPTIONS);

typedef struct format {
    const char *ending;
    col_status (*write)(const job *j, base_text *text, col_problem *problem);
    bool needs_chains;
} format;

static col_status write_text(const job *j, base_text *text, col_problem *problem) {
    (void)problem;
    prg_program_write(&j->program, text);
    return COL_OK;
}

static col_status write_picture(const job *j, base_text *text, col_problem *problem) {
    return gen_picture_write(&j->program, col_generator_last(j->generator), text, problem);
}

#define FORMAT_ROW(word, with, writer, ...) {.ending = (with), .write = (writer), __VA_ARGS__},
static const format formats[] = {FORMATS(FORMAT_ROW)};

/* ---- From options to settings. */

/* "10,20,30": the lengths fix the number of threads and operations. */
static col_status read_length_list(job *j, const char *list, col_problem *problem) {
    uint32_t threads = 1;
    uint64_t operations = 0;
    for (const char *at = list; *at != '\0'; at++)
        threads += *at == ',';
    BASE_TRY(base_new(&j->lengths, threads, sizeof *j->lengths, problem));
    const char *at = list;
    for (uint32_t t = 0; t < threads; t++) {
        char word[24];
        uint64_t number = 0;
        const size_t length = strcspn(at, ",");
        if (length < sizeof word) {
            memcpy(word, at, length);
            word[length] = '\0';
        }
        if (length >= sizeof word || !base_number_parse(word, &number) || number > UINT32_MAX)
            return base_refuse(
                problem, "--lengths is equal, random, or a list such as 10,20,30, not '%s'", list);
        j->lengths[t] = (uint32_t)number;
        operations += number;
        at += length + 1;
    }
    if (operations >= UINT32_MAX)
        return base_refuse(problem, "--lengths asks for more than 2^32 - 2 operations");
    j->generation.lengths = j->lengths;
    j->generation.threads = threads;
    j->generation.operations = (uint32_t)operations;
    return COL_OK;
}

enum { PROGRAM_BYTES = 24 }; /* that an operation takes, at the least, with its text */

static col_status read_sizes(job *j, col_problem *problem) {
    col_generation *g = &j->generation;
    col_status status = COL_OK;
    const char *lengths = j->arguments->values[OPTION_LENGTHS];
    g->random_lengths = strcmp(lengths, "random") == 0;
    if (!g->random_lengths && strcmp(lengths, "equal") != 0)
        status = read_length_list(j, lengths, problem);
    BASE_THEN(status, base_room_check((uint64_t)g->operations * PROGRAM_BYTES, base_room(), "--ops",
                                      g->operations, problem));
    return status;
}

static col_status read_engine(job *j, bool *biased, col_problem *problem) {
    const dir_engine *engine = dir_engine_find(engine_words[j->engine_place]);
    j->engine = engine->name;
    j->generation.chained = engine->chained;
    *biased = engine->biased;
    const char *mix = j->arguments->values[OPTION_MIX];
    if (mix == NULL)
        return COL_OK;
    return j->generation.chained
               ? col_category_mix_parse(mix, &j->generation.categories, problem)
               : col_instruction_mix_parse(mix, &j->generation.instructions, problem);
}

static col_status read_addressing(job *j, bool biased, col_problem *problem) {
    const cli_arguments *arguments = j->arguments;
    const char *of_sets = CLI_FIRST_TYPED(arguments, OPTION_SETS, OPTION_LARGEST);
    col_addressing *a = &j->generation.addressing;
    if (!biased && of_sets != NULL)
        return base_refuse(problem, "--%s is for biased engines; use --engine %s-bias", of_sets,
                           j->engine);
    if (biased && !arguments->typed[OPTION_SETS])
        a->sets = 1;
    if (!arguments->typed[OPTION_SHARING])
        a->sharing = biased ? COL_TRUE_SHARING : COL_MIXED_SHARING;
    if (!arguments->typed[OPTION_ALIGN])
        a->alignment_bits = a->sharing == COL_TRUE_SHARING ? j->block_bits : 3;
    return prg_geometry_parse(arguments->values[OPTION_CACHES], j->block_bits, &a->geometry,
                              problem);
}

/* The programs themselves go to standard output when nothing else was asked for. */
static bool prints_programs(const job *j) {
    return j->folder == NULL && !j->show && !j->stats && j->arguments->json == NULL;
}

/* What was asked for and would have no effect is refused, not ignored. */
static col_status check_combination(const job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const char *fixed = CLI_FIRST_TYPED(a, OPTION_THREADS, OPTION_OPS);
    if (j->generation.lengths != NULL && fixed != NULL)
        return base_refuse(
            problem, "a list of --lengths fixes the threads and operations: leave out --%s", fixed);
    if (a->typed[OPTION_FENCES] && !j->generation.chained)
        return base_refuse(problem,
                           "--fences is for chains; give a plain engine a --mix with fences");
    if (prints_programs(j) && j->count > 1)
        return base_refuse(problem, "%llu programs need a place: --out FOLDER",
                           (unsigned long long)j->count);
    if (a->typed[OPTION_FORMAT] && !prints_programs(j) && j->folder == NULL)
        return base_refuse(problem, "--format says how programs are written: add --out FOLDER, or "
                                    "leave out --show, --stats and --json");
    if (!a->prints && (j->show || j->stats))
        return base_refuse(problem,
                           "--json - has standard output for itself: give --json a file, or "
                           "leave out --show and --stats");
    return cli_generate_check_folder(a, j->folder, problem);
}

/* ---- Cycles, which have options of their own. */

static bool is_of_cycles(const cli_arguments *arguments) {
    return strcmp(arguments->values[OPTION_ENGINE], "litmus") == 0;
}

/* Options of the one kind of tests that were given for the other. */
static col_status check_kind(const cli_arguments *arguments, col_problem *problem) {
    const bool of_cycles = is_of_cycles(arguments);
    for (uint32_t o = 0; options[o] != NULL; o++) {
        const bool fits = (o == OPTION_ENGINE || o >= OPTION_OUT)
                              ? !of_cycles || o != OPTION_SHOW
                              : (o >= OPTION_CYCLE && o < OPTION_OUT) == of_cycles;
        if (arguments->typed[o] && !fits)
            return of_cycles
                       ? base_refuse(problem, "--%s is not for --engine litmus", options[o]->name)
                       : base_refuse(problem, "--%s is for --engine litmus", options[o]->name);
    }
    return COL_OK;
}

static col_status read_cycles(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    cli_cycles *cycles = &j->cycles;
    *cycles = (cli_cycles){.cycle = a->values[OPTION_CYCLE],
                           .relaxations = a->values[OPTION_RELAXATIONS],
                           .isa = PRG_ISA_COUNT,
                           .arguments = a,
                           .folder = a->values[OPTION_OUT],
                           .stats = a->typed[OPTION_STATS]};
    col_status status = check_kind(a, problem);
    if (status == COL_OK && (cycles->cycle == NULL) == !a->typed[OPTION_UP_TO])
        status = base_refuse(problem, "--engine litmus needs --cycle or --up-to%s",
                             cycles->cycle == NULL ? "" : ", not both");
    if (status == COL_OK && cycles->relaxations != NULL && a->typed[OPTION_MODEL])
        status = base_refuse(
            problem, "--relaxations and --model both choose the relaxations: give one of them");
    if (status == COL_OK && cycles->cycle != NULL &&
        (cycles->relaxations != NULL || a->typed[OPTION_MODEL]))
        status = base_refuse(problem, "--cycle already names its relaxations: drop --%s",
                             cycles->relaxations != NULL ? "relaxations" : "model");
    BASE_THEN(status, cli_arguments_read(a, j, problem));
    if (status == COL_OK && formats[j->format_place].needs_chains)
        status = base_refuse(problem, "--engine litmus writes text or litmus, not pictures");
    cycles->is_litmus = formats[j->format_place].write == NULL;
    if (status == COL_OK && a->typed[OPTION_ISA] && !cycles->is_litmus)
        status = base_refuse(problem, "--isa is for --format litmus");
    return status;
}

static col_status read_job(job *j, col_problem *problem) {
    bool biased = false;
    col_generation_default(&j->generation);
    col_status status = check_kind(j->arguments, problem);
    BASE_THEN(status, cli_arguments_read(j->arguments, j, problem));
    j->format = &formats[j->format_place];
    if (status == COL_OK && j->format->write == NULL)
        status = base_refuse(problem, "--format litmus is for --engine litmus");
    BASE_THEN(status, read_sizes(j, problem));
    BASE_THEN(status, read_engine(j, &biased, problem));
    BASE_THEN(status, read_addressing(j, biased, problem));
    BASE_THEN(status, check_combination(j, problem));
    return status;
}

/* ---- Output. */

typedef col_status (*writer)(const char *path, const char *data, size_t length,
                             col_problem *problem);

static col_status write_program(const job *j, const char *path, writer write,
                                col_problem *problem) {
    base_text text = {0};
    col_status status = j->format->write(j, &text, problem);
    BASE_THEN(status, base_text_status(&text, problem));
    BASE_THEN(status, write(path, text.data, text.length, problem));
    base_text_free(&text);
    return status;
}

static col_status show_program(job *j, uint64_t test, col_problem *problem) {
    base_text text = {0};
    if (j->count > 1)
        base_text_print(&text, "test %llu\n", (unsigned long long)test);
    const bool colour = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == NULL;
    col_status status =
        gen_chart_write(&j->program, col_generator_last(j->generator), colour, &text, problem);
    if (status == COL_OK)
        return base_file_write_text("-", &text, problem);
    base_text_free(&text);
    return status;
}

static col_status make_one(job *j, uint64_t test, col_problem *problem) {
    char path[PATH_MAX] = "", name[64];
    col_status status =
        col_generate(j->generator, &j->generation, j->seed, test, &j->program, problem);
    if (status == COL_OK && j->show)
        status = show_program(j, test, problem);
    if (status == COL_OK && j->folder != NULL && test == 0) {
        /* Only when there is something to put into it. */
        j->has_made_folder = access(j->folder, F_OK) != 0;
        status = base_folder_make(j->folder, problem);
    }
    if (status == COL_OK && j->folder != NULL) {
        (void)snprintf(name, sizeof name, "test-%04llu.%s", (unsigned long long)test,
                       j->format->ending);
        status = base_path_in(path, j->folder, name, problem);
        BASE_THEN(status, write_program(j, path, base_file_write_anew, problem));
    }
    if (status == COL_OK && prints_programs(j))
        status = write_program(j, "-", base_file_write, problem);
    BASE_THEN(status,
              cli_generate_results_add(&j->results, &j->program, col_generator_last(j->generator),
                                       path[0] != '\0' ? path : NULL, problem));
    return status;
}

static col_status make_all(job *j, col_problem *problem) {
    j->generator = col_generator_new();
    j->results =
        (cli_generate_results){.engine = j->engine,
                               .generation = &j->generation,
                               .seed = j->seed,
                               .programs = j->arguments->json != NULL ? json_array() : NULL};
    if (j->generator == NULL)
        return base_out_of_memory(problem);
    col_generator_keep_chains(j->generator, j->show || j->format->needs_chains);
    col_status status = COL_OK;
    for (; status == COL_OK && j->done < j->count && cli_stop == 0; j->done++)
        status = make_one(j, j->done, problem);
    if (status != COL_OK && j->has_made_folder)
        (void)rmdir(j->folder); /* unless something is in it */
    if (j->done < j->count)
        return status;
    if (status == COL_OK && j->stats)
        cli_generate_results_print(&j->results);
    if (status == COL_OK && j->arguments->json != NULL)
        status = cli_generate_results_write(&j->results, j->arguments->json, problem);
    if (status == COL_OK && j->folder != NULL && !j->arguments->quiet)
        base_print(stderr, "wrote %llu program%s to %s\n", (unsigned long long)j->count,
                   base_plural(j->count), j->folder);
    return status;
}

static int tell_signal(const job *j, col_problem *problem) {
    char what[80];
    (void)snprintf(what, sizeof what, "%llu of %llu program%s were made",
                   (unsigned long long)j->done, (unsigned long long)j->count,
                   base_plural(j->count));
    return cli_cut_short(problem, what);
}

static int run_generate(const cli_arguments *arguments, col_problem *problem) {
    job j = {.arguments = arguments,
             .program = COL_PROGRAM_EMPTY,
             .folder = arguments->values[OPTION_OUT],
             .stats = arguments->typed[OPTION_STATS]};
    if (is_of_cycles(arguments)) {
        const col_status status = read_cycles(&j, problem);
        return status == COL_OK ? cli_generate_cycles(&j.cycles, problem) : (int)status;
    }
    col_status status = read_job(&j, problem);
    cli_catch_signals_briefly();
    BASE_THEN(status, make_all(&j, problem));
    const bool is_cut_short = status == COL_OK && j.done < j.count;
    cli_generate_results_free(&j.results);
    col_generator_free(j.generator);
    col_program_free(&j.program);
    free(j.lengths);
    return is_cut_short ? tell_signal(&j, problem) : (int)status;
}

static void add_notes(base_text *text) {
    base_text_add(text, "Mixes of operations: ");
    gen_mix_names(false, text);
    base_text_add(text,
                  ";\n  or weights such as load=3,store-release=1,fence-acquire=0.1. The first "
                  "is the default.\nMixes of chain categories: ");
    gen_mix_names(true, text);
    base_text_add(text, "; or weights such as c0=1,c2=1.\n");
}

const cli_command cli_generate_command = {
    .name = "generate",
    .summary = "write tests without running them",
    .example = "collider generate --engine chain-bias --threads 32 --ops 4Ki --locations 32 "
               "--sets 4 --count 10 --seed 7 --out tests-7",
    .add_notes = add_notes,
    .options = options,
    .run = run_generate,
};
