/* SPDX-License-Identifier: MIT */
/* Messages of the language server protocol: see lsp_server.h. */
#include "cli/lsp/lsp_server.h"

#include "base/problem.h"

#include <string.h>
#include <strings.h>

/* The next byte; -1: there is none, -2: it could not be read. */
static int next(lsp_input *input) {
    if (input->at == input->filled) {
        const ssize_t count = input->read(input->context, input->buffer, sizeof input->buffer);
        if (count <= 0)
            return count == 0 ? -1 : -2;
        input->at = 0;
        input->filled = (size_t)count;
    }
    return (unsigned char)input->buffer[input->at++];
}

static lsp_frame broken(col_problem *problem, const char *what) {
    (void)base_refuse(problem, "the client's messages cannot be read: %s", what);
    return LSP_BROKEN;
}

static lsp_frame ended(int byte, col_problem *problem) {
    if (byte == -1)
        return broken(problem, "they end within a message");
    (void)base_fail(problem, "standard input cannot be read");
    return LSP_FAILED;
}

/* ---- The header. */

/* Other fields than the length, such as the type of the content, say nothing that is not known. */
static bool take_field(const char *line, size_t *length, bool *has_length) {
    static const char name[] = "content-length:";
    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return true;
    line += sizeof name - 1;
    line += strspn(line, " \t");
    *has_length = true;
    /* A number without signs or blanks; false: it is none, or too large. */
    const char *text = line;
    size_t number = 0;
    if (*text == '\0')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (size_t)(*text - '0');
        if (number > LSP_MOST_MESSAGE)
            return false;
    }
    *length = number;
    return *text == '\0';
}

static lsp_frame read_header(lsp_input *input, size_t *length, col_problem *problem) {
    char line[LSP_MOST_HEADER];
    size_t used = 0, taken = 0;
    bool has_length = false;
    for (;;) {
        const int byte = next(input);
        if (byte < 0 && taken == 0 && byte == -1)
            return LSP_END;
        if (byte < 0)
            return ended(byte, problem);
        if (++taken >= LSP_MOST_HEADER)
            return broken(problem, "a header is too long");
        if (byte != '\n') {
            line[used++] = (char)byte;
            continue;
        }
        if (used > 0 && line[used - 1] == '\r')
            used--;
        line[used] = '\0';
        if (used == 0)
            return has_length ? LSP_MESSAGE : broken(problem, "a header has no Content-Length");
        if (memchr(line, '\0', used) != NULL || !take_field(line, length, &has_length))
            return broken(problem, "a Content-Length is not a number up to 67108864");
        used = 0;
    }
}

/* ---- The message. */

/* In pieces: who claims a large length has to send it before it costs memory. */
lsp_frame lsp_frame_read(lsp_input *input, base_text *message, col_problem *problem) {
    size_t length = 0;
    base_text_free(message);
    lsp_frame frame = read_header(input, &length, problem);
    while (frame == LSP_MESSAGE && length > 0) {
        const int byte = next(input);
        if (byte < 0)
            return ended(byte, problem);
        input->at--;
        const size_t there = input->filled - input->at;
        const size_t count = there < length ? there : length;
        base_text_add_bytes(message, input->buffer + input->at, count);
        input->at += count;
        length -= count;
        if (message->failed) {
            (void)base_out_of_memory(problem);
            return LSP_FAILED;
        }
    }
    return frame;
}

void lsp_frame_write(const base_text *message, base_text *out) {
    base_text_print(out, "Content-Length: %zu\r\n\r\n", message->length);
    base_text_add_bytes(out, message->data == NULL ? "" : message->data, message->length);
    out->failed = out->failed || message->failed;
}
