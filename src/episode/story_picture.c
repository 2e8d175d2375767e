/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure as a picture: above what broke, on the left the threads with the cycle
 * (story_threads.c), on the right what happened to the blocks (story_lanes.c). It has a light
 * background of its own, so that its colours are right in any viewer.
 */
#include "base/svg.h"
#include "episode/story_parts.h"

#include <string.h>

enum { MARGIN = 24, LINE = 20, BETWEEN = 44, LEAST_WIDTH = 720, MOST_ROWS = 20, MOST_MORE = 10 };

int epi_text_width(size_t characters) {
    return (int)(characters * 15 / 2);
}

int epi_small_width(size_t characters) {
    return (int)(characters * 7);
}

/* Writes a text over as many lines as it takes, unless it is only measured; returns how many. */
static int draw_lines(base_text *text, const char *string, const char *class, int y, int width,
                      bool draws) {
    const int halves = strcmp(class, "title") == 0 ? 18 : 15; /* of a pixel, for a character */
    const size_t most = (size_t)(width - 2 * MARGIN) * 2 / (size_t)halves;
    int lines = 0;
    while (*string != '\0') {
        const size_t length = base_svg_line(string, most);
        if (draws) {
            base_text_print(text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, MARGIN,
                            y + lines * LINE);
            base_svg_escape(text, string, length);
            base_text_add(text, "</text>\n");
        }
        lines++;
        string += length;
        string += *string == ' ';
    }
    return lines;
}

/* The sentences above; returns their height. */
static int draw_heading(const epi_canvas *c, int width, bool draws) {
    int lines = draw_lines(c->text, c->finding->axiom, "title", MARGIN + 12, width, draws);
    base_text said = {0};
    if (c->ending->violation != NULL)
        epi_say_wrong(c->story, c->ending->violation, c->finding, &said);
    for (char *line = said.data, *next; line != NULL && *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next != '\0')
            *next++ = '\0';
        lines += draw_lines(c->text, line, "said", MARGIN + 12 + lines * LINE, width, draws);
    }
    base_text_free_part(&said, c->text);
    return lines * LINE;
}

static void open_picture(const epi_canvas *c, epi_size size) {
    base_text_print(c->text,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                    "height=\"%d\" role=\"img\">\n<title>",
                    size.width, size.height, size.width, size.height);
    base_svg_escape(c->text, c->finding->axiom, strlen(c->finding->axiom));
    base_text_add(c->text,
                  "</title>\n<style>\n"
                  "text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2330 }\n"
                  ".title { font: bold 14px system-ui, sans-serif }\n"
                  ".said { font: 14px system-ui, sans-serif }\n"
                  ".head { font-weight: bold }\n"
                  ".small { font-size: 11px; fill: #5b6575 }\n"
                  ".paper { fill: #ffffff }\n"
                  ".box { fill: #f4f6f9; stroke: #b4bcc9 }\n"
                  ".focus { fill: #ffffff; stroke: #1c2330; stroke-width: 1.5 }\n"
                  ".wrong { fill: #fde8e6; stroke: #d0433b; stroke-width: 1.5 }\n"
                  ".change { fill: #e8f0fc; stroke: #7ea3dc }\n"
                  ".edited { fill: #f1e6fb; stroke: #8e4ec6; stroke-width: 1.5 }\n"
                  ".access { fill: #fdf5dc; stroke: #d3b35a }\n"
                  ".undone { fill: #ffffff; stroke: #b4bcc9; stroke-dasharray: 4 3 }\n"
                  ".rule { stroke: #dfe3ea; fill: none }\n"
                  ".arrow { fill: none; stroke-width: 1.8 }\n"
                  ".back { fill: none; stroke-width: 3.6 }\n"
                  ".label { font-weight: bold }\n"
                  ".message { fill: none; stroke: " EPI_MESSAGE_COLOUR "; stroke-width: 1.3 }\n"
                  ".letter { font-size: 11px; fill: #1f5f40; paint-order: stroke; "
                  "stroke: #ffffff; stroke-width: 3px }\n"
                  "</style>\n");
    base_text_print(c->text, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", size.width,
                    size.height);
}

/* ---- What the colours mean. */

static const char *const meanings[EPI_MARKS] = {
    [EPI_CHANGE] = "transition to another state",
    [EPI_SAME] = "transition to the same state",
    [EPI_ACCESS] = "what a core did",
    [EPI_EDITED] = "transition that the design error changed",
    [EPI_WRONG] = "what should not have happened",
    [EPI_MESSAGE] = "message, from where it was sent to where it was taken",
};
enum { SWATCH = 28, KEY_LINE = 22 };

static void draw_swatch(base_text *text, epi_mark mark, int x, int y) {
    if (mark == EPI_MESSAGE) {
        base_text_print(text, "<path class=\"message\" d=\"M%d %d H%d\"/>", x, y + 7,
                        x + SWATCH - BASE_SVG_TIP);
        base_svg_tip(text, (base_svg_point){x + SWATCH, y + 7}, 1, 0, EPI_MESSAGE_COLOUR);
    } else {
        base_text_print(
            text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" rx=\"3\"/>",
            epi_marks[mark], x, y, SWATCH);
    }
    base_text_print(text, "<text class=\"small\" x=\"%d\" y=\"%d\">%s</text>\n", x + SWATCH + 8,
                    y + 11, meanings[mark]);
}

/* In lines below the scenes; returns their height. */
static int draw_legend(base_text *text, epi_size scenes, int x, int y, bool draws) {
    int at = 0, lines = 1;
    for (int i = 0; i < EPI_MARKS; i++) {
        const int own = SWATCH + 8 + epi_small_width(strlen(meanings[i])) + 24;
        if ((scenes.marks >> i & 1) == 0)
            continue;
        if (at > 0 && at + own > scenes.width) {
            at = 0;
            lines++;
        }
        if (draws)
            draw_swatch(text, (epi_mark)i, x + at, y + (lines - 1) * KEY_LINE);
        at += own;
    }
    return lines * KEY_LINE;
}

/* All scenes, one below the other. */
static epi_size draw_scenes(const epi_canvas *c, int x, int y, bool draws) {
    epi_size all = {0};
    for (uint32_t i = 0; i < c->finding->scene_count; i++) {
        const epi_size one = epi_draw_lanes(
            c, &c->finding->scenes[i], i == 0 ? MOST_ROWS : MOST_MORE, x, y + all.height, draws);
        all.width = one.width > all.width ? one.width : all.width;
        all.height += one.height == 0 ? 0 : one.height + LINE;
        all.marks |= one.marks;
    }
    if (all.height > 0)
        all.height += draw_legend(c->text, all, x, y + all.height, draws);
    return all;
}

void epi_story_picture(const epi_story *story, const epi_ending *ending, base_text *text) {
    epi_finding finding;
    epi_story_find(story, ending, &finding);
    const epi_canvas c = {story, ending, &finding, text};
    const epi_size threads = epi_draw_threads(&c, 0, 0, false);
    const epi_size scenes = draw_scenes(&c, 0, 0, false);
    const int between = threads.width > 0 && scenes.width > 0 ? BETWEEN : 0;
    epi_size size = {.width = 2 * MARGIN + threads.width + between + scenes.width};
    size.width = size.width < LEAST_WIDTH ? LEAST_WIDTH : size.width;
    const int top = MARGIN + draw_heading(&c, size.width, false) + LINE;
    const int height = threads.height > scenes.height ? threads.height : scenes.height;
    size.height = top + height + MARGIN;
    open_picture(&c, size);
    (void)draw_heading(&c, size.width, true);
    (void)epi_draw_threads(&c, MARGIN, top, true);
    (void)draw_scenes(&c, MARGIN + threads.width + between, top, true);
    base_text_add(text, "</svg>\n");
    text->failed = text->failed || story->failed;
}
