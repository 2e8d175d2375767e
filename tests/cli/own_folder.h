/* SPDX-License-Identifier: MIT */
/* A folder that a group of tests works in, for cmocka's group functions. */
#ifndef TESTS_CLI_OWN_FOLDER_H
#define TESTS_CLI_OWN_FOLDER_H

extern char own_folder[64];

/* Makes it, and it is the working folder. */
int make_own_folder(void **state);
int remove_own_folder(void **state);

#endif
