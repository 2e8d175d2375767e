/* SPDX-License-Identifier: MIT */
/* JUnit's XML: see junit.h. */
#include "results/report/junit.h"

#include "results/report/report_escape.h"

#include <math.h>

static double milliseconds(double seconds) {
    return round(seconds * 1000) / 1000;
}

static const char *dash(const char *scale) {
    return scale[0] == '\0' ? "" : "-";
}

void rep_junit_count(rep_junit_tally *tally, rep_junit_end end, double seconds) {
    tally->tests++;
    tally->failures += end == REP_FAILED;
    tally->errors += end == REP_ERROR;
    tally->skipped += end == REP_SKIPPED;
    tally->seconds += seconds;
}

void rep_junit_begin(base_text *text, const char *title, const rep_junit_tally *tally) {
    rep_xml_print(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\""
                  " time=\"%g\">\n",
                  title, tally->tests, tally->failures, tally->errors,
                  milliseconds(tally->seconds));
}

void rep_junit_begin_suite(base_text *text, const rep_junit_suite *suite) {
    const rep_junit_tally *t = &suite->tally;
    rep_xml_print(text,
                  "  <testsuite name=\"%s%s%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\""
                  " time=\"%g\" skipped=\"%u\"",
                  suite->name, dash(suite->scale), suite->scale, t->tests, t->failures, t->errors,
                  milliseconds(t->seconds), t->skipped);
    if (suite->timestamp != NULL)
        rep_xml_print(text, " timestamp=\"%s\"", suite->timestamp);
    if (suite->host != NULL)
        rep_xml_print(text, " hostname=\"%s\"", suite->host);
    base_text_add(text, ">\n");
}

void rep_junit_add(base_text *text, const rep_junit_case *c) {
    rep_xml_print(text, "    <testcase classname=\"collider.%s%s%s\" name=\"%s\" time=\"%g\"",
                  c->class_name, dash(c->scale), c->scale, c->name, milliseconds(c->seconds));
    if (c->end == REP_PASSED && c->text == NULL) {
        base_text_add(text, "/>\n");
        return;
    }
    base_text_add(text, ">\n");
    if (c->end == REP_PASSED)
        rep_xml_print(text, "      <system-out>%t</system-out>\n", c->text);
    else if (c->end == REP_SKIPPED)
        rep_xml_print(text, "      <skipped message=\"%s\"/>\n", c->message);
    else { /* GitLab shows what is in the element, Jenkins its message too */
        const char *element = c->end == REP_ERROR ? "error" : "failure";
        rep_xml_print(text, "      <%s type=\"%s\" message=\"%s\">%t</%s>\n", element, c->type,
                      c->message, c->text, element);
    }
    base_text_add(text, "    </testcase>\n");
}

void rep_junit_end_suite(base_text *text) {
    base_text_add(text, "  </testsuite>\n");
}

void rep_junit_finish(base_text *text) {
    base_text_add(text, "</testsuites>\n");
}
