/* SPDX-License-Identifier: MIT */
/*
 * No bytes of an editor make the language server crash or answer with anything but framed JSON. The
 * first byte says whether the rest is a stream as it is, or one message per line, which are framed
 * here and follow an initialization: otherwise few inputs would get beyond the frames.
 */
#include "cli/lsp/lsp_server.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct stream {
    base_text in, out;
    size_t at;
} stream;

static void require(bool holds) {
    if (!holds)
        abort();
}

static ssize_t read_some(void *context, char *bytes, size_t size) {
    stream *s = context;
    const size_t left = s->in.length - s->at;
    const size_t count = left < size ? left : size;
    if (count > 0)
        memcpy(bytes, s->in.data + s->at, count);
    s->at += count;
    return (ssize_t)count;
}

static bool keep(void *context, const char *bytes, size_t size) {
    stream *s = context;
    base_text_add_bytes(&s->out, bytes, size);
    return true;
}

static void add_message(stream *s, const char *bytes, size_t length) {
    base_text_print(&s->in, "Content-Length: %zu\r\n\r\n", length);
    base_text_add_bytes(&s->in, bytes, length);
}

static void make_input(stream *s, const char *bytes, size_t size) {
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}";
    if (size > 0 && bytes[0] == 'r') {
        base_text_add_bytes(&s->in, bytes + 1, size - 1);
        return;
    }
    add_message(s, hello, sizeof hello - 1);
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - bytes) - at;
        add_message(s, bytes + at, length);
        at += length + 1;
    }
}

/* What the server wrote can be read by its own reader, and is JSON. */
static void check_output(stream *out) {
    lsp_input input = {.read = read_some, .context = out};
    base_text message = {0};
    col_problem problem;
    lsp_frame frame;
    while ((frame = lsp_frame_read(&input, &message, &problem)) == LSP_MESSAGE) {
        json_t *value = json_loadb(message.data, message.length, 0, NULL);
        require(json_is_object(value) &&
                strcmp(json_string_value(json_object_get(value, "jsonrpc")), "2.0") == 0);
        json_decref(value);
    }
    require(frame == LSP_END);
    base_text_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    stream s = {.at = 0}, written = {.at = 0};
    col_problem problem = {.file = ""};
    int status = 0;
    make_input(&s, (const char *)data, size);
    lsp_input input = {.read = read_some, .context = &s};
    const lsp_streams streams = {.input = &input, .write = keep, .context = &s};
    const col_status served = lsp_serve(&streams, &status, &problem);
    require(served == COL_OK || problem.message[0] != '\0');
    written.in = s.out;
    check_output(&written);
    base_text_free(&s.in);
    base_text_free(&s.out);
    return 0;
}
