/* SPDX-License-Identifier: MIT */
/* The protocol mi with its cache changed: see changed.h. */
#include "changed.h"

#include "base/file.h"
#include "base/text.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void replace_all(base_text *text, const change *c) {
    base_text changed = {0};
    uint32_t count = 0;
    const char *at = text->data;
    for (const char *found; (found = strstr(at, c->old)) != NULL;
         at = found + strlen(c->old), count++) {
        base_text_add_bytes(&changed, at, (size_t)(found - at));
        base_text_add(&changed, c->new);
    }
    assert_true(count > 0);
    base_text_add(&changed, at);
    base_text_free(text);
    *text = changed;
}

void compile_changed(sim_plugin *plugin, const change *changes, uint32_t count) {
    static const char *const names[] = {"mi.slicc", "mi-msg.sm", "mi-cache.sm", "mi-dir.sm"};
    char folder[] = "/tmp/collider-changed-XXXXXX", path[1024];
    col_problem problem;
    base_text complaints = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        base_text text = {0};
        const char *root = strrchr(README_FILE, '/');
        (void)snprintf(path, sizeof path, "%.*s/protocols/mi/%s", (int)(root - README_FILE),
                       README_FILE, names[i]);
        assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
        for (uint32_t c = 0; strcmp(names[i], "mi-cache.sm") == 0 && c < count; c++)
            replace_all(&text, &changes[c]);
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(base_file_write(path, text.data, text.length, &problem), COL_OK);
        base_text_free(&text);
    }
    (void)snprintf(path, sizeof path, "%s/mi.slicc", folder);
    if (sim_plugin_compile(plugin, path, &complaints, &problem) != COL_OK)
        fail_msg("%s %s", problem.message, complaints.data == NULL ? "" : complaints.data);
    base_text_free(&complaints);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}
