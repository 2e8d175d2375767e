/* SPDX-License-Identifier: MIT */
/* The kinds of design files: see file_kind.h. */
#include "duv/file_kind.h"

#include "base/file.h"
#include "base/yaml.h"
#include "sim/design.h"

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

static bool says(const base_text *text, const char *path, const char *word) {
    base_yaml yaml;
    search s = {.word = word};
    if (base_yaml_read(&yaml, text->data == NULL ? "" : text->data, text->length, path, NULL) !=
        COL_OK)
        return false;
    if (base_yaml_root(&yaml)->type == YAML_MAPPING_NODE)
        (void)base_yaml_each(&yaml, base_yaml_root(&yaml), "a design", look_at_key, &s);
    base_yaml_free(&yaml);
    return s.is_found;
}

bool duv_file_has_kind(const char *path, const char *word) {
    struct stat about;
    base_text text = {0};
    if (!sim_is_design_file(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    const bool is_found = base_file_read(path, &text, NULL) == COL_OK && says(&text, path, word);
    base_text_free(&text);
    return is_found;
}
