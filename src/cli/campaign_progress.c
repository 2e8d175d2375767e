/* SPDX-License-Identifier: MIT */
/* A campaign on the screen: see campaign_progress.h. */
#include "cli/campaign_progress.h"

/* Workers share what is left; the last trials keep some of them waiting. */
static void add_time_left(base_text *line, const cli_campaign_display *d, const cam_progress *p) {
    double spent = 0;
    if (d->pace.estimate == NULL)
        return;
    for (uint32_t i = 0; i < p->running_count; i++)
        spent += p->running[i].seconds;
    const double left = cam_pace_left(&d->pace, spent);
    const uint64_t open = p->total - p->done - p->failed;
    if (left < 1 || open == 0)
        return; /* not known, or longer than expected */
    base_text_add(line, ", about ");
    cli_progress_add_time(line, left / (double)(open < d->jobs ? open : d->jobs));
    base_text_add(line, " left");
}

static void make_line(base_text *line, const cli_campaign_display *d, const cam_progress *p) {
    base_text_print(line, "%llu of %llu done", (unsigned long long)p->done,
                    (unsigned long long)p->total);
    if (p->total > 0)
        base_text_print(line, " (%.0f %%)", 100 * (double)(p->done + p->failed) / (double)p->total);
    if (p->failed > 0)
        base_text_print(line, ", %llu failed", (unsigned long long)p->failed);
    base_text_print(line, ", %u running", p->running_count);
    if (p->elsewhere > 0)
        base_text_print(line, ", %llu elsewhere", (unsigned long long)p->elsewhere);
    base_text_add(line, "; ");
    cli_progress_add_time(line, p->seconds);
    add_time_left(line, d, p);
    for (uint32_t i = 0; i < p->running_count; i++) {
        const cam_activity *trial = &p->running[i];
        base_text_print(line, "%s%s", i == 0 ? ";  " : " | ", trial->text);
        if (trial->points > 0)
            base_text_print(line, " (%.0f %% covered)",
                            100 * (double)trial->covered / trial->points);
    }
}

void cli_campaign_progress_show(void *context, const cam_progress *progress) {
    cli_campaign_display *d = context;
    base_text line = {0};
    for (uint32_t i = 0; i < progress->ended_count && d->pace.estimate != NULL; i++)
        cam_pace_end_trial(&d->pace, progress->ended[i].position, progress->ended[i].seconds);
    if (!cli_progress_is_due(&d->display, progress->seconds))
        return;
    make_line(&line, d, progress);
    if (line.data != NULL)
        cli_progress_put(&d->display, line.data);
    base_text_free(&line);
}
