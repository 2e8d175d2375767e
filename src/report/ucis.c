/* SPDX-License-Identifier: MIT */
/*
 * Coverage in the XML of Accellera's Unified Coverage Interoperability Standard 1.0, so that it can
 * be merged with that of simulators. A design is an instance, its machines are instances in it,
 * and each has a covergroup with one coverpoint, whose bins are the defined transitions. A cross of
 * states and events would count combinations that are not defined as missed.
 */
#include "report/escape.h"
#include "report/writers.h"

#include <string.h>

static const char id_of_file[] = "<id file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n";

static bool has_bins(const rep_protocol *protocol) {
    return protocol->cell_count > 0;
}

/* It is of the same design as another one. */
static bool is_beside(const rep_protocol *protocol, const rep_protocol *other) {
    return strcmp(protocol->design, other->design) == 0 && protocol->cores == other->cores;
}

/* ---- Where the coverage came from. */

/* Every design counts as a file, since everything in the format has a place in one. */
static void add_files(const rep_report *report, base_text *text) {
    base_text_add(text, "  <sourceFiles fileName=\"collider\" id=\"1\"/>\n");
    uint32_t id = 1;
    const rep_protocol *last = NULL;
    for (uint32_t i = 0; i < report->protocol_count; i++) {
        const rep_protocol *protocol = &report->protocols[i];
        if (!has_bins(protocol) || (last != NULL && is_beside(protocol, last)))
            continue;
        last = protocol;
        base_text_add(text, "  <sourceFiles fileName=\"");
        rep_xml_attribute(text, protocol->design);
        base_text_print(text, "\" id=\"%u\"/>\n", ++id);
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
    base_text_print(text, "  <historyNodes historyNodeId=\"%u\" logicalName=\"", id);
    rep_xml_attribute(text, plan == NULL ? "nothing" : plan->name);
    base_text_print(text, "\" testStatus=\"%s\" cpuTime=\"", is_good ? "true" : "false");
    rep_number(text, seconds);
    base_text_print(text, "\" date=\"%sT00:00:00\" toolCategory=\"UCIS:simulator\"",
                    report->last == NULL ? "1970-01-01" : report->last);
    base_text_add(text, " ucisVersion=\"1.0\" vendorId=\"collider\" vendorTool=\"collider\""
                        " vendorToolVersion=\"");
    rep_xml_attribute(text, report->version_count == 0 ? report->tool : report->versions[0]);
    if (plan != NULL)
        base_text_print(text, "\" sameTests=\"%llu\" comment=\"", (unsigned long long)plan->done);
    if (plan != NULL)
        rep_xml_attribute(text, plan->title);
    base_text_add(text, "\"/>\n");
}

static void add_history(const rep_report *report, base_text *text) {
    for (uint32_t i = 0; i < report->plan_count; i++)
        add_history_node(report, &report->plans[i], i, text);
    if (report->plan_count == 0)
        add_history_node(report, NULL, 0, text);
}

/* ---- Bins. */

/* One that is known to be out of reach is ignored, unless it was reached all the same; so is one
 * that somebody excluded. */
static void add_bin(const rep_protocol *protocol, size_t place, base_text *text) {
    const rep_protocol_cell *cell = &protocol->cells[place];
    const bool is_ignored = (cell->reachable == 0 && cell->hits == 0) || cell->excluded != NULL;
    const unsigned long long number = place;
    base_text_add(text, "          <coverpointBin name=\"");
    rep_xml_attribute(text, protocol->states[cell->state]);
    base_text_add(text, ",");
    rep_xml_attribute(text, protocol->events[cell->event]);
    base_text_print(
        text,
        "\" key=\"%llu\" type=\"%s\">\n"
        "            <range from=\"%llu\" to=\"%llu\"><contents coverageCount=\"%llu\"/>"
        "</range>\n",
        number, is_ignored ? "ignore" : "bins", number, number, (unsigned long long)cell->hits);
    if (cell->first > 0)
        base_text_print(text,
                        "            <userAttr key=\"first-test\" type=\"int64\">%llu</userAttr>\n"
                        "            <userAttr key=\"trials\" type=\"int64\">%u</userAttr>\n",
                        (unsigned long long)cell->first, cell->trials);
    if (cell->here == 0 && cell->hits == 0)
        base_text_add(text, "            <userAttr key=\"here\" type=\"str\">no</userAttr>\n");
    if (cell->excluded != NULL) {
        base_text_add(text, "            <userAttr key=\"excluded\" type=\"str\">");
        rep_xml_attribute(text, cell->excluded);
        base_text_add(text, "</userAttr>\n");
    }
    base_text_add(text, "          </coverpointBin>\n");
}

static void add_covergroup(const rep_protocol *protocol, uint32_t file, base_text *text) {
    base_text_add(text, "    <covergroupCoverage>\n      <cgInstance name=\"");
    rep_xml_attribute(text, protocol->machine);
    base_text_add(text, "\" key=\"0\">\n"
                        "        <options at_least=\"1\" auto_bin_max=\"0\"/>\n"
                        "        <cgId cgName=\"transitions\" moduleName=\"");
    rep_xml_attribute(text, protocol->machine);
    base_text_print(
        text,
        "\">\n"
        "          <cginstSourceId file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n"
        "          <cgSourceId file=\"%u\" line=\"1\" inlineCount=\"1\"/>\n"
        "        </cgId>\n"
        "        <coverpoint name=\"transition\" key=\"0\" exprString=\"state,event\">\n"
        "          <options at_least=\"1\" auto_bin_max=\"0\"/>\n",
        file, file);
    for (size_t i = 0; i < protocol->cell_count; i++)
        add_bin(protocol, i, text);
    base_text_add(text, "        </coverpoint>\n      </cgInstance>\n    </covergroupCoverage>\n");
}

/* ---- Instances. */

typedef struct writing {
    uint32_t instance; /* the last one written; they are numbered from 1 */
    uint32_t design;   /* the instance of the design */
    uint32_t file;
} writing;

static void add_design(const rep_protocol *protocol, writing *place, base_text *text) {
    place->design = ++place->instance;
    place->file++;
    base_text_add(text, "  <instanceCoverages name=\"");
    rep_xml_attribute(text, protocol->design);
    base_text_print(text, "-%u\" key=\"%u\" instanceId=\"%u\" moduleName=\"", protocol->cores,
                    place->instance, place->instance);
    rep_xml_attribute(text, protocol->design);
    base_text_print(text,
                    "\">\n    <designParameter><name>cores</name><value>%u</value>"
                    "</designParameter>\n    ",
                    protocol->cores);
    base_text_print(text, id_of_file, place->file);
    base_text_add(text, "  </instanceCoverages>\n");
}

static void add_machine(const rep_protocol *protocol, writing *place, base_text *text) {
    place->instance++;
    base_text_add(text, "  <instanceCoverages name=\"");
    rep_xml_attribute(text, protocol->machine);
    base_text_print(text, "\" key=\"%u\" instanceId=\"%u\" moduleName=\"", place->instance,
                    place->instance);
    rep_xml_attribute(text, protocol->machine);
    base_text_print(text, "\" parentInstanceId=\"%u\">\n    ", place->design);
    base_text_print(text, id_of_file, place->file);
    add_covergroup(protocol, place->file, text);
    base_text_add(text, "  </instanceCoverages>\n");
}

static void add_instances(const rep_report *report, base_text *text) {
    writing place = {.file = 1};
    const rep_protocol *last = NULL;
    for (uint32_t i = 0; i < report->protocol_count; i++) {
        const rep_protocol *protocol = &report->protocols[i];
        if (!has_bins(protocol))
            continue;
        if (last == NULL || !is_beside(protocol, last))
            add_design(protocol, &place, text);
        add_machine(protocol, &place, text);
        last = protocol;
    }
    if (last != NULL)
        return;
    /* The standard has no document without an instance. */
    base_text_add(text, "  <instanceCoverages name=\"nothing\" key=\"1\" instanceId=\"1\">\n    ");
    base_text_print(text, id_of_file, 1U);
    base_text_add(text, "  </instanceCoverages>\n");
}

void rep_ucis_text(const rep_report *report, base_text *text) {
    base_text_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<UCIS ucisVersion=\"1.0\" writtenBy=\"");
    rep_xml_attribute(text, report->tool);
    base_text_print(text, "\" writtenTime=\"%sT00:00:00\">\n",
                    report->last == NULL ? "1970-01-01" : report->last);
    add_files(report, text);
    add_history(report, text);
    add_instances(report, text);
    base_text_add(text, "</UCIS>\n");
}
