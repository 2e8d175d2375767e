/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Whatever is sent to the server of `collider serve`, it lives, and gives what it has to those only
 * who ask for it by its own name. The bytes go through a socket, as a browser's do.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): strcasestr
#include "fuzz.h"
#include "results/watch/watch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>

static struct sockaddr_in where;
static const char secret[] = "what nobody else may have";

static void prepare(void) {
    static wch_board board;
    static wch_server *server;
    static const wch_settings settings = {.address = "127.0.0.1"};
    (void)signal(SIGPIPE, SIG_IGN);
    wch_board_open(&board);
    for (int part = 0; part < WCH_PART_COUNT; part++) {
        base_text text = {0};
        base_text_add(&text, secret);
        require(wch_board_put(&board, (wch_part)part, &text));
    }
    require(wch_server_start(&server, &settings, &board, NULL) == COL_OK);
    const char *port = strrchr(wch_server_address(server), ':');
    where = (struct sockaddr_in){.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10)),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void send_all(int connection, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(connection, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* it has heard enough */
        at += sent;
        size -= (size_t)sent;
    }
}

/* A connection may be kept open after the answer: then nothing more comes. */
static bool has_more(int connection, bool has_answer) {
    enum { USUAL = 2, MOST = 50 }; /* milliseconds */
    struct pollfd waiting = {.fd = connection, .events = POLLIN};
    return poll(&waiting, 1, has_answer ? USUAL : MOST) > 0;
}

/* The whole answer, as far as it fits. */
static size_t ask(const void *bytes, size_t size, char *answer, size_t room) {
    size_t length = 0;
    ssize_t got;
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(connection >= 0);
    require(connect(connection, (const struct sockaddr *)&where, sizeof where) == 0);
    send_all(connection, bytes, size);
    (void)shutdown(connection, SHUT_WR);
    while (length + 1 < room && has_more(connection, length > 0) &&
           (got = recv(connection, answer + length, room - 1 - length, 0)) > 0)
        length += (size_t)got;
    answer[length] = '\0';
    (void)close(connection);
    return length;
}

/* Some line of the request names this machine. */
static bool names_us(const uint8_t *data, size_t size) {
    base_text text = {0};
    base_text_add_bytes(&text, (const char *)data, size);
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '\0')
            text.data[i] = ' ';
    const bool names = text.data != NULL &&
                       (strcasestr(text.data, "localhost") != NULL ||
                        strstr(text.data, "127.0.0.1") != NULL || strstr(text.data, "::1") != NULL);
    base_text_free(&text);
    return names;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char answer[1 << 16], request[128];
    if (where.sin_port == 0)
        prepare();
    const size_t length = ask(data, size, answer, sizeof answer);
    require(length == 0 || strncmp(answer, "HTTP/1.", 7) == 0);
    require(strstr(answer, secret) == NULL || names_us(data, size));
    (void)snprintf(request, sizeof request,
                   "GET /data HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                   "Connection: close\r\n\r\n",
                   (unsigned)ntohs(where.sin_port));
    for (int tries = 0; tries < 100; tries++) /* a busy machine is slow */
        if (ask(request, strlen(request), answer, sizeof answer) > 0 &&
            strstr(answer, secret) != NULL)
            return 0;
    abort();
}
