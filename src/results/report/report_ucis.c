/* SPDX-License-Identifier: MIT */
/*
 * Coverage in the XML of Accellera's Unified Coverage Interoperability Standard 1.0, so that it can
 * be merged with that of simulators. A design is an instance, its machines are instances in it,
 * and each has a covergroup with one coverpoint, whose bins are the defined transitions. A cross of
 * states and events would count combinations that are not defined as missed.
 */
#include "results/report/report.h"
#include "results/report/report_escape.h"

#include <string.h>

static bool is_beside(const rep_protocol *protocol, const rep_protocol *other) {
    return other != NULL && strcmp(protocol->design, other->design) == 0 &&
           protocol->cores == other->cores;
}

/* ---- Where the coverage came from. */

/* Every design counts as a file, since everything in the format has a place in one. */
static void add_files(const rep_report *report, base_text *text) {
    uint32_t id = 1;
    const rep_protocol *last = NULL;
    base_text_add(text, "  <sourceFiles fileName=\"collider\" id=\"1\"/>\n");
    for (uint32_t i = 0; i < report->protocol_count; i++) {
        const rep_protocol *protocol = &report->protocols[i];
        if (protocol->cell_count == 0 || is_beside(protocol, last))
            continue;
        last = protocol;
        rep_xml_print(text, "  <sourceFiles fileName=\"%s\" id=\"%u\"/>\n", protocol->design, ++id);
    }
}

/* The status of a test is false if it shows an error that nobody put in, or may have shown one. */
static void add_history_node(const rep_report *report, const rep_plan *plan, uint32_t id,
                             base_text *text) {
    double seconds = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < report->group_count; i++)
        if (plan != NULL && &report->plans[report->groups[i].plan] == plan) {
            seconds += report->groups[i].seconds;
            is_good = is_good && (report->groups[i].hunts ||
                                  report->groups[i].found + report->groups[i].undecided == 0);
        }
    rep_xml_print(text,
                  "  <historyNodes historyNodeId=\"%u\" logicalName=\"%s\" testStatus=\"%s\""
                  " cpuTime=\"%g\" date=\"%sT00:00:00\" toolCategory=\"UCIS:simulator\""
                  " ucisVersion=\"1.0\" vendorId=\"collider\" vendorTool=\"collider\""
                  " vendorToolVersion=\"%s",
                  id, plan == NULL ? "nothing" : plan->name, is_good ? "true" : "false", seconds,
                  report->last == NULL ? "1970-01-01" : report->last,
                  report->version_count == 0 ? report->tool : report->versions[0]);
    if (plan != NULL)
        rep_xml_print(text, "\" sameTests=\"%w\" comment=\"%s", plan->done, plan->title);
    base_text_add(text, "\"/>\n");
}

/* ---- Bins. */

/* One that is known to be out of reach is ignored, unless it was reached all the same; so is one
 * that somebody excluded. */
static void add_bin(const rep_protocol *protocol, size_t place, base_text *text) {
    const rep_protocol_cell *cell = &protocol->cells[place];
    const bool is_ignored = (cell->reachable == 0 && cell->hits == 0) || cell->excluded != NULL;
    const uint64_t number = place;
    rep_xml_print(
        text,
        "          <coverpointBin name=\"%s,%s\" key=\"%w\" type=\"%s\">\n"
        "            <range from=\"%w\" to=\"%w\"><contents coverageCount=\"%w\"/></range>\n",
        protocol->states[cell->state], protocol->events[cell->event], number,
        is_ignored ? "ignore" : "bins", number, number, cell->hits);
    if (cell->first > 0)
        rep_xml_print(text,
                      "            <userAttr key=\"first-test\" type=\"int64\">%w</userAttr>\n"
                      "            <userAttr key=\"trials\" type=\"int64\">%u</userAttr>\n",
                      cell->first, cell->trials);
    if (cell->here == 0 && cell->hits == 0)
        base_text_add(text, "            <userAttr key=\"here\" type=\"str\">no</userAttr>\n");
    if (cell->excluded != NULL)
        rep_xml_print(text, "            <userAttr key=\"excluded\" type=\"str\">%s</userAttr>\n",
                      cell->excluded);
    base_text_add(text, "          </coverpointBin>\n");
}

static void add_covergroup(const rep_protocol *protocol, uint32_t file, base_text *text) {
    rep_xml_print(text,
                  "    <covergroupCoverage>\n      <cgInstance name=\"%s\" key=\"0\">\n"
                  "        <options at_least=\"1\" auto_bin_max=\"0\"/>\n"
                  "        <cgId cgName=\"transitions\" moduleName=\"%s\">\n"
                  "          <cginstSourceId file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n"
                  "          <cgSourceId file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n"
                  "        </cgId>\n"
                  "        <coverpoint name=\"transition\" key=\"0\" exprString=\"state,event\">\n"
                  "          <options at_least=\"1\" auto_bin_max=\"0\"/>\n",
                  protocol->machine, protocol->machine, file, file);
    for (size_t i = 0; i < protocol->cell_count; i++)
        add_bin(protocol, i, text);
    base_text_add(text, "        </coverpoint>\n      </cgInstance>\n    </covergroupCoverage>\n");
}

/* ---- Instances. */

static void add_instances(const rep_report *report, base_text *text) {
    uint32_t instance = 0, design = 0, file = 1; /* instances are numbered from 1 */
    const rep_protocol *last = NULL;
    for (uint32_t i = 0; i < report->protocol_count; i++) {
        const rep_protocol *protocol = &report->protocols[i];
        if (protocol->cell_count == 0)
            continue;
        if (!is_beside(protocol, last)) {
            design = ++instance;
            rep_xml_print(text,
                          "  <instanceCoverages name=\"%s-%u\" key=\"%u\" instanceId=\"%u\""
                          " moduleName=\"%s\">\n"
                          "    <designParameter><name>cores</name><value>%u</value>"
                          "</designParameter>\n"
                          "    <id file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n"
                          "  </instanceCoverages>\n",
                          protocol->design, protocol->cores, design, design, protocol->design,
                          protocol->cores, ++file);
        }
        instance++;
        rep_xml_print(text,
                      "  <instanceCoverages name=\"%s\" key=\"%u\" instanceId=\"%u\""
                      " moduleName=\"%s\" parentInstanceId=\"%u\">\n"
                      "    <id file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n",
                      protocol->machine, instance, instance, protocol->machine, design, file);
        add_covergroup(protocol, file, text);
        base_text_add(text, "  </instanceCoverages>\n");
        last = protocol;
    }
    if (last == NULL) /* the standard has no document without an instance */
        base_text_add(text, "  <instanceCoverages name=\"nothing\" key=\"1\" instanceId=\"1\">\n"
                            "    <id file=\"1\" line=\"1\" inlineCount=\"1\"/>\n"
                            "  </instanceCoverages>\n");
}

void rep_ucis_text(const rep_report *report, base_text *text) {
    rep_xml_print(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<UCIS ucisVersion=\"1.0\" writtenBy=\"%s\" writtenTime=\"%sT00:00:00\">\n",
                  report->tool, report->last == NULL ? "1970-01-01" : report->last);
    add_files(report, text);
    for (uint32_t i = 0; i < report->plan_count; i++)
        add_history_node(report, &report->plans[i], i, text);
    if (report->plan_count == 0)
        add_history_node(report, NULL, 0, text);
    add_instances(report, text);
    base_text_add(text, "</UCIS>\n");
}
