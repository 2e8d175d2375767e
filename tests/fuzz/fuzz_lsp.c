/* SPDX-License-Identifier: MIT */
/*
 * No bytes of an editor make the language server crash or answer with anything but framed JSON. The
 * first byte says whether the rest is a stream as it is, or one message per line, which are framed
 * here and follow an initialization: otherwise few inputs would get beyond the frames.
 */
#include "cli/lsp/lsp_server.h"
#include "fuzz.h"

#include <jansson.h>

static void add_message(base_text *input, const char *bytes, size_t length) {
    base_text_print(input, "Content-Length: %zu\r\n\r\n", length);
    base_text_add_bytes(input, bytes, length);
}

static void make_input(base_text *input, const char *bytes, size_t size) {
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}";
    if (size > 0 && bytes[0] == 'r') {
        base_text_add_bytes(input, bytes + 1, size - 1);
        return;
    }
    add_message(input, hello, sizeof hello - 1);
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - bytes) - at;
        add_message(input, bytes + at, length);
        at += length + 1;
    }
}

/* What the server wrote can be read by its own reader, and is JSON. */
static void check_output(FILE *out) {
    base_text message = {0};
    col_problem problem;
    bool is_over = false;
    while (lsp_read(out, &message, &is_over, &problem) == COL_OK && !is_over) {
        json_t *value = json_loadb(message.data, message.length, 0, NULL);
        require(json_is_object(value) &&
                strcmp(json_string_value(json_object_get(value, "jsonrpc")), "2.0") == 0);
        json_decref(value);
    }
    require(is_over);
    base_text_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    base_text input = {0};
    col_problem problem = {.file = ""};
    char *written = NULL;
    size_t length = 0;
    int status = 0;
    make_input(&input, (const char *)data, size);
    FILE *in = fmemopen(input.data, input.length, "r"), *out = open_memstream(&written, &length);
    const col_status served = lsp_serve(in, out, &status, &problem);
    require(served == COL_OK || problem.message[0] != '\0');
    (void)fclose(in);
    (void)fclose(out);
    FILE *again = fmemopen(written, length, "r");
    check_output(again);
    (void)fclose(again);
    free(written);
    base_text_free(&input);
    return 0;
}
