/* SPDX-License-Identifier: MIT */
/*
 * Diagrams: boxes in columns, arrows between them, and what the colours mean; in SVG, and for
 * Graphviz in DOT. Add a column, then its boxes from the top, each with its lines, then arrows; lay
 * it out, then draw it. Text may hold any character: what is not printable ASCII becomes a "?".
 */
#pragma once

#include "base/text.h"

/* What boxes and arrows are; each has its colours and its class in the SVG. */
typedef enum base_style {
    BASE_PLAIN, /* boxes */
    BASE_FOCUS,
    BASE_UNDONE,
    BASE_CHANGE,
    BASE_EDITED,
    BASE_ACCESS,
    BASE_WRONG,
    BASE_BARE,  /* no box, its text alone */
    BASE_ARROW, /* arrows, in their own colours */
    BASE_BACK,
    BASE_BECAUSE, /* in DOT alone: captions of the SVG say why */
    BASE_MESSAGE,
    BASE_STYLES
} base_style;

typedef struct base_column {
    uint32_t first_line, line_count; /* its heading, and a note below it */
    int x, width;
    int gutter, left, right; /* on its left: where it begins, its zones beside the boxes */
    uint32_t lanes;          /* in the gutter, of arrows */
} base_column;

typedef struct base_box {
    uint32_t id; /* what arrows and DOT know it by; of some without one, BASE_NO_BOX */
    uint32_t column;
    base_style style;
    uint64_t time; /* if the diagram has a clock */
    uint32_t first_line, line_count;
    int y, height;
    bool has_arrow_down;
} base_box;
enum { BASE_NO_BOX = UINT32_MAX };

typedef struct base_arrow {
    uint32_t from, to; /* boxes */
    base_style style;
    const char *label, *colour;
    bool is_down;               /* to the next box, straight */
    uint32_t leaves, enters;    /* gutters; gutter c is left of column c */
    uint32_t out_lane, in_lane; /* in them */
    uint32_t track;             /* above the columns, if the gutters are not the same */
} base_arrow;

/* Start from {0}. */
typedef struct base_diagram {
    const char *clock; /* "cycle": each box has a row of its own, and its time on the left */
    base_text title;   /* above all columns; may be empty */
    base_text caption; /* sentences below, each ended by a newline */
    int least_width;
    int width, height; /* once it is laid out */
    uint32_t styles;   /* in use, a bit for each */
    /* the diagram's own */
    base_column *columns; /* and one more for the gutter on the right */
    base_box *boxes;
    base_arrow *arrows;
    base_text text; /* of all lines */
    size_t *lines;  /* where each begins */
    uint32_t column_count, box_count, arrow_count, line_count, tracks;
    size_t capacities[4];
    bool is_in_box; /* lines go to the last box */
    bool failed;    /* there was not enough memory */
} base_diagram;

/* Without a clock the boxes of a column must be added one after the other. */
void base_diagram_column(base_diagram *diagram);
void base_diagram_box(base_diagram *diagram, base_box box); /* id, column, style, time */
/* A further line of the last column or box: write it to the text that is returned. */
base_text *base_diagram_line(base_diagram *diagram);
/* Between the boxes with these ids, if they are there. The label must last. */
void base_diagram_arrow(base_diagram *diagram, uint32_t from, uint32_t to, base_style style,
                        const char *label, const char *colour);
void base_diagram_free(base_diagram *diagram);

void base_diagram_lay_out(base_diagram *diagram);
void base_diagram_draw(const base_diagram *diagram, int x, int y, base_text *text);
/* In DOT; it need not be laid out. */
void base_diagram_dot(const base_diagram *diagram, const char *name, const char *title,
                      base_text *text);

/* ---- The page around diagrams. */

enum { BASE_PAGE_MARGIN = 24, BASE_PAGE_LINE = 20 };

/* Opens the SVG. Close it with "</svg>\n". */
void base_page_open(int width, int height, const char *title, base_text *text);
/* The heading from the top of the page on: a title, and sentences, each ended by a newline. Returns
 * its height; with `text` NULL it is only measured. */
int base_page_heading(const char *title, const char *sentences, int width, base_text *text);
/* What the styles mean, those in use (a bit for each) that have a meaning, by style; likewise. */
int base_page_legend(uint32_t styles, const char *const meanings[BASE_STYLES], int x, int y,
                     int width, base_text *text);

/* How much of the string a line of `most` characters takes: whole words, if one fits. */
size_t base_line_length(const char *string, size_t length, size_t most);
