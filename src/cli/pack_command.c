/* SPDX-License-Identifier: MIT */
/* collider pack: a failure and its design as one file. */
#include "base/json.h"
#include "base/path.h"
#include "cli/named_failures.h"
#include "episode/failure/pack.h"

#include <stdio.h>
#include <string.h>

#define PACK_OPTIONS(X)                                                                            \
    X(FAILURE, "failure", "N", NULL, "the failure of a results store to pack")                     \
    X(OUT, "out", "FILE", NULL,                                                                    \
      "where the pack goes (the failure's name with .pack); - is "                                 \
      "standard output")                                                                           \
    CLI_COMMON_OPTIONS(X)
CLI_TABLE(PACK_OPTIONS);

/* Would another machine see the same design? It is unpacked, as there, and looked at. */
static col_status check(cli_failures *failures, const epi_pack *pack, col_problem *problem) {
    char room[PATH_MAX];
    BASE_TRY(cli_failures_make_room(failures, "unpacked", room, problem));
    const col_status status = epi_pack_unpack(pack, room, NULL, problem);
    epi_pack_remove(pack, room, NULL);
    return status;
}

static col_status write_results(const cli_arguments *a, const epi_pack *pack, const char *out,
                                col_problem *problem) {
    json_t *files = json_array();
    for (size_t i = 0; i < pack->count; i++)
        base_json_append(&files, json_pack("{s:s, s:I}", "name", pack->files[i].name, "bytes",
                                           (json_int_t)pack->files[i].length));
    return base_json_write(
        a->json, json_pack("{s:o, s:o}", "pack", base_json_text(out), "files", files), problem);
}

static col_status check_streams(const cli_arguments *a, const char *out, col_problem *problem) {
    return a->json != NULL && strcmp(a->json, "-") == 0 && strcmp(out, "-") == 0
               ? base_refuse(problem, "--out and --json cannot both go to standard output")
               : COL_OK;
}

static void tell(const epi_pack *pack, const char *out) {
    base_text word = {0};
    base_text_add_shell(&word, out);
    if (word.failed)
        base_print_lost();
    else
        base_print(stderr,
                   "collider: %s: %zu files, %zu bytes; collider replay %s shows it "
                   "anywhere\n",
                   out, pack->count, pack->bytes, word.data);
    base_text_free(&word);
}

static col_status pack_one(const cli_arguments *a, cli_failures *failures, const char *out,
                           epi_pack *pack, col_problem *problem) {
    cli_failure *failure = &failures->list[0];
    BASE_TRY(check_streams(a, out, problem));
    if (base_path_same(out, failure->path))
        return base_refuse(problem, "%.300s is a pack; name another file with --out", out);
    BASE_TRY(cli_failure_open(failures, failure, problem));
    BASE_TRY(epi_pack_make(pack, failure->folder, problem));
    BASE_TRY(check(failures, pack, problem));
    BASE_TRY(epi_pack_write(pack, out, problem));
    if (a->json != NULL)
        BASE_TRY(write_results(a, pack, out, problem));
    if (!a->quiet && strcmp(out, "-") != 0)
        tell(pack, out);
    return COL_OK;
}

static int run_pack(const cli_arguments *a, col_problem *problem) {
    cli_failures failures;
    epi_pack pack = {0};
    char out[PATH_MAX];
    col_status status = cli_failures_find(&failures, a, a->values[OPTION_FAILURE], false, problem);
    if (status == COL_OK && failures.count > 1)
        status = base_refuse(problem,
                             "a pack has one failure, and %.300s has %zu; name one, such "
                             "as %.300s",
                             a->operands[0], failures.count, failures.list[0].name);
    if (status == COL_OK) {
        (void)snprintf(out, sizeof out, "%s.pack", failures.list[0].short_name);
        const char *wanted = a->values[OPTION_OUT];
        status = pack_one(a, &failures, wanted == NULL ? out : wanted, &pack, problem);
        if (status != COL_OK)
            cli_failure_blame(&failures, &failures.list[0], problem);
    }
    epi_pack_free(&pack);
    cli_failures_free(&failures);
    return (int)status;
}

const cli_command cli_pack_command = {
    .name = "pack",
    .summary = "write a recorded failure and its design as one file",
    .example = "collider pack collider-out/failure-17-3",
    .notes = "The file has the program and all files that the design consists of; collider "
             "replay, shrink and\ntriage take it on any machine. A FAILURE is a failure folder, "
             "or one of a results store.\n",
    .usage = "  collider pack FAILURE [--out FILE]\n"
             "  collider pack RESULTS.db --failure N [--out FILE]\n",
    .missing = "pack needs a failure folder or a results store; see collider pack --help",
    .most_operands = 1,
    .first = BASE_INPUT,
    .options = options,
    .run = run_pack,
};
