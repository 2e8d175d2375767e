/* SPDX-License-Identifier: MIT */
/*
 * The server: see watch.h. GNU libmicrohttpd reads requests, within bounds on their number,
 * their size and their time; what is left to us is to find the text that an address stands for in a
 * table of three. Requests with another method, another Host, or without the token have no answer
 * but the refusal.
 */
#include "results/watch/watch.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUEST_BYTES = 32 << 10, /* memory of a connection: longer headers are refused */
    SILENT_SECONDS = 15,      /* without a byte */
    REQUEST_SECONDS = 15,     /* from the connection, or the answer before, to the last header */
    ANSWER_SECONDS = 120      /* from there on */
};

/*
 * Who is connected, and until when. libmicrohttpd bounds the time without a byte, so that a visitor
 * who sends one now and then keeps a place for ever; here a request, and an answer, have an end.
 */
typedef struct visit {
    int socket; /* -1: nobody's place */
    double until;
} visit;

struct wch_server {
    struct MHD_Daemon *daemon;
    wch_board *board;
    pthread_mutex_t lock; /* of the visits */
    visit visits[WCH_MOST_VISITS];
    const char *address, *token;
    uint16_t port;
    char url[256];
};

/* ---- Answers. */

static const struct {
    const char *path, *type;
    wch_part part;
} addresses[] = {{"/", "text/html; charset=utf-8", WCH_PAGE},
                 {"/data", "application/json", WCH_DATA},
                 {"/live", "application/json", WCH_LIVE}};

static const struct {
    const char *name, *value;
} headers[] = {
    {"Cache-Control", "no-cache"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}};

static enum MHD_Result send_answer(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response, const char *type) {
    enum MHD_Result result = response == NULL ? MHD_NO : MHD_YES;
    for (size_t i = 0; i < sizeof headers / sizeof *headers && result == MHD_YES; i++)
        result = MHD_add_response_header(response, headers[i].name, headers[i].value);
    if (result == MHD_YES && type != NULL)
        result = MHD_add_response_header(response, "Content-Type", type);
    if (result == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        result = MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    if (response != NULL)
        MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const char *sentence) {
    return send_answer(
        connection, status,
        MHD_create_response_from_buffer(strlen(sentence), (void *)sentence, MHD_RESPMEM_MUST_COPY),
        "text/plain; charset=utf-8");
}

static void release(void *content) {
    wch_content_release(content);
}

static enum MHD_Result answer(const wch_server *s, struct MHD_Connection *connection, wch_part part,
                              const char *type) {
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    wch_content *content = wch_board_take(s->board, part);
    if (content == NULL)
        return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There is nothing yet.\n");
    const bool is_known = wch_has_tag(known, content->tag);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        is_known ? 0 : content->text.length, content->text.data, release, content);
    if (response == NULL) {
        wch_content_release(content);
        return MHD_NO;
    }
    if (MHD_add_response_header(response, "ETag", content->tag) != MHD_YES) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    return send_answer(connection, is_known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response, type);
}

static enum MHD_Result respond(const wch_server *s, struct MHD_Connection *connection,
                               const char *path) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *said = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    if (s->token != NULL && !wch_is_token(said, s->token))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "This address needs the token that collider serve printed.\n");
    if (s->token == NULL && !wch_is_our_host(host, s->address, s->port))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "This server answers to its own address only.\n");
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strcmp(path, addresses[i].path) == 0)
            return answer(s, connection, addresses[i].part, addresses[i].type);
    return refuse(connection, MHD_HTTP_NOT_FOUND, "There is nothing at this address.\n");
}

/* ---- The time that they take. */

/* Something new begins, which has its own time. */
static void allow(wch_server *s, struct MHD_Connection *connection, double seconds) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    visit *v = info == NULL ? NULL : info->socket_context;
    if (v == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    v->until = base_seconds() + seconds;
    (void)pthread_mutex_unlock(&s->lock);
}

/* Without a place left, a connection has no end. At its own it gives its place up before the socket
 * is closed: its number may be another's afterwards. */
static void note_connection(void *context, struct MHD_Connection *connection, void **place,
                            enum MHD_ConnectionNotificationCode what) {
    wch_server *s = context;
    visit *v = *place;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    (void)pthread_mutex_lock(&s->lock);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (v != NULL)
            v->socket = -1;
    } else if (info != NULL) {
        for (int i = 0; i < WCH_MOST_VISITS && v == NULL; i++)
            if (s->visits[i].socket < 0)
                v = &s->visits[i];
        if (v != NULL)
            *v = (visit){info->connect_fd, base_seconds() + REQUEST_SECONDS};
        *place = v;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static void note_answered(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode how) {
    (void)state;
    (void)how;
    allow(context, connection, REQUEST_SECONDS);
}

/* Whoever reads the sockets closes them. */
void wch_server_sweep(wch_server *server, double now) {
    (void)pthread_mutex_lock(&server->lock);
    for (int i = 0; i < WCH_MOST_VISITS; i++)
        if (server->visits[i].socket >= 0 && server->visits[i].until < now)
            (void)shutdown(server->visits[i].socket, SHUT_RDWR);
    (void)pthread_mutex_unlock(&server->lock);
}

/* The first call comes with the headers. A body, which no request of ours has, is not read. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
    static int has_headers;
    (void)version;
    (void)upload;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "Only GET and HEAD: nothing can be changed here.\n");
    if (*state == NULL) {
        *state = &has_headers;
        allow(context, connection, ANSWER_SECONDS);
        return MHD_YES;
    }
    if (*upload_size != 0)
        return MHD_NO;
    return respond(context, connection, url);
}

/* Addresses are taken as they are: ours have nothing that would have to be escaped. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static void say_nothing(void *context, const char *format, va_list list) {
    (void)context;
    (void)format;
    (void)list;
}

/* ---- Beginning and end. */

static col_status open_socket(const wch_settings *settings, int *listener, col_problem *problem) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char port[16];
    const int yes = 1;
    *listener = -1;
    (void)snprintf(port, sizeof port, "%u", (unsigned)settings->port);
    if (getaddrinfo(settings->address, port, &hints, &found) != 0)
        return base_refuse(problem,
                           "--address takes a numeric address, such as 127.0.0.1, not "
                           "'%.60s'",
                           settings->address);
    *listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_open = *listener >= 0 &&
                   setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                   bind(*listener, found->ai_addr, found->ai_addrlen) == 0 &&
                   listen(*listener, WCH_MOST_VISITS) == 0;
    freeaddrinfo(found);
    if (is_open)
        return COL_OK;
    if (*listener >= 0)
        (void)close(*listener);
    return base_fail(problem,
                     "cannot listen at %.60s port %u: is it in use? --port 0 takes a free "
                     "one",
                     settings->address, (unsigned)settings->port);
}

/* The port that we were given, if any would do. */
static uint16_t port_of(int listener, uint16_t otherwise) {
    struct sockaddr_storage where;
    socklen_t size = sizeof where;
    char port[16];
    if (getsockname(listener, (struct sockaddr *)&where, &size) != 0 ||
        getnameinfo((struct sockaddr *)&where, size, NULL, 0, port, sizeof port, NI_NUMERICSERV) !=
            0)
        return otherwise;
    return (uint16_t)strtoul(port, NULL, 10);
}

col_status wch_server_start(wch_server **server, const wch_settings *settings, wch_board *board,
                            col_problem *problem) {
    int listener;
    wch_server *s = *server = calloc(1, sizeof *s);
    if (s == NULL)
        return base_out_of_memory(problem);
    *s = (wch_server){.board = board, .address = settings->address, .token = settings->token};
    BASE_TRY(open_socket(settings, &listener, problem));
    s->port = port_of(listener, settings->port);
    const bool has_colon = strchr(s->address, ':') != NULL;
    (void)snprintf(s->url, sizeof s->url, "http://%s%.100s%s:%u/%s%.100s", has_colon ? "[" : "",
                   s->address, has_colon ? "]" : "", (unsigned)s->port,
                   s->token == NULL ? "" : "?token=", s->token == NULL ? "" : s->token);
    (void)pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < WCH_MOST_VISITS; i++)
        s->visits[i].socket = -1;
    s->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle,
        s, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL, MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)WCH_MOST_VISITS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SILENT_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, note_connection, s,
        MHD_OPTION_NOTIFY_COMPLETED, note_answered, s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_BYTES, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (s->daemon != NULL)
        return COL_OK;
    (void)close(listener);
    return base_fail(problem, "the server cannot be started");
}

const char *wch_server_address(const wch_server *server) {
    return server->url;
}

void wch_server_stop(wch_server *server) {
    if (server == NULL)
        return;
    if (server->daemon != NULL) {
        MHD_stop_daemon(server->daemon);
        (void)pthread_mutex_destroy(&server->lock);
    }
    free(server);
}

/* What a request must be. */

bool wch_is_loopback(const char *address) {
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* With the port, which may be left out if it is HTTP's own. */
static bool names(const char *host, const char *address, uint16_t port) {
    char whole[128];
    const bool has_colon = strchr(address, ':') != NULL;
    const int length = snprintf(whole, sizeof whole, "%s%s%s:%u", has_colon ? "[" : "", address,
                                has_colon ? "]" : "", (unsigned)port);
    if (length < 0 || length >= (int)sizeof whole)
        return false;
    if (strcasecmp(host, whole) == 0)
        return true;
    *strrchr(whole, ':') = '\0';
    return port == 80 && strcasecmp(host, whole) == 0;
}

bool wch_is_our_host(const char *host, const char *address, uint16_t port) {
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    if (host == NULL)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (names(host, own[i], port))
            return true;
    return names(host, address, port);
}

bool wch_is_token(const char *said, const char *token) {
    const size_t length = strlen(token);
    unsigned different = said == NULL || strlen(said) != length;
    for (size_t i = 0; i < length && said != NULL && said[i] != '\0'; i++)
        different |= (unsigned)(unsigned char)said[i] ^ (unsigned)(unsigned char)token[i];
    return different == 0;
}

bool wch_has_tag(const char *list, const char *tag) {
    return list != NULL && (strcmp(list, "*") == 0 || strstr(list, tag) != NULL);
}
