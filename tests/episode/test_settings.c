/* SPDX-License-Identifier: MIT */
/* Settings by name and text: every form is read as it is written, has one spelling that means the
 * same, and refuses the rest in one sentence. */
#include "episode/episode_settings.h"

#include "harness.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_case {
    const char *name, *text;
    const char *spelling; /* NULL: it is refused */
} text_case;

static const text_case cases[] = {
    {"design", "my design.yaml", "my design.yaml"},
    {"cores", "16", "16"},
    {"cores", "0x10", "16"},
    {"cores", "1Ki", "1024"},
    {"cores", "0", NULL},
    {"cores", "64Mi", NULL},
    {"cores", "-1", NULL},
    {"cores", " 1", NULL},
    {"cores", "1 ", NULL},
    {"cores", "", NULL},
    {"mutant", "4294967295", "4294967295"},
    {"mutant", "4294967296", NULL},
    {"seed", "0", "0"},
    {"seed", "9223372036854775807", "9223372036854775807"},
    {"seed", "9223372036854775808", NULL},
    {"tests", "4Gi", NULL},
    {"ops", "64", "64"},
    {"ops", "1Ki:64Ki", "1024:65536"},
    {"ops", "5:5", "5"},
    {"ops", "0x5:5", "5"},
    {"ops", "0:5", NULL},
    {"ops", "6:5", NULL},
    {"ops", "5:", NULL},
    {"ops", ":5", NULL},
    {"ops", "1:2:3", NULL},
    {"ops", "1:4294967295", NULL},
    {"locations", "1:16Mi", "1:16777216"},
    {"locations", "1:17Mi", NULL},
    {"time", "60s", "60s"},
    {"time", "0.50s", "0.5s"},
    {"time", "1e3s", "1000s"},
    {"time", "60", "60s"},
    {"time", "1m30s", "90s"},
    {"time", "1h30", NULL},
    {"time", "0s", NULL},
    {"time", "60sec", NULL},
    {"time", "2e9s", NULL},
    {"until-coverage", "0.90", "0.9"},
    {"until-coverage", "1", "1"},
    {"until-coverage", "1.01", NULL},
    {"until-coverage", "90%", NULL},
    {"keep-going", "yes", "yes"},
    {"keep-going", "no", "no"},
    {"keep-going", "true", NULL},
    {"metric", "functional", "functional"},
    {"metric", "Functional", NULL},
    {"model", "rvwmo", "rvwmo"},
    {"model", "x86", NULL},
    {"model", ".cat", NULL},
    {"engine", "dqg-corf", "dqg-corf"},
    {"engine", "dqg", NULL},
};

static void read(const text_case *c, const char *text, col_episode_settings *s,
                 col_status expected) {
    col_problem problem = {.message = ""};
    const base_field *field = base_field_find(epi_fields, c->name);
    assert_non_null(field);
    memset(s, 0, sizeof *s); /* also between its members */
    if (base_field_read(field, text, "--", s, &problem) != expected)
        fail_msg("--%s %s: %s", c->name, text, problem.message);
    if (expected == COL_OK)
        return;
    assert_int_equal(strncmp(problem.message, "--", 2), 0);
    assert_int_equal(strncmp(problem.message + 2, c->name, strlen(c->name)), 0);
    char quoted[64]; /* with what it may be, or what was meant */
    (void)snprintf(quoted, sizeof quoted, "'%s'", text);
    assert_non_null(strstr(problem.message, quoted));
    assert_true(strstr(problem.message, ", not '") != NULL ||
                strstr(problem.message, "; did you mean '") != NULL);
}

TEST(texts_are_read_and_spelled) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const text_case *c = &cases[i];
        col_episode_settings first, second;
        base_text spelling = {0};
        read(c, c->text, &first, c->spelling == NULL ? COL_BAD_INPUT : COL_OK);
        if (c->spelling == NULL)
            continue;
        base_field_spell(base_field_find(epi_fields, c->name), c->text, &spelling);
        assert_string_equal(spelling.data, c->spelling);
        read(c, spelling.data, &second, COL_OK);
        if (strcmp(c->name, "design") == 0)
            second.setting.design.name = first.setting.design.name; /* the text itself */
        assert_memory_equal(&first, &second, sizeof first);
        base_text_free(&spelling);
    }
}

/* One text, one member: nothing else changes, but perhaps that it was said. */
TEST(a_field_sets_only_its_member) {
    for (const base_field *field = epi_fields; field->name != NULL; field++) {
        static const char *const texts[] = {
            [BASE_TEXT] = "x",  [BASE_FLAG] = "yes",   [BASE_NUMBER] = "3",
            [BASE_RANGE] = "3", [BASE_SECONDS] = "3s", [BASE_FRACTION] = "0.3"};
        const char *text = field->words != NULL ? field->words[1] : texts[field->kind];
        col_episode_settings settings;
        const char *bytes = (const char *)&settings;
        bool is_set = false;
        memset(&settings, 0, sizeof settings);
        assert_int_equal(base_field_read(field, text, "", &settings, NULL), COL_OK);
        for (size_t i = 0; i < sizeof settings; i++) {
            const bool is_its_own = (i >= field->offset && i < field->offset + field->size) ||
                                    (field->is_said > 0 && i == field->is_said);
            is_set = is_set || (is_its_own && bytes[i] != 0);
            if (!is_its_own && bytes[i] != 0)
                fail_msg("%s sets something else, too", field->name);
        }
        assert_true(is_set);
    }
}

TEST(there_is_always_a_budget) {
    col_episode_settings s;
    epi_settings_begin(&s);
    epi_settings_end(&s);
    assert_true(s.seconds == 60);
    epi_settings_begin(&s);
    s.cycles = 1;
    epi_settings_end(&s);
    assert_true(s.seconds == 0);
    epi_settings_begin(&s);
    s.until_coverage = 0.5; /* may never come */
    epi_settings_end(&s);
    assert_true(s.seconds == 60);
}

TEST(settings_are_set_by_name) {
    col_episode_settings settings;
    col_problem problem = {.file = ""};
    col_episode_default(&settings);
    assert_int_equal(col_episode_set(&settings, "ops", "1Ki:2Ki", &problem), COL_OK);
    assert_int_equal(settings.operations.most, 2048);
    assert_true(settings.has_operations);
    assert_int_equal(col_episode_set(&settings, "cores", "none", &problem), COL_BAD_INPUT);
    assert_int_equal(col_episode_set(&settings, "colour", "red", &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "'colour'"));
}
