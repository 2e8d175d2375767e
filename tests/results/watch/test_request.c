/* SPDX-License-Identifier: MIT */
/* Whom the server answers: by its Host, by the token, and what a browser knows already. */
#include "results/watch/watch.h"

#include "harness.h"

#include <string.h>

TEST(only_its_own_names_are_answered) {
    static const struct {
        const char *host, *address;
        uint16_t port;
        bool is_ours;
    } cases[] = {{"127.0.0.1:8080", "127.0.0.1", 8080, true},
                 {"localhost:8080", "127.0.0.1", 8080, true},
                 {"LocalHost:8080", "127.0.0.1", 8080, true},
                 {"[::1]:8080", "::1", 8080, true},
                 {"127.0.0.1", "127.0.0.1", 80, true},
                 {"[::1]", "::1", 80, true},
                 {"192.168.1.2:8080", "192.168.1.2", 8080, true},
                 {"127.0.0.1", "127.0.0.1", 8080, false},
                 {"127.0.0.1:80", "127.0.0.1", 8080, false},
                 {"127.0.0.1:08080", "127.0.0.1", 8080, false},
                 {"evil.example:8080", "127.0.0.1", 8080, false},
                 {"127.0.0.1:8080.evil.example", "127.0.0.1", 8080, false},
                 {"localhost.evil.example:8080", "127.0.0.1", 8080, false},
                 {"::1:8080", "::1", 8080, false},
                 {"user@127.0.0.1:8080", "127.0.0.1", 8080, false},
                 {" 127.0.0.1:8080", "127.0.0.1", 8080, false},
                 {"192.168.1.2:8080", "127.0.0.1", 8080, false},
                 {"", "127.0.0.1", 80, false},
                 {NULL, "127.0.0.1", 8080, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (wch_is_our_host(cases[i].host, cases[i].address, cases[i].port) != cases[i].is_ours)
            fail_msg("%s at %s", cases[i].host, cases[i].address);
}

TEST(tokens_are_compared_whole) {
    assert_true(wch_is_token("abcdef", "abcdef"));
    assert_false(wch_is_token("abcdeg", "abcdef"));
    assert_false(wch_is_token("abcde", "abcdef"));
    assert_false(wch_is_token("abcdefg", "abcdef"));
    assert_false(wch_is_token("", "abcdef"));
    assert_false(wch_is_token(NULL, "abcdef"));
}

TEST(loopback_addresses_are_known) {
    assert_true(wch_is_loopback("127.0.0.1") && wch_is_loopback("127.8.9.10"));
    assert_true(wch_is_loopback("::1"));
    assert_false(wch_is_loopback("0.0.0.0") || wch_is_loopback("::"));
    assert_false(wch_is_loopback("128.0.0.1") || wch_is_loopback("192.168.0.1"));
    assert_false(wch_is_loopback("localhost") || wch_is_loopback(""));
}

static void put(wch_board *board, const char *words) {
    base_text text = {0};
    base_text_add(&text, words);
    assert_true(wch_board_put(board, WCH_LIVE, &text));
}

/* An answer that has begun goes on with what it began with. */
TEST(what_is_served_can_be_replaced_meanwhile) {
    wch_board board;
    wch_board_open(&board);
    assert_null(wch_board_take(&board, WCH_LIVE));
    put(&board, "first");
    wch_content *first = wch_board_take(&board, WCH_LIVE);
    put(&board, "second");
    wch_content *second = wch_board_take(&board, WCH_LIVE);
    assert_string_equal(first->text.data, "first");
    assert_string_equal(second->text.data, "second");
    assert_string_not_equal(first->tag, second->tag);
    assert_true(wch_has_tag(first->tag, first->tag) && !wch_has_tag(first->tag, second->tag));
    assert_true(wch_has_tag("*", first->tag) && !wch_has_tag(NULL, first->tag));
    put(&board, "first");
    wch_content *again = wch_board_take(&board, WCH_LIVE);
    assert_string_equal(again->tag, first->tag);
    wch_content_release(first);
    wch_content_release(second);
    wch_content_release(again);
    wch_board_close(&board);
}
