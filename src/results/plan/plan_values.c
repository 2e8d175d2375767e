/* SPDX-License-Identifier: MIT */
/* The values of a setting in a plan: one, a list, or a..b. Each is tried as the tool itself would
 * read it. */
#include "base/file.h"
#include "base/number.h"
#include "base/path.h"
#include "design/design_kind.h"
#include "episode/episode_judge.h"
#include "results/plan/plan_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- One value. */

/* In one spelling, so that equal trials are equal; NULL: not given, also of flags that are not set.
 */
static col_status spell(cam_reader *reader, const base_field *field, const char *text,
                        const char **value) {
    base_text spelling = {0};
    *value = NULL;
    if (strcmp(text, CAM_NONE) == 0 || (field->kind == BASE_FLAG && strcmp(text, "no") == 0))
        return COL_OK;
    base_field_spell(field, text, &spelling);
    if (!spelling.failed)
        *value = base_arena_text(reader->values, spelling.data, spelling.length);
    base_text_free(&spelling);
    return *value == NULL ? base_out_of_memory(reader->yaml.problem) : COL_OK;
}

static bool is(const base_field *field, epi_setting setting) {
    return field == &epi_fields[setting];
}

/* Of a setting whose values may be the names of files. */
static bool is_file(const base_field *field, const char *value) {
    if (is(field, EPI_MODEL))
        return epi_model_is_file(value);
    if (is(field, EPI_ENGINE))
        return epi_engine_is_code(value);
    if (cam_field_is_known(field))
        return true;
    return is(field, EPI_DESIGN) ? duv_kind_of(value)->is_file : duv_error_is_file(value);
}

static bool is_code(const base_field *field, const char *value) {
    return is(field, EPI_ENGINE) ? epi_engine_is_code(value)
                                 : is(field, EPI_DESIGN) && duv_kind_of(value)->is_code;
}

/* Folders between colons, each relative to the plan's. */
static col_status find_folders(cam_reader *reader, const char *list, const char **found) {
    base_text text = {0};
    col_status status = COL_OK;
    while (status == COL_OK && list != NULL) {
        const size_t length = strcspn(list, ":");
        char name[PATH_MAX], path[PATH_MAX] = "";
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < PATH_MAX ? length : 0), list);
        status = base_path_beside(path, reader->yaml.file, name, reader->yaml.problem);
        base_text_print(&text, "%s%s", text.length > 0 ? ":" : "", name[0] == '/' ? name : path);
        list = list[length] == ':' ? list + length + 1 : NULL;
    }
    if (status == COL_OK && !text.failed)
        *found = base_arena_text(reader->values, text.data, text.length);
    base_text_free(&text);
    return status == COL_OK && *found == NULL ? base_out_of_memory(reader->yaml.problem) : status;
}

/* Relative to the plan's folder; NULL: it names no file, says where it is, or is one of our own
 * models that does not lie there. */
static col_status find_path(cam_reader *reader, const base_field *field, const char *value,
                            const char **found) {
    char path[PATH_MAX];
    const char *plan = reader->yaml.file;
    *found = NULL;
    if (value != NULL && is(field, EPI_INCLUDE) && strchr(plan, '/') != NULL)
        return find_folders(reader, value, found);
    if (value == NULL || is(field, EPI_INCLUDE) || !is_file(field, value))
        return COL_OK;
    col_status status = base_path_beside(path, plan, value, reader->yaml.problem);
    BASE_THEN(status, base_file_check_regular(path, true, reader->yaml.problem));
    if (status != COL_OK || value[0] == '/' || strchr(plan, '/') == NULL ||
        (is(field, EPI_MODEL) && epi_model_is_own(value) && access(path, F_OK) != 0))
        return status;
    return cam_keep(reader, reader->values, path, found);
}

static col_status add_value(cam_reader *reader, const base_field *field, const base_yaml_node *node,
                            const char *text, cam_values *axis) {
    col_problem problem;
    if (strcmp(text, CAM_NONE) != 0 && cam_field_try(field, text, &problem) != COL_OK)
        return base_yaml_refuse(&reader->yaml, node, "%s", problem.message);
    const uint32_t place = axis->count++;
    const char *path = NULL;
    axis->at[place] = (uint32_t)node->start_mark.index + 1;
    col_status status = spell(reader, field, text, &axis->values[place]);
    if (reader->is_choosing)
        return status;
    if (status == COL_OK && axis->paths != NULL)
        status = find_path(reader, field, axis->values[place], &path);
    if (status == COL_BAD_INPUT && reader->yaml.problem != NULL) {
        problem = *reader->yaml.problem;
        return base_yaml_refuse(&reader->yaml, node, "%s", problem.message);
    }
    if (status != COL_OK)
        return status;
    if (axis->paths != NULL)
        axis->paths[place] = path;
    if (!reader->plan->allows_code && is_code(field, path != NULL ? path : text))
        return base_yaml_refuse(&reader->yaml, node,
                                "the %s %.100s is native code, which a plan runs only if you "
                                "allow it: collider campaign %.200s --allow-code",
                                field->name, text, reader->yaml.file);
    return COL_OK;
}

/* ---- Several. */

static bool is_numeric(const base_field *field) {
    return field->kind == BASE_NUMBER || field->kind == BASE_RANGE;
}

/* "1..10": false if it is something else. */
static bool parse_sequence(const char *text, uint64_t *first, uint64_t *last) {
    char number[32];
    const char *dots = strstr(text, "..");
    const size_t length = dots == NULL ? sizeof number : (size_t)(dots - text);
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    return base_number_parse(number, first) && base_number_parse(dots + 2, last);
}

/* How many values a node stands for; 0: it is refused. */
static uint64_t count_values(cam_reader *reader, const base_field *field,
                             const base_yaml_node *node, uint64_t *first) {
    const char *text = base_yaml_scalar(node);
    uint64_t last = 0;
    if (text == NULL || text[0] == '\0') {
        (void)base_yaml_refuse(&reader->yaml, node,
                               "%s is a value or a list of values; '" CAM_NONE "' means not given",
                               field->name);
        return 0;
    }
    if (!is_numeric(field) || !parse_sequence(text, first, &last))
        return 1;
    if (last < *first || last - *first >= CAM_MOST_TRIALS) {
        (void)base_yaml_refuse(&reader->yaml, node,
                               "%.40s is not a list of 1 to %d numbers that rise", text,
                               CAM_MOST_TRIALS);
        return 0;
    }
    return last - *first + 1;
}

static bool names_files(const base_field *field) {
    return is(field, EPI_DESIGN) || is(field, EPI_ENGINE) || is(field, EPI_MODEL) ||
           is(field, EPI_INCLUDE) || is(field, EPI_ERROR) || cam_field_is_known(field);
}

static const base_yaml_node *item_at(cam_reader *reader, const base_yaml_node *value, size_t i) {
    return value->type != YAML_SEQUENCE_NODE
               ? value
               : yaml_document_get_node(&reader->yaml.document,
                                        value->data.sequence.items.start[i]);
}

static col_status add_values(cam_reader *reader, const base_field *field,
                             const base_yaml_node *node, cam_values *axis) {
    uint64_t first = UINT64_MAX;
    const char *text = base_yaml_scalar(node);
    const uint64_t count = count_values(reader, field, node, &first);
    if (first == UINT64_MAX)
        return add_value(reader, field, node, text, axis);
    col_status status = COL_OK;
    for (uint64_t i = 0; i < count && status == COL_OK; i++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%" PRIu64, first + i);
        status = add_value(reader, field, node, number, axis);
    }
    return status;
}

static col_status read_values(cam_reader *reader, const base_field *field,
                              const base_yaml_node *value, cam_values *axis) {
    const size_t items = value->type == YAML_SEQUENCE_NODE ? cam_node_size(value) : 1;
    uint64_t total = 0, unused = 0;
    if (items == 0)
        return base_yaml_refuse(&reader->yaml, value, "this list of %s is empty", field->name);
    for (size_t i = 0; i < items && total <= CAM_MOST_TRIALS; i++) {
        const uint64_t count = count_values(reader, field, item_at(reader, value, i), &unused);
        if (count == 0)
            return COL_BAD_INPUT;
        total += count;
    }
    if (total > CAM_MOST_TRIALS)
        return base_yaml_refuse(&reader->yaml, value, "these are more than %d values",
                                CAM_MOST_TRIALS);
    axis->values = cam_take(reader, &reader->scratch, total, sizeof *axis->values);
    axis->at = cam_take(reader, &reader->scratch, total, sizeof *axis->at);
    if (names_files(field))
        axis->paths = cam_take(reader, &reader->scratch, total, sizeof *axis->paths);
    if (axis->values == NULL || axis->at == NULL || (names_files(field) && axis->paths == NULL))
        return COL_FAILURE;
    col_status status = COL_OK;
    for (size_t i = 0; i < items && status == COL_OK; i++)
        status = add_values(reader, field, item_at(reader, value, i), axis);
    return status;
}

/* ---- By kind. */

static col_status refuse_name(cam_reader *reader, const cam_entry *entry, cam_kind kind) {
    base_text list = {0};
    cam_field_list(kind, &list);
    const col_status status =
        base_yaml_refuse(&reader->yaml, entry->key, "%s has no setting '%.40s'; it has %s",
                         kind == CAM_EPISODE ? "an episode"
                         : kind == CAM_TOUR  ? "a tour"
                                             : "a study of locations",
                         entry->name, list.failed ? "others" : list.data);
    base_text_free(&list);
    return status;
}

col_status cam_values_read(cam_reader *reader, cam_kind kind, const cam_entry *entry,
                           cam_values *axis) {
    *axis = (cam_values){.name = NULL};
    const base_field *field = cam_field_find(kind, entry->name, &axis->place);
    if (field == NULL)
        return refuse_name(reader, entry, kind);
    axis->name = field->name;
    return read_values(reader, field, entry->value, axis);
}

col_status cam_values_read_any(cam_reader *reader, const cam_entry *entry, cam_values *axis) {
    static const base_field kind_field = {.name = "kind", .kind = BASE_NAME, .words = cam_kinds};
    col_status status = COL_BAD_INPUT;
    col_problem *problem = reader->yaml.problem, first = {.line = 0}, later;
    if (strcmp(entry->name, kind_field.name) == 0) {
        *axis = (cam_values){.name = kind_field.name};
        return read_values(reader, &kind_field, entry->value, axis);
    }
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_BAD_INPUT; kind++) {
        uint32_t place = 0;
        if (cam_field_find((cam_kind)kind, entry->name, &place) == NULL)
            continue;
        reader->yaml.problem = first.line == 0 ? &first : &later;
        status = cam_values_read(reader, (cam_kind)kind, entry, axis);
    }
    reader->yaml.problem = problem;
    if (status == COL_FAILURE)
        return base_out_of_memory(problem);
    if (status == COL_BAD_INPUT && strcmp(entry->name, "shrink") == 0)
        return base_yaml_refuse(&reader->yaml, entry->key, "trials do not differ in shrink");
    if (status == COL_BAD_INPUT && first.line == 0)
        return refuse_name(reader, entry, CAM_EPISODE);
    if (status == COL_BAD_INPUT && problem != NULL)
        *problem = first;
    return status;
}

col_status cam_shrink_read(cam_reader *reader, const cam_entry *entry, double *seconds) {
    static const double most = 1e6;
    const char *text = base_yaml_scalar(entry->value);
    if (text != NULL && strcmp(text, CAM_NONE) == 0) {
        *seconds = 0;
        return COL_OK;
    }
    if (text == NULL || !base_duration_parse(text, seconds) || *seconds > most)
        return base_yaml_refuse(&reader->yaml, entry->value,
                                "shrink is " BASE_DURATION_FORMS ", or '" CAM_NONE "'");
    return COL_OK;
}
