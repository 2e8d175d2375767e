/* SPDX-License-Identifier: MIT */
/* A model as one text, to be kept: it means the same wherever it is read, and reads no file. */
#ifndef CAT_WHOLE_H
#define CAT_WHOLE_H

#include "cat/model.h"

/* The text of a file with those that it includes in their places. Where that of a file is the
 * model's own, the text is the file. A comment, (*line 7*), says where lines come from. The model
 * must be one that can be read; it is refused if its text does not mean the same. */
col_status cat_whole(base_text *text, const char *path, const cat_sources *sources,
                     col_problem *problem);

#endif
