/* SPDX-License-Identifier: MIT */
/* The server, from outside: visitors who take their time do not keep others out. The clock is the
 * test's own. */
#include "results/watch/watch.h"

#include "base/clock.h"
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds until a test that hangs has failed */

typedef struct served {
    wch_board board;
    wch_server *server;
    struct sockaddr_in address;
} served;

static void begin(served *s) {
    static const wch_settings settings = {.address = "127.0.0.1"};
    wch_board_open(&s->board);
    for (int part = 0; part < WCH_PART_COUNT; part++) {
        base_text text = {0};
        base_text_add(&text, "text");
        assert_true(wch_board_put(&s->board, (wch_part)part, &text));
    }
    assert_int_equal(wch_server_start(&s->server, &settings, &s->board, NULL), COL_OK);
    const char *port = strrchr(wch_server_address(s->server), ':');
    assert_non_null(port);
    s->address = (struct sockaddr_in){.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)alarm(PATIENCE);
}

static void end(served *s) {
    (void)alarm(0);
    wch_server_stop(s->server);
    wch_board_close(&s->board);
}

static int visit(const served *s) {
    const int visitor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(visitor >= 0);
    assert_int_equal(connect(visitor, (const struct sockaddr *)&s->address, sizeof s->address), 0);
    return visitor;
}

static void say(int visitor, const char *text) {
    assert_int_equal(send(visitor, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Is there something to read, or the end, before that many milliseconds are over? */
static bool hears(int visitor, int milliseconds) {
    struct pollfd look = {.fd = visitor, .events = POLLIN};
    return poll(&look, 1, milliseconds) > 0;
}

static bool is_answered(int visitor) {
    char answer[16] = "";
    return recv(visitor, answer, sizeof answer - 1, 0) > 0 && strncmp(answer, "HTTP/1.1", 8) == 0;
}

static void ask(const served *s, int visitor) {
    char request[128];
    (void)snprintf(request, sizeof request, "GET /live HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                   (unsigned)ntohs(s->address.sin_port));
    say(visitor, request);
}

/* All places are taken by visitors who send a byte at every moment, and never come to an end. */
TEST(a_trickle_is_shut_out) {
    enum { SLOW = WCH_MOST_VISITS + 16, MOMENT = 20 };
    served s;
    int slow[SLOW];
    const double start = base_seconds();
    begin(&s);
    for (int i = 0; i < SLOW; i++) {
        slow[i] = visit(&s);
        say(slow[i], "GET /live HTTP/1.1\r\nX: ");
    }
    int late = visit(&s);
    ask(&s, late);
    wch_server_sweep(s.server, start); /* in time: nobody is shut out */
    assert_false(hears(late, MOMENT));
    bool is_served = false;
    while (!is_served) {
        for (int i = 0; i < SLOW; i++)
            (void)send(slow[i], "x", 1, MSG_NOSIGNAL);
        wch_server_sweep(s.server, base_seconds() + 60); /* a minute later */
        if (!hears(late, MOMENT))
            continue;
        is_served = is_answered(late);
        if (!is_served) { /* it came in during that minute, and asks once more */
            (void)close(late);
            late = visit(&s);
            ask(&s, late);
            is_served = hears(late, PATIENCE * 1000) && is_answered(late);
        }
    }
    for (int i = 0; i < SLOW; i++)
        (void)close(slow[i]);
    (void)close(late);
    end(&s);
}

/* An answer has a time of its own, and so has the next request of the same visitor. */
TEST(an_answer_and_the_next_request_have_their_own_time) {
    served s;
    begin(&s);
    const int visitor = visit(&s);
    for (int i = 0; i < 3; i++) {
        ask(&s, visitor);
        assert_true(is_answered(visitor));
        char rest[4096];
        while (hears(visitor, 50))
            assert_true(recv(visitor, rest, sizeof rest, 0) > 0);
        wch_server_sweep(s.server, base_seconds());
    }
    wch_server_sweep(s.server, base_seconds() + 60);
    assert_true(hears(visitor, PATIENCE * 1000)); /* the end */
    (void)close(visitor);
    end(&s);
}
