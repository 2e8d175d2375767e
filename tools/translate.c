/* SPDX-License-Identifier: MIT */
/* Used while Collider is built: translates a built-in protocol. translate PROTOCOL.slicc OUTPUT.c
 */
#include "protocol/slicc/translate.h"
#include "base/file.h"

#include <stdio.h>

int main(int count, char **words) {
    char name[SLICC_MOST_NAME];
    base_text c = {0}, complaints = {0};
    col_problem problem = {0};
    if (count != 3) {
        (void)fprintf(stderr, "usage: translate PROTOCOL.slicc OUTPUT.c\n");
        return COL_BAD_INPUT;
    }
    col_status status = slicc_translate(words[1], NULL, &c, name, &complaints, &problem);
    if (status == COL_OK)
        status = base_file_write(words[2], c.data, c.length, &problem);
    if (complaints.length > 0)
        (void)fputs(complaints.data, stderr);
    else if (status != COL_OK)
        (void)fprintf(stderr, "%s\n", problem.message);
    base_text_free(&c);
    base_text_free(&complaints);
    return (int)status;
}
