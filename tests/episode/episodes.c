/* SPDX-License-Identifier: MIT */
/* Small episodes, and a folder: see episodes.h. */
#include "episodes.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

char folder[] = "/tmp/collider-episode-XXXXXX";

int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

int remove_folder(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

col_episode_settings small_episode(const char *design, const char *engine) {
    col_episode_settings s;
    col_episode_default(&s);
    s.setting.design.name = design;
    s.setting.design.cores = 4;
    s.engine = engine;
    s.operations = (col_range){64, 256};
    s.locations = (col_range){4, 16};
    s.instances = 2;
    s.seconds = 0;
    s.tests = 12;
    return s;
}

void run_episode(const col_episode_settings *settings, col_episode *episode) {
    col_problem problem;
    *episode = (col_episode){0};
    if (col_episode_run(settings, episode, &problem) != COL_OK)
        fail_msg("%s on %s: %s", settings->engine, settings->setting.design.name, problem.message);
}
