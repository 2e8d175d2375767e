/* SPDX-License-Identifier: MIT */
/* The kinds of design files: see file_kind.h. */
#include "duv/file_kind.h"

#include "base/file.h"
#include "base/yaml.h"
#include "sim/design.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct search {
    const char *word;
    bool is_found;
} search;

static col_status look_at_key(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    search *s = target;
    const char *name = base_yaml_scalar(key), *text = base_yaml_scalar(value);
    (void)yaml;
    if (name != NULL && strcmp(name, "kind") == 0 && text != NULL && strcmp(text, s->word) == 0)
        s->is_found = true;
    return COL_OK;
}

/* What is no YAML is nobody's; who opens it says so. */
static col_status look_into(const char *path, search *s) {
    base_text text = {0};
    base_yaml yaml;
    s->is_found = false;
    col_status status = base_file_read(path, &text, NULL);
    if (status == COL_OK)
        status = base_yaml_read(&yaml, text.data == NULL ? "" : text.data, text.length, path, NULL);
    if (status == COL_OK) {
        if (base_yaml_root(&yaml)->type == YAML_MAPPING_NODE)
            (void)base_yaml_each(&yaml, base_yaml_root(&yaml), "a design", look_at_key, s);
        base_yaml_free(&yaml);
    }
    base_text_free(&text);
    return status;
}

/* Most files of other designs are recognised by their bytes: without the word, and without what may
 * hide it from us, such as an escape or UTF-16, they are none of ours. No memory is needed for
 * that, so a design of another kind cannot fail to be one. A file that cannot be read may say
 * anything. */
static bool may_say(const char *path, const char *word) {
    char bytes[4096 + 1];
    const size_t overlap = strlen(word) - 1;
    size_t kept = 0, got;
    bool is_found = false;
    FILE *file = fopen(path, "rb");
    while (file != NULL && !is_found &&
           (got = fread(bytes + kept, 1, sizeof bytes - 1 - kept, file)) > 0) {
        const size_t length = kept + got;
        bytes[length] = '\0';
        is_found = strlen(bytes) < length || strpbrk(bytes, "\\\xfe\xff") != NULL ||
                   strstr(bytes, word) != NULL;
        kept = length < overlap ? length : overlap;
        memmove(bytes, bytes + length - kept, kept);
    }
    const bool is_unknown = file == NULL || ferror(file) != 0;
    if (file != NULL)
        (void)fclose(file);
    return is_found || is_unknown;
}

/* A machine that fails us cannot be reported from here: if it goes on failing, whoever opens the
 * design reports it. A pipe can be read only once, and is left to whoever opens it. */
bool duv_file_has_kind(const char *path, const char *word) {
    enum { LOOKS = 2 };
    search s = {.word = word};
    struct stat about;
    if (!sim_is_design_file(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        !may_say(path, word))
        return false;
    for (int i = 0; i < LOOKS && look_into(path, &s) == COL_FAILURE; i++) {
    }
    return s.is_found;
}
