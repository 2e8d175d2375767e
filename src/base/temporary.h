/* SPDX-License-Identifier: MIT */
/*
 * Temporary files and folders that a signal must not leave behind. The list is global, because that
 * is all that a signal can reach; it belongs to the process that made it, not to what it forks.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

/* Remembers the file, or the folder with all that will be in it; returns what to forget it by. */
int base_temporary_add(const char *path);
int base_temporary_add_folder(const char *path);
void base_temporary_forget(int which);

/* Removes them. May be called by a signal's handler. */
void base_temporary_remove_all(void);

#endif
