/* SPDX-License-Identifier: MIT */
/* The command: a process of its own, with its standard streams and its signals. */
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A file that is opened while a standard stream is closed would take its place, and get what is
 * printed. The place is taken by a stream that cannot be read or written, as a closed one. */
static col_status keep_places(col_problem *problem) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
            return base_fail(problem, "cannot open /dev/null: %s", strerror(errno));
    return COL_OK;
}

int main(int count, char **words) {
    col_problem problem = {0};
    if (keep_places(&problem) != COL_OK) {
        cli_diagnose(&problem);
        return COL_FAILURE;
    }
    cli_clean_up_at_signals();
    return cli_main(count, words);
}
