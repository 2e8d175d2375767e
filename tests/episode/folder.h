/* SPDX-License-Identifier: MIT */
/* A folder for the files of a test program; gone at its end. */
#ifndef TESTS_EPISODE_FOLDER_H
#define TESTS_EPISODE_FOLDER_H

extern char folder[];

/* For cmocka_run_group_tests. */
int make_folder(void **state);
int remove_folder(void **state);

#endif
