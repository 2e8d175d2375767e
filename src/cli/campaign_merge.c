/* SPDX-License-Identifier: MIT */
/* collider campaign merge: the stores of shards become one. */
#include "base/json.h"
#include "base/plural.h"
#include "campaign/merge.h"
#include "cli/campaign_options.h"

#include <string.h>

static json_t *make_json(const char *out, size_t stores, const cam_merge_summary *s) {
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "store", base_json_text(out), "merged",
                     (json_int_t)stores, "added", (json_int_t)s->added, "present",
                     (json_int_t)s->present, "trials", (json_int_t)s->trials, "done",
                     (json_int_t)s->done, "failed", (json_int_t)s->failed);
}

int cli_campaign_merge(const cli_arguments *arguments, col_problem *problem) {
    const char *json = arguments->values[OPTION_JSON];
    cam_merge_summary s;
    if (arguments->operand_count < 3)
        return (int)base_refuse(
            problem, "campaign merge is followed by the store to make and those to merge; see "
                     "collider campaign --help");
    const char *out = arguments->operands[1];
    const size_t stores = arguments->operand_count - 2;
    col_status status = cli_arguments_check_output(arguments, out, problem);
    if (status == COL_OK)
        status = cam_merge(out, arguments->operands + 2, stores, &s, problem);
    if (status == COL_OK && (json == NULL || strcmp(json, "-") != 0))
        base_print(stdout,
                   "%s: %llu of %llu trial%s done, %llu failed; %llu added, %llu were there\n", out,
                   (unsigned long long)s.done, (unsigned long long)s.trials, base_plural(s.trials),
                   (unsigned long long)s.failed, (unsigned long long)s.added,
                   (unsigned long long)s.present);
    if (status == COL_OK && json != NULL)
        status = base_json_write(json, make_json(out, stores, &s), problem);
    return (int)status;
}
