/* SPDX-License-Identifier: MIT */
/* Words of the source: see verilog_source.h. */
#include "design/verilog/verilog_source.h"

#include "base/file.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void open_file(duv_source *s, struct duv_source_file *f) {
    char path[PATH_MAX];
    xml_path(s->root, f->id, path, sizeof path);
    if (base_file_read_regular(path, &f->text, NULL) != COL_OK)
        return;
    for (const char *line = f->text.data; line != NULL; line = strchr(line, '\n')) {
        line += f->count > 0;
        if (base_reserve(&f->lines, &f->capacity, f->count + 1, sizeof *f->lines, NULL) != COL_OK)
            return;
        f->lines[f->count++] = line;
    }
}

static const char *find_line(duv_source *s, const xml_place *place) {
    uint32_t i = 0;
    while (i < s->count && strcmp(s->files[i].id, place->file) != 0)
        i++;
    if (i == DUV_MOST_OPENED)
        return NULL;
    struct duv_source_file *f = &s->files[i];
    if (i == s->count) {
        s->count++;
        memcpy(f->id, place->file, sizeof f->id);
        open_file(s, f);
    }
    return place->line >= 1 && place->line <= f->count ? f->lines[place->line - 1] : NULL;
}

bool duv_source_word(duv_source *s, const xml_place *place, char *word, size_t size) {
    const char *line = find_line(s, place);
    size_t length = 0;
    if (line == NULL || place->column == 0 || place->column > strcspn(line, "\n"))
        return false;
    const char *at = line + place->column - 1;
    at += *at == '`';
    if (!isalpha((unsigned char)*at) && *at != '_')
        return false;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    if (length >= size || strncmp(at + length, "::", 2) == 0)
        return false;
    memcpy(word, at, length);
    word[length] = '\0';
    return true;
}

void duv_source_free(duv_source *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        base_text_free(&s->files[i].text);
        free(s->files[i].lines);
    }
}
