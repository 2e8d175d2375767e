/* SPDX-License-Identifier: MIT */
/* The files of a model: where they are looked for, and what is in them. */
#ifndef CAT_SOURCE_H
#define CAT_SOURCE_H

#include "base/text.h"

#include <limits.h>

enum { CAT_MOST_INCLUSION = 20, CAT_MOST_INCLUDED = 300, CAT_MOST_BYTES = 1 << 20 };

/* Where to look for files, besides the folder of the file that includes them. */
typedef struct cat_sources {
    const char
        *path; /* folders, between colons; may be NULL. Then come those of COLLIDER_CATPATH */
    const char *const *variants; /* that `if "name"` asks for; ended by NULL; may be NULL */
    bool is_whole; /* the text has all that it needs: no file is looked for but our own */
} cat_sources;

/* It must stay where it is. Close it also after an error. */
typedef struct cat_source {
    const char *bytes; /* NULL: there is no such file */
    size_t length;
    const char *path; /* what places say */
    base_text text;   /* of a file that was read: empty if it is one of our own */
    char found[PATH_MAX];
} cat_source;

/* The file of a model, by a path or a name. */
col_status cat_source_open(cat_source *source, const char *path, const cat_sources *sources,
                           col_problem *problem);

/* COL_OK, and no bytes, if there is none of this name. */
col_status cat_source_include(cat_source *source, const char *includer, const char *name,
                              const cat_sources *sources, col_problem *problem);
void cat_source_close(cat_source *source);

/* Does the name of an included file lead out of the folders that are searched? */
bool cat_leaves_folder(const char *name);

/* Is this herd7's library as it was up to 7.58? It does not speak of EX, the exclusives, and takes
 * for granted what our own file of this name defines. */
#define CAT_OLD_NAMES "herd758.cat"
bool cat_is_old_library(const cat_source *library);

/* Our own files: what the library carries, by name; NULL if there is none such. */
const char *cat_own_file(const char *name, size_t *length);

#endif
