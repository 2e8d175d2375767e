/* SPDX-License-Identifier: MIT */
/* Paths that tests know to be short enough. */
#pragma once

#include "base/path.h"
#include "harness.h"

static inline const char *path_in(char path[PATH_MAX], const char *folder, const char *name) {
    assert_int_equal(base_path_in(path, folder, name, NULL), COL_OK);
    return path;
}
