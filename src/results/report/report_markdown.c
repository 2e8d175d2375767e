/* SPDX-License-Identifier: MIT */
/* The report's tables as Markdown, as GitHub reads it, the best of each row in bold. */
#include "results/report/report.h"
#include "results/report/report_escape.h"

#include <string.h>

static void add_cell(base_text *text, const rep_cell *cell) {
    const bool is_bold = cell->best && cell->text[0] != '\0';
    base_text_add(text, is_bold ? " **" : " ");
    rep_markdown(text, cell->text);
    base_text_add(text, is_bold ? "**" : "");
    if (cell->of > 0)
        base_text_print(text, " (%u/%u)", cell->found, cell->of);
    base_text_add(text, " |");
}

static void add_header(const rep_table *table, base_text *text) {
    base_text_add(text, "|");
    for (uint32_t c = 0; c < table->column_count; c++) {
        base_text_add(text, " ");
        rep_markdown(text, table->columns[c].name);
        base_text_add(text, " |");
    }
    base_text_add(text, "\n|");
    for (uint32_t c = 0; c < table->column_count; c++)
        base_text_add(text, table->columns[c].is_number ? " ---: |" : " --- |");
    base_text_add(text, "\n");
}

void rep_markdown_table(const rep_table *table, base_text *text) {
    base_text_add(text, "## ");
    rep_markdown(text, table->title);
    base_text_add(text, "\n\n");
    if (table->note != NULL && table->note[0] != '\0') {
        rep_markdown(text, table->note);
        base_text_add(text, "\n\n");
    }
    if (table->row_count == 0 || table->column_count == 0) {
        base_text_add(text, "There is nothing to show.\n");
        return;
    }
    add_header(table, text);
    for (size_t row = 0; row < table->row_count; row++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[row]);
        base_text_add(text, "|");
        for (uint32_t c = 0; c < table->column_count; c++)
            add_cell(text, &cells[c]);
        base_text_add(text, "\n");
    }
}

static void add_list(base_text *text, const char *const *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        base_text_add(text, i > 0 ? ", " : "");
        rep_markdown(text, items[i]);
    }
}

/* Where the figures came from. */
static void add_provenance(const rep_report *report, base_text *text) {
    if (report->plan_count == 0) {
        base_text_add(text, "There are no results yet.\n");
        return;
    }
    base_text_add(text, "| plan | scale | trials | done | failed |\n"
                        "| --- | --- | ---: | ---: | ---: |\n");
    for (uint32_t i = 0; i < report->plan_count; i++) {
        const rep_plan *plan = &report->plans[i];
        base_text_add(text, "| ");
        rep_markdown(text, plan->name);
        base_text_add(text, " | ");
        rep_markdown(text, plan->scale[0] == '\0' ? "full" : plan->scale);
        base_text_print(text, " | %llu | %llu | %llu |\n", (unsigned long long)plan->trials,
                        (unsigned long long)plan->done, (unsigned long long)plan->failed);
    }
    if (report->first == NULL)
        return;
    base_text_add(text, "\nRun by version ");
    add_list(text, report->versions, report->version_count);
    base_text_add(text, " on ");
    add_list(text, report->hosts, report->host_count);
    if (strcmp(report->first, report->last) == 0)
        base_text_print(text, ", %s.\n", report->first);
    else
        base_text_print(text, ", %s to %s.\n", report->first, report->last);
}

static void add_paragraph(base_text *text, const char *sentences) {
    if (sentences == NULL || sentences[0] == '\0')
        return;
    base_text_add(text, "\n");
    rep_markdown(text, sentences);
    base_text_add(text, "\n");
}

void rep_markdown_text(const rep_report *report, base_text *text) {
    base_text_add(text, "# ");
    rep_markdown(text, report->title);
    base_text_add(text, "\n\n");
    add_provenance(report, text);
    for (uint32_t i = 0; i < report->warning_count; i++)
        add_paragraph(text, report->warnings[i]);
    for (uint32_t i = 0; i < report->table_count; i++) {
        base_text_add(text, "\n");
        rep_markdown_table(&report->tables[i], text);
        for (uint32_t k = 0; k < report->paper_count; k++)
            if (report->papers[k].table == i)
                add_paragraph(text, report->papers[k].summary);
    }
}
