/* SPDX-License-Identifier: MIT */
/* collider image: programs as machine code that boots on a platform. */
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/command_line.h"
#include "design/isa/image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_OPTIONS(X)                                                                           \
    X(PLATFORM, "platform", "NAME", NULL, "%s; or a file, NAME.yaml", isa_platform_names,          \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(ISA, "isa", "NAME", NULL, "rv32, rv64, aarch64 or x86-64; the platform's, unless given")     \
    X(LOG, "log", "HOW", "registers",                                                              \
      "%s: how the values of reads get out; tap: by somebody who watches", isa_log_words,          \
      CLI_WORD(job, settings.log))                                                                 \
    X(ROUNDS, "rounds", "N", "100", "runs of the program in one boot",                             \
      CLI_NUMBER(job, settings.rounds, 1, 1 << 30))                                                \
    X(SEED, "seed", "N", "1", "of the start skews", CLI_NUMBER(job, settings.seed, 0, UINT64_MAX)) \
    X(SKEW, "skew", "BITS", "8", "a thread starts 0 to 2^BITS - 1 iterations late, 0 to 16",       \
      CLI_NUMBER(job, settings.skew_bits, 0, 16))                                                  \
    X(FINALS, "finals", "WHETHER", "yes", "%s: log the final values of locations", base_no_yes,    \
      CLI_FLAG(job, settings.has_finals))                                                          \
    X(HARTS, "harts", "N", NULL, "harts that the platform has",                                    \
      CLI_NUMBER(job, platform.harts, 1, ISA_MOST_HARTS))                                          \
    X(HEX_WIDTH, "hex-width", "N", "8", "%s: bytes of a word of image.hex", widths,                \
      CLI_WORD(job, hex_width))                                                                    \
    X(TOGETHER, "together", NULL, NULL,                                                            \
      "one image of all programs, which run one after the other")                                  \
    X(OUT, "out", "FOLDER", NULL,                                                                  \
      "where the files go; with several programs, folders of their names", .writes = true)         \
    CLI_COMMON_OPTIONS(X)

static const char *const widths[] = {"4", "8", NULL};

typedef struct job {
    const cli_arguments *arguments;
    isa_platform platform;
    isa_image_settings settings;
    uint32_t hex_width;
    json_t *images; /* for --json */
    col_program *programs;
    const col_program **list; /* of the same */
    isa_image image;
} job;

CLI_TABLE(IMAGE_OPTIONS);

/* ---- What was asked for. */

static col_status read_job(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    if (a->values[OPTION_OUT] == NULL || a->values[OPTION_OUT][0] == '\0')
        return base_refuse(problem, "image needs --out FOLDER");
    if (a->values[OPTION_PLATFORM] == NULL)
        return base_refuse(problem, "image needs --platform: a name, or a file; see collider image "
                                    "--help");
    col_status status = isa_platform_open(&j->platform, a->values[OPTION_PLATFORM], problem);
    if (status == COL_OK && a->values[OPTION_ISA] != NULL &&
        strcmp(a->values[OPTION_ISA], j->platform.target->name) != 0)
        status = base_refuse(problem, "the platform %s is of %s, not of '%.40s'", j->platform.name,
                             j->platform.target->name, a->values[OPTION_ISA]);
    BASE_THEN(status, cli_arguments_read(a, j, problem));
    j->hex_width = j->hex_width == 0 ? 4 : 8; /* their places among the words */
    if (status == COL_OK && j->settings.log == ISA_LOG_TAP && a->typed[OPTION_FINALS])
        status = base_refuse(problem, "--finals is for images that log, not for --log tap");
    return status;
}

/* ---- Images. */

static bool is_together(const job *j) {
    return j->arguments->values[OPTION_TOGETHER] != NULL;
}

/* One image goes to the folder itself. */
static col_status find_folder(const job *j, const char *path, char folder[PATH_MAX],
                              col_problem *problem) {
    const char *out = j->arguments->values[OPTION_OUT];
    const char *name = base_path_name(path);
    char stem[256];
    if (j->arguments->operand_count == 1 || is_together(j)) {
        const int length = snprintf(folder, PATH_MAX, "%s", out);
        return length < PATH_MAX ? COL_OK
                                 : base_refuse(problem, "the name of a folder is too long");
    }
    (void)snprintf(stem, sizeof stem, "%.*s", (int)base_path_stem(name), name);
    return base_path_in(folder, out, stem, problem);
}

/* Of an image there is an entry for each of its programs. */
static void note_program(job *j, const isa_map *map, const char *path, const char *folder) {
    assert(map != NULL);
    base_json_append(
        &j->images,
        json_pack("{s:o, s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "program", base_json_text(path),
                  "folder", base_json_text(folder), "isa", map->target->name, "platform",
                  map->platform, "log", isa_log_words[map->log], "rounds", (json_int_t)map->rounds,
                  "threads", (json_int_t)map->thread_count, "bytes", (json_int_t)j->image.code.size,
                  "results", (json_int_t)map->results.size));
}

/* Two programs of one name would overwrite each other. */
static col_status check_names(const cli_arguments *a, col_problem *problem) {
    for (uint32_t i = 0; i < a->operand_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const char *one = base_path_name(a->operands[i]),
                       *other = base_path_name(a->operands[k]);
            const size_t length = base_path_stem(one);
            if (length == base_path_stem(other) && strncmp(one, other, length) == 0)
                return base_refuse(problem,
                                   "two programs are named '%.*s': give them different names",
                                   (int)length, one);
        }
    return COL_OK;
}

/* Results are found by the program, so that one would be judged for both. */
static col_status check_different(const job *j, col_problem *problem) {
    char *const *names = j->arguments->operands;
    for (uint32_t i = 0; i < j->arguments->operand_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const col_hash one = col_program_hash(&j->programs[i]);
            const col_hash other = col_program_hash(&j->programs[k]);
            if (one.high == other.high && one.low == other.low)
                return base_refuse(problem,
                                   "%.200s and %.200s are the same program: an image has it once",
                                   names[k], names[i]);
        }
    return COL_OK;
}

static void tell_image(const job *j, uint32_t first, uint32_t count, const char *folder) {
    const isa_map *map = &j->image.maps[0];
    const unsigned threads = j->programs[first].thread_count;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an image that was built has a map
    const unsigned long long rounds = map->rounds, bytes = map->all.size, base = map->all.base;
    if (count == 1)
        base_print(stderr,
                   "wrote an image of %u thread%s and %llu round%s to %s; its results are %llu "
                   "bytes at 0x%llx\n",
                   threads, base_plural(threads), rounds, base_plural(rounds), folder, bytes, base);
    else
        base_print(stderr,
                   "wrote an image of %u programs and %llu round%s of each to %s; its results are "
                   "%llu bytes at 0x%llx\n",
                   (unsigned)count, rounds, base_plural(rounds), folder, bytes, base);
}

/* Problems with a single program name its file. */
static col_status build(job *j, uint32_t first, uint32_t count, col_problem *problem) {
    const col_status status =
        isa_image_build_all(&j->image, j->list + first, count, &j->platform, &j->settings, problem);
    if (status == COL_BAD_INPUT && count == 1 && problem->file[0] == '\0')
        (void)snprintf(problem->file, sizeof problem->file, "%s", j->arguments->operands[first]);
    return status;
}

/* An image of `count` programs, from the first one on. */
static col_status make_image(job *j, uint32_t first, uint32_t count, col_problem *problem) {
    char *const *paths = j->arguments->operands + first;
    char folder[PATH_MAX];
    col_status status = find_folder(j, paths[0], folder, problem);
    BASE_THEN(status, build(j, first, count, problem));
    BASE_THEN(status, isa_image_write(&j->image, j->list + first, folder, j->hex_width, problem));
    if (status == COL_OK && !j->arguments->quiet)
        tell_image(j, first, count, folder);
    for (uint32_t i = 0; i < count && status == COL_OK; i++)
        note_program(j, &j->image.maps[i], paths[i], folder);
    return status;
}

static col_status read_programs(job *j, col_problem *problem) {
    const uint32_t count = j->arguments->operand_count;
    col_status status = COL_OK;
    BASE_TRY(base_new(&j->programs, count, sizeof *j->programs, problem));
    BASE_TRY(base_new(&j->list, count, sizeof *j->list, problem));
    for (uint32_t i = 0; i < count; i++) {
        j->programs[i] = (col_program)COL_PROGRAM_EMPTY;
        j->list[i] = &j->programs[i];
    }
    for (uint32_t i = 0; i < count && status == COL_OK; i++)
        status = col_program_read_file(&j->programs[i], j->arguments->operands[i], problem);
    return status == COL_OK && is_together(j) ? check_different(j, problem) : status;
}

static col_status make_images(job *j, col_problem *problem) {
    const uint32_t count = j->arguments->operand_count;
    col_status status = read_programs(j, problem);
    /* Each alone, before the first image is written. */
    for (uint32_t i = 0; i < count && count > 1 && status == COL_OK; i++)
        status = build(j, i, 1, problem);
    if (status == COL_OK && is_together(j))
        return make_image(j, 0, count, problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++)
        status = make_image(j, i, 1, problem);
    return status;
}

static int run_image(const cli_arguments *arguments, col_problem *problem) {
    job j = {.arguments = arguments, .image = ISA_IMAGE_EMPTY, .images = json_array()};
    col_status status = read_job(&j, problem);
    if (status == COL_OK && !is_together(&j))
        status = check_names(arguments, problem);
    BASE_THEN(status, make_images(&j, problem));
    json_t *all = json_pack("{s:s, s:o}", "version", col_version(), "images", j.images);
    status = cli_write_json(arguments, status, all, problem);
    const bool is_read = j.programs != NULL && j.list != NULL;
    for (uint32_t i = 0; is_read && i < j.arguments->operand_count; i++)
        col_program_free(&j.programs[i]);
    free(j.programs);
    free(j.list);
    isa_image_free(&j.image);
    return (int)status;
}

static void add_platforms(base_text *text) {
    for (const char *const *name = isa_platform_names; *name != NULL; name++) {
        isa_platform platform;
        if (isa_platform_open(&platform, *name, NULL) == COL_OK)
            base_text_print(text, "  %-14s %s\n", *name, platform.description);
    }
}

const cli_command cli_image_command = {
    .name = "image",
    .summary = "write tests as machine code that boots",
    .example = "collider image mp.txt --platform qemu-riscv64 --rounds 1000 --out mp-image",
    .notes = "Writes image.elf, image.bin, image.hex (for $readmemh) and map.json. What the "
             "image leaves in memory at\n'results' is judged by collider check --program "
             "PROGRAM --map map.json --log FILE, where the file holds those\nbytes, all of "
             "ram, or a signature of riscv-tests.\nPlatforms:\n",
    .add_notes = add_platforms,
    .missing = "image is followed by files of programs; see collider image --help",
    .usage = "  collider image PROGRAM... --platform NAME --out FOLDER\n",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .options = options,
    .run = run_image,
};
