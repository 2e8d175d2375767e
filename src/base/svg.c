/* SPDX-License-Identifier: MIT */
/* Parts of drawings in SVG: see svg.h. */
#include "base/svg.h"

#include <string.h>

void base_svg_escape(base_text *text, const char *string, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char c = string[i];
        if (c == '<')
            base_text_add(text, "&lt;");
        else if (c == '>')
            base_text_add(text, "&gt;");
        else if (c == '&')
            base_text_add(text, "&amp;");
        else if (c == '"')
            base_text_add(text, "&quot;");
        else
            base_text_add_bytes(text, c >= ' ' && c < 0x7f ? &c : "?", 1);
    }
}

size_t base_svg_line(const char *string, size_t most) {
    const size_t length = strlen(string);
    if (length <= most)
        return length;
    for (size_t i = most; i > 0; i--)
        if (string[i] == ' ')
            return i;
    return most;
}

void base_svg_tip(base_text *text, base_svg_point tip, int dx, int dy, const char *colour) {
    enum { TIP = BASE_SVG_TIP };
    base_text_print(text, "<path fill=\"%s\" d=\"M%d %d l%d %d l%d %d z\"/>\n", colour, tip.x,
                    tip.y, -dx * TIP - dy * TIP / 2, -dy * TIP - dx * TIP / 2, dy * TIP, dx * TIP);
}
