/* SPDX-License-Identifier: MIT */
/* Places in a text are the same with and without the list of its lines. */
#include "cli/lsp/lsp_document.h"

#include "base/random.h"
#include "harness.h"

#include <string.h>

TEST(lines_that_are_known_change_nothing) {
    static const char *const parts[] = {
        "a", "b ", "\n", "\r\n", "\r", "\xc3\xa9", "\xf0\x9f\x98\x80"};
    enum { TEXTS = 2000, MOST_PARTS = 20, PARTS = sizeof parts / sizeof *parts };
    uint32_t with_lines = 0;
    base_rng rng;
    base_rng_seed(&rng, 45, 0);
    for (int t = 0; t < TEXTS; t++) {
        char data[8 * MOST_PARTS] = "";
        base_arena arena = {0};
        lsp_lines lines;
        for (uint64_t i = base_rng_below(&rng, MOST_PARTS); i > 0; i--)
            (void)strcat(data, parts[base_rng_below(&rng, PARTS)]);
        const lsp_text plain = {.data = data, .length = strlen(data)};
        lsp_text known = plain;
        lsp_lines_find(&lines, plain, &arena);
        known.lines = &lines;
        with_lines += lines.count > 1;
        for (size_t offset = 0; offset <= plain.length + 1; offset++) {
            const lsp_position a = lsp_position_at(plain, offset),
                               b = lsp_position_at(known, offset);
            assert_int_equal(a.line, b.line);
            assert_int_equal(a.character, b.character);
        }
        for (uint32_t line = 0; line < MOST_PARTS + 2; line++)
            for (uint32_t column = 0; column < 6; column++)
                assert_int_equal(lsp_offset_of(plain, line, column),
                                 lsp_offset_of(known, line, column));
        base_arena_free(&arena);
    }
    assert_true(with_lines > TEXTS / 10);
}
