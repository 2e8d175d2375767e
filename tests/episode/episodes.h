/* SPDX-License-Identifier: MIT */
/* Small episodes, and a folder for the files of a test program, gone at its end. */
#pragma once

#include "collider/episode.h"

extern char folder[];

/* For cmocka_run_group_tests. */
int make_folder(void **state);
int remove_folder(void **state);

/* 12 small tests of two instances, on four cores; no limit of time. */
col_episode_settings small_episode(const char *design, const char *engine);
/* It must not end with a problem. */
void run_episode(const col_episode_settings *settings, col_episode *episode);
