/* SPDX-License-Identifier: MIT */
/* Which kind a design file says that it is: the one place that looks. */
#ifndef DUV_FILE_KIND_H
#define DUV_FILE_KIND_H

#include <stdbool.h>

/* Is this a file, of YAML that says kind: WORD? A pipe can be read only once, and is left to who
 * opens it; what is not YAML is nobody's. */
bool duv_file_has_kind(const char *path, const char *word);

#endif
