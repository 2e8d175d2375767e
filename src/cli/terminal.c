/* SPDX-License-Identifier: MIT */
/* Terminals: see terminal.h. */
#include "cli/terminal.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_set(const char *variable) {
    const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    return value != NULL && value[0] != '\0';
}

bool cli_has_colours(FILE *stream) {
    const char *terminal = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe) */
    return isatty(fileno(stream)) == 1 && !is_set("NO_COLOR") &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

void cli_paint(FILE *stream, cli_colour colour, const char *text) {
    static const char *const codes[CLI_COLOUR_COUNT] = {[CLI_RED] = "\033[1;31m",
                                                        [CLI_GREEN] = "\033[1;32m",
                                                        [CLI_MAGENTA] = "\033[1;35m",
                                                        [CLI_BOLD] = "\033[1m"};
    const bool has_colours = cli_has_colours(stream);
    if (has_colours)
        (void)fputs(codes[colour], stream);
    base_print(stream, "%s", text);
    if (has_colours)
        (void)fputs("\033[0m", stream);
}

int cli_columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
}
