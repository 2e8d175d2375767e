/* SPDX-License-Identifier: MIT */
/* Where a tour goes: see tour_output.h. */
#include "cli/tour_output.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CURVE_ROWS = 1000 };

static bool is_standard(const tour_output *output) {
    return strcmp(output->path, "-") == 0;
}

/* Pipes, devices and what a dangling link names have no old content to keep. */
static bool is_in_place(const tour_output *output) {
    struct stat status;
    if (stat(output->path, &status) == 0)
        return !S_ISREG(status.st_mode);
    return lstat(output->path, &status) == 0;
}

/* The old file's permissions, or those of any new file. */
static mode_t mode_of(const tour_output *output) {
    struct stat old;
    if (stat(output->target, &old) == 0)
        return old.st_mode & 07777;
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(tour_output *output) {
    if (realpath(output->path, output->target) == NULL)
        (void)snprintf(output->target, sizeof output->target, "%s", output->path);
    const int length =
        snprintf(output->temporary, sizeof output->temporary, "%s.XXXXXX", output->target);
    if (length < 0 || (size_t)length >= sizeof output->temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int descriptor = mkstemp(output->temporary);
    if (descriptor >= 0)
        (void)fchmod(descriptor, mode_of(output));
    return descriptor;
}

static FILE *open_file(tour_output *output) {
    output->temporary[0] = '\0';
    if (is_standard(output))
        return stdout;
    if (is_in_place(output))
        return fopen(output->path, "wb");
    const int descriptor = open_temporary(output);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file == NULL && descriptor >= 0) {
        (void)close(descriptor);
        (void)unlink(output->temporary);
    }
    return file;
}

static void write_lines(tour_output *output) {
    for (uint32_t kind = 0; kind < COL_TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < TOUR_OUTPUT_CORES; core++)
            (void)snprintf(output->lines[kind][core], sizeof output->lines[kind][core], "%s %u\n",
                           col_tour_kinds[kind], core);
}

col_status tour_output_begin(tour_output *output, col_error *error) {
    if (output->has_curve)
        col_text_add(&output->curve, "cost,covered,fraction\n");
    if (output->path == NULL)
        return COL_OK;
    write_lines(output);
    output->file = open_file(output);
    if (output->file == NULL)
        return col_fail(error, "cannot write %s: %s", output->path, strerror(errno));
    return COL_OK;
}

static void add_row(tour_output *output) {
    const col_tour_results *r = output->results;
    col_text_print(&output->curve, "%llu,%llu,%.6f\n", (unsigned long long)r->cost,
                   (unsigned long long)r->covered, (double)r->covered / (double)r->transitions);
    output->next = r->covered + 1 + r->transitions / CURVE_ROWS;
    output->row_cost = r->cost;
}

bool tour_output_take(tour_output *output, col_tour_operation operation) {
    if (output->has_curve && output->results->covered >= output->next)
        add_row(output);
    if (output->file == NULL)
        return true;
    return fputs(output->lines[operation.kind][operation.core], output->file) >= 0;
}

static bool close_file(tour_output *output) {
    const bool is_flushed = fflush(output->file) == 0 && ferror(output->file) == 0;
    if (is_standard(output))
        return is_flushed;
    const bool is_safe =
        is_flushed && (output->temporary[0] == '\0' || fsync(fileno(output->file)) == 0);
    const int reason = errno;
    const bool is_closed = fclose(output->file) == 0;
    if (!is_safe)
        errno = reason;
    return is_safe && is_closed;
}

col_status tour_output_end(tour_output *output, bool keep, col_error *error) {
    if (output->file == NULL)
        return COL_OK;
    const bool has_temporary = output->temporary[0] != '\0';
    const bool is_done = close_file(output) && (!keep || !has_temporary ||
                                                rename(output->temporary, output->target) == 0);
    const int reason = errno;
    if (has_temporary && (!keep || !is_done))
        (void)unlink(output->temporary);
    output->file = NULL;
    if (keep && !is_done)
        return col_fail(error, "cannot write %s: %s",
                        is_standard(output) ? "to standard output" : output->path,
                        strerror(reason));
    return COL_OK;
}

col_status tour_output_write_curve(tour_output *output, const char *path, col_error *error) {
    if (output->row_cost != output->results->cost)
        add_row(output);
    col_status status = col_text_status(&output->curve, error);
    if (status == COL_OK)
        status = col_file_write(path, output->curve.data, output->curve.length, error);
    return status;
}
