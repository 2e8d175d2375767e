/* SPDX-License-Identifier: MIT */
/*
 * Campaigns that are killed, at any moment and in any way, and resumed end with the same store as
 * one that nobody disturbs.
 */
#include "results/campaign_apart.h"

#include "base/random.h"
#include "harness.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef REDUCED
enum { ROUNDS = 6 };
#else
enum { ROUNDS = 50 };
#endif

typedef enum victim { THE_GROUP, THE_CAMPAIGN, A_WORKER, VICTIMS } victim;

/* Any child of the process; 0: it has none. */
static pid_t child_of(pid_t parent) {
    pid_t found = 0;
    DIR *list = opendir("/proc");
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        char path[300], text[512] = "";
        (void)snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        const size_t length = fread(text, 1, sizeof text - 1, file);
        (void)fclose(file);
        const char *at = length > 0 ? strrchr(text, ')') : NULL;
        if (at != NULL && strlen(at) > 4 && strtol(at + 4, NULL, 10) == parent)
            found = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    (void)closedir(list);
    return found;
}

static void strike(pid_t campaign, victim whom) {
    const pid_t worker = whom == A_WORKER ? child_of(campaign) : 0;
    if (whom == THE_GROUP)
        (void)kill(-campaign, SIGKILL);
    else if (whom == THE_CAMPAIGN)
        (void)kill(campaign, SIGKILL);
    else if (worker > 0)
        (void)kill(worker, SIGKILL);
}

static void wait_for(double seconds) {
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&time, NULL);
}

/* Starts a campaign, kills it at some moment, perhaps does the same to the one that goes on, and
 * lets the last one finish. A trial whose worker was killed is a failed one: these are tried again.
 * Says how many kills came in time; if none does, the next ones come sooner. */
static uint32_t kill_and_resume(const char *store, base_rng *rng, double *seconds) {
    campaign_result r;
    uint32_t hits = 0;
    how h = {.plan = quick_plan, .store = store, .jobs = 2};
    do {
        const victim whom = (victim)base_rng_below(rng, VICTIMS);
        running campaign = start(&h);
        wait_for(base_rng_unit(rng) * *seconds);
        strike(campaign.process, whom);
        const bool was_killed = !finish(&campaign, &r);
        assert_true(was_killed || r.status == COL_OK);
        const bool is_hit = was_killed || r.summary.failed > FAILING;
        hits += is_hit;
        *seconds *= is_hit ? 1.1 : 0.8;
        h.resume = true;
        h.retry = h.retry || whom == A_WORKER;
    } while (base_rng_below(rng, 3) == 0);
    run_well(&h, &r);
    assert_int_equal(r.summary.done, TRIALS - FAILING);
    assert_int_equal(r.summary.failed, FAILING);
    return hits;
}

TEST(a_killed_campaign_resumes_to_the_same_results) {
    base_text reference = {0};
    double seconds, wait;
    uint32_t killed = 0, hits = 0, rounds = 0;
    const char *store = scratch_path("crash.db");
    make_reference(&reference, &seconds);
    for (wait = seconds; killed < ROUNDS && rounds < 4 * ROUNDS; rounds++) {
        base_rng rng;
        base_rng_seed(&rng, 12, rounds);
        const uint32_t now = kill_and_resume(store, &rng, &wait);
        check_same(store, &reference);
        remove_store(store);
        killed += now > 0;
        hits += now;
    }
    print_message("%u rounds, %u campaigns killed, %u times in all; one that is not takes %.3f s\n",
                  rounds, killed, hits, seconds);
    assert_int_equal(killed, ROUNDS);
    base_text_free(&reference);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
