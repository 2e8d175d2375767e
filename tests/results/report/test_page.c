/* SPDX-License-Identifier: MIT */
/* The page is its template with a title and data in it, whatever the title and the data are. */
#include "base/file.h"
#include "harness.h"
#include "paths.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "results/report/writers_sample.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

static const char template[] = "<title>%collider-report-title%</title>100%<script>"
                               "%collider-report-data%</script>%collider-report-data%";

/* Composes a page in a file and reads it back. */
static col_status compose(const char *form, const char *title, const char *data, base_text *page) {
    base_text json = {0};
    base_text_add(&json, data);
    const col_status status = rep_page_compose(page, form, strlen(form), title, &json, NULL);
    base_text_free(&json);
    if (page->data != NULL)
        assert_int_equal(strlen(page->data), page->length);
    return status;
}

TEST(markers_are_replaced_once) {
    base_text page = {0};
    assert_int_equal(compose(template, "A & B <C>", "{\"a\":1}", &page), COL_OK);
    assert_string_equal(page.data, "<title>A &amp; B &lt;C&gt;</title>100%<script>{\"a\":1}"
                                   "</script>%collider-report-data%");
    base_text_free(&page);
    /* A title that looks like the other marker is only a title. */
    assert_int_equal(compose(template, "%collider-report-data%", "2", &page), COL_OK);
    assert_string_equal(page.data, "<title>%collider-report-data%</title>100%<script>2</script>"
                                   "%collider-report-data%");
    base_text_free(&page);
    assert_int_equal(compose(template, "", "3", &page), COL_OK);
    assert_non_null(strstr(page.data, "<title></title>100%<script>3</script>"));
    base_text_free(&page);
}

TEST(templates_without_markers_are_refused) {
    static const char *const templates[] = {"", "%collider-report-title%", "%collider-report-data%",
                                            "%collider-report-data%%collider-report-title%",
                                            "%collider-report-title%%collider-report-dat"};
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        base_text page = {0};
        assert_int_equal(compose(templates[i], "t", "{}", &page), COL_FAILURE);
        base_text_free(&page);
    }
}

static void read_file(const char *folder, const char *name, base_text *text) {
    char path[PATH_MAX];
    assert_int_equal(base_file_read(path_in(path, folder, name), text, NULL), COL_OK);
}

/* The data between the tags, as a browser finds it. */
static json_t *data_of(const base_text *page) {
    const char *start = strstr(page->data, "id=\"report-data\"");
    if (start == NULL)
        start = strstr(page->data, "id=report-data");
    assert_non_null(start);
    start = strchr(start, '>') + 1;
    const char *end = strstr(start, "</script");
    assert_non_null(end);
    return json_loadb(start, (size_t)(end - start), JSON_DECODE_INT_AS_REAL, NULL);
}

TEST(pages_hold_their_data) {
    const rep_report report = sample_report();
    char folder[64], path[PATH_MAX];
    base_text page = {0}, again = {0}, json = {0};
    make_folder(folder, sizeof folder);
    for (int i = 0; i < 2; i++) {
        (void)path_in(path, folder, rep_format_of[REP_HTML].file);
        assert_int_equal(rep_write(&report, REP_HTML, path, NULL), COL_OK);
        read_file(folder, "report.html", i == 0 ? &page : &again);
    }
    assert_int_equal(page.length, again.length);
    assert_memory_equal(page.data, again.data, page.length);
    (void)path_in(path, folder, rep_format_of[REP_JSON].file);
    assert_int_equal(rep_write(&report, REP_JSON, path, NULL), COL_OK);
    read_file(folder, "report.json", &json);
    assert_int_equal(json.data[json.length - 1], '\n');
    assert_null(strchr(json.data, '<'));
    json_t *in_page = data_of(&page), *alone = json_loads(json.data, JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(in_page);
    assert_true(json_equal(in_page, alone)); /* it fits the page: nothing is left out */
    char title[] = NASTY;
    base_clean_utf8(title);
    assert_string_equal(json_string_value(json_object_get(alone, "title")), title);
    json_decref(in_page);
    json_decref(alone);
    remove_folder(folder);
    base_text_free(&page);
    base_text_free(&again);
    base_text_free(&json);
}

TEST(empty_reports_are_pages_too) {
    const rep_report report = empty_report();
    char folder[64], path[PATH_MAX];
    make_folder(folder, sizeof folder);
    for (int format = 0; format < REP_FORMAT_COUNT; format++) {
        const char *file = rep_format_of[format].file;
        const char *target = file == NULL ? folder : path_in(path, folder, file);
        assert_int_equal(rep_write(&report, (rep_format)format, target, NULL), COL_OK);
    }
    base_text page = {0};
    read_file(folder, "report.html", &page);
    json_t *data = data_of(&page);
    assert_int_equal(json_array_size(json_object_get(data, "groups")), 0);
    json_decref(data);
    base_text_free(&page);
    remove_folder(folder);
}

/* Where a page cannot be written there is a sentence, and nothing is left behind. */
TEST(write_failures_are_reported) {
    const rep_report report = sample_report();
    for (int format = 0; format < REP_FORMAT_COUNT; format++) {
        col_problem problem = {0};
        assert_int_not_equal(
            rep_write(&report, (rep_format)format, "/dev/null/nowhere/report", &problem), COL_OK);
        assert_true(strlen(problem.message) > 10);
    }
}

TEST(formats_have_their_names) {
    static const char *const names[] = {"html", "csv", "json", "md", "svg", "ucis", "junit"};
    for (int i = 0; i < REP_FORMAT_COUNT; i++)
        assert_string_equal(rep_formats[i], names[i]);
    assert_null(rep_formats[REP_FORMAT_COUNT]);
}
