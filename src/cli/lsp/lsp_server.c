/* SPDX-License-Identifier: MIT */
/*
 * The server: see lsp_server.h. One message is dealt with after another. A protocol is read again
 * when a document or a file has changed and somebody asks; the last one is kept.
 */
#include "cli/lsp/lsp_server.h"

#include "base/json.h"
#include "base/memory.h"
#include "cli/lsp/lsp_answers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Errors, as JSON-RPC and the language server protocol number them. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    NOT_INITIALIZED = -32002
};

/* A file that the client has diagnostics of, and the list of the protocol that they came from. */
typedef struct published {
    char *uri, *list;
} published;

typedef struct server {
    FILE *out;
    lsp_documents documents;
    bool is_initialized, is_shut_down, has_exited;
    bool shows_markdown, knows_trees;
    lsp_protocol protocol; /* the last one, if it is still right */
    char list[PATH_MAX];   /* whose it is; empty: none */
    published *published;
    size_t published_count, published_capacity;
    col_status status;
    col_problem *problem;
} server;

static void fail(server *s) {
    BASE_THEN(s->status, base_out_of_memory(s->problem));
}

/* ---- Messages: a header with the length, and that many bytes of JSON. Whoever is on the other
 * side may be wrong, so that lengths and headers are bounded. */

enum {
    MOST_HEADER = 8192,     /* bytes, of all lines of a header */
    MOST_MESSAGE = 64 << 20 /* bytes of JSON */
};

static col_status broken(col_problem *problem, const char *what) {
    return base_refuse(problem, "the client's messages cannot be read: %s", what);
}

static col_status ended(FILE *in, col_problem *problem) {
    return ferror(in) == 0 ? broken(problem, "they end within a message")
                           : base_fail(problem, "standard input cannot be read");
}

/* A number without signs or blanks. Other fields, such as the type of the content, say nothing that
 * is not known. */
static bool take_field(const char *line, size_t *length, bool *has_length) {
    static const char name[] = "content-length:";
    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return true;
    line += sizeof name - 1;
    line += strspn(line, " \t");
    const bool is_empty = *line == '\0';
    *has_length = true;
    for (*length = 0; *line >= '0' && *line <= '9' && *length <= MOST_MESSAGE; line++)
        *length = *length * 10 + (size_t)(*line - '0');
    return !is_empty && *line == '\0' && *length <= MOST_MESSAGE;
}

static col_status read_header(FILE *in, size_t *length, bool *is_over, col_problem *problem) {
    char line[MOST_HEADER];
    size_t used = 0;
    bool has_length = false;
    for (size_t taken = 0;;) {
        const int byte = getc(in);
        *is_over = byte == EOF && taken == 0 && ferror(in) == 0;
        if (byte == EOF)
            return *is_over ? COL_OK : ended(in, problem);
        if (++taken >= MOST_HEADER)
            return broken(problem, "a header is too long");
        if (byte != '\n') {
            line[used++] = (char)byte;
            continue;
        }
        if (used > 0 && line[used - 1] == '\r')
            used--;
        line[used] = '\0';
        if (used == 0)
            return has_length ? COL_OK : broken(problem, "a header has no Content-Length");
        if (memchr(line, '\0', used) != NULL || !take_field(line, length, &has_length))
            return broken(problem, "a Content-Length is not a number up to 67108864");
        used = 0;
    }
}

/* In pieces: who claims a large length has to send it before it costs memory. */
col_status lsp_read(FILE *in, base_text *message, bool *is_over, col_problem *problem) {
    char piece[4096];
    size_t length = 0;
    base_text_free(message);
    col_status status = read_header(in, &length, is_over, problem);
    while (status == COL_OK && length > 0) {
        const size_t count = fread(piece, 1, length < sizeof piece ? length : sizeof piece, in);
        if (count == 0)
            return ended(in, problem);
        base_text_add_bytes(message, piece, count);
        length -= count;
        status = base_text_status(message, problem);
    }
    return status;
}

/* ---- Messages to the client. */

/* Takes the message. */
static void send(server *s, json_t *message) {
    base_text body = {0};
    base_json_print(message, JSON_COMPACT, &body);
    json_decref(message);
    if (body.failed)
        fail(s);
    else if (s->status == COL_OK &&
             (fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", body.length, body.data) < 0 ||
              fflush(s->out) != 0))
        s->status = base_fail(s->problem, "cannot write to standard output");
    base_text_free(&body);
}

/* Takes the result; NULL: there is no memory. */
static void reply(server *s, const json_t *id, json_t *result) {
    if (result == NULL)
        fail(s);
    else
        send(s, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void reply_error(server *s, const json_t *id, int code, const char *message) {
    json_t *error = json_pack("{s:i, s:o}", "code", code, "message", base_json_text(message));
    json_t *named = id == NULL ? json_null() : json_incref((json_t *)id);
    send(s, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", named, "error", error));
}

/* Takes the diagnostics. */
static void publish(server *s, const char *uri, json_t *diagnostics) {
    if (diagnostics == NULL)
        fail(s);
    else
        send(s, json_pack("{s:s, s:s, s:{s:o, s:o}}", "jsonrpc", "2.0", "method",
                          "textDocument/publishDiagnostics", "params", "uri", base_json_text(uri),
                          "diagnostics", diagnostics));
}

/* ---- Protocols. */

static void forget_protocol(server *s) {
    if (s->list[0] != '\0')
        lsp_protocol_free(&s->protocol);
    s->list[0] = '\0';
}

/* The protocol that a document is a part of, and the document's file in it; NULL: it cannot be
 * read, and `problem` says why. */
static const lsp_file *protocol_of(server *s, lsp_document *document, col_problem *problem) {
    if (s->list[0] == '\0' || strcmp(s->list, document->list) != 0) {
        forget_protocol(s);
        const col_status status = lsp_protocol_read(&s->protocol, &s->documents, document, problem);
        memcpy(s->list, document->list, sizeof s->list);
        if (status == COL_FAILURE)
            fail(s);
        if (status != COL_OK) {
            forget_protocol(s);
            return NULL;
        }
    }
    return lsp_protocol_file(&s->protocol, document->path);
}

/* ---- Diagnostics. */

static void remember(server *s, const char *uri, const char *list) {
    for (size_t i = 0; i < s->published_count; i++)
        if (strcmp(s->published[i].uri, uri) == 0)
            return;
    if (base_reserve(&s->published, &s->published_capacity, s->published_count + 1,
                     sizeof *s->published, NULL) != COL_OK) {
        fail(s);
        return;
    }
    const published p = {strdup(uri), strdup(list)};
    if (p.uri == NULL || p.list == NULL) {
        free(p.uri);
        free(p.list);
        fail(s);
        return;
    }
    s->published[s->published_count++] = p;
}

static void forget_published(server *s, size_t i) {
    free(s->published[i].uri);
    free(s->published[i].list);
    s->published[i] = s->published[--s->published_count];
}

/* Nothing is wrong with it any more. */
static void withdraw(server *s, size_t i) {
    publish(s, s->published[i].uri, json_array());
    forget_published(s, i);
}

/* By the name that the client knows it by, if it is open. */
static void publish_file(server *s, const char *real, const char *list) {
    const lsp_document *document = lsp_document_at(&s->documents, real);
    base_text uri = {0};
    if (document != NULL)
        base_text_add(&uri, document->uri);
    else
        lsp_path_uri(real, &uri);
    if (uri.failed)
        fail(s);
    else {
        publish(s, uri.data, lsp_diagnostics_of(&s->protocol, real));
        remember(s, uri.data, list);
    }
    base_text_free(&uri);
}

static bool is_named_before(const lsp_protocol *p, size_t until, const char *real) {
    char before[PATH_MAX];
    for (size_t i = 0; i < until; i++) {
        lsp_complaint_path(p, &p->complaints[i], before);
        if (strcmp(before, real) == 0)
            return true;
    }
    return false;
}

/* What was wrong with files of this protocol and is no more. */
static void clear_others(server *s, const char *list) {
    const lsp_protocol *p = &s->protocol;
    for (size_t i = s->published_count; i-- > 0;) {
        char path[PATH_MAX], real[PATH_MAX];
        if (strcmp(s->published[i].list, list) != 0 || !lsp_uri_path(s->published[i].uri, path))
            continue;
        lsp_real_path(path, real);
        if (is_named_before(p, p->complaint_count, real) ||
            lsp_document_at(&s->documents, real) != NULL)
            continue;
        withdraw(s, i);
    }
}

/* Of all files of its protocol: what is declared in one may be missing in another. */
static void diagnose_protocol(server *s, lsp_document *document) {
    col_problem problem = {.file = ""};
    if (protocol_of(s, document, &problem) == NULL) {
        json_t *list = json_array();
        if (s->status == COL_OK)
            base_json_append(&list,
                             lsp_diagnostic((lsp_text){.data = ""}, 1, 1, false, problem.message));
        publish(s, document->uri, list);
        return;
    }
    const lsp_protocol *p = &s->protocol;
    char list[PATH_MAX], real[PATH_MAX];
    memcpy(list, s->list, sizeof list);
    for (const lsp_document *d = s->documents.first; d != NULL; d = d->next)
        if (lsp_protocol_file(p, d->path) != NULL)
            publish_file(s, d->path, list);
    for (size_t i = 0; i < p->complaint_count; i++) {
        lsp_complaint_path(p, &p->complaints[i], real);
        if (!is_named_before(p, i, real) && lsp_document_at(&s->documents, real) == NULL)
            publish_file(s, real, list);
    }
    clear_others(s, list);
}

static void diagnose(server *s, lsp_document *document) {
    forget_protocol(s);
    if (document->language == LSP_LITMUS)
        publish(s, document->uri, lsp_litmus_diagnostics(document));
    else if (document->language == LSP_SLICC)
        diagnose_protocol(s, document);
}

/* ---- Notifications about documents. */

static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

static lsp_document *document_of(const server *s, const json_t *params) {
    return lsp_document_find(&s->documents,
                             text_in(json_object_get(params, "textDocument"), "uri"));
}

static void did_open(server *s, const json_t *params) {
    const json_t *item = json_object_get(params, "textDocument");
    const json_t *text = json_object_get(item, "text");
    const char *uri = text_in(item, "uri");
    if (uri[0] == '\0' || !json_is_string(text))
        return;
    lsp_document *document = lsp_document_open(&s->documents, uri, text_in(item, "languageId"),
                                               json_string_value(text), json_string_length(text));
    if (document == NULL)
        fail(s);
    else
        diagnose(s, document);
}

/* Changes are whole texts, as we asked for. */
static void did_change(server *s, const json_t *params) {
    lsp_document *document = document_of(s, params);
    const json_t *changes = json_object_get(params, "contentChanges");
    const json_t *last = json_array_get(changes, json_array_size(changes) - 1);
    const json_t *text = json_object_get(last, "text");
    if (document == NULL || !json_is_string(text) || json_object_get(last, "range") != NULL)
        return;
    if (!lsp_document_change(document, json_string_value(text), json_string_length(text)))
        fail(s);
    else
        diagnose(s, document);
}

static void did_save(server *s, const json_t *params) {
    lsp_document *document = document_of(s, params);
    if (document != NULL)
        diagnose(s, document);
}

/* From now on the file on the disk counts. */
static void did_close(server *s, const json_t *params) {
    lsp_document *document = document_of(s, params);
    char list[PATH_MAX];
    if (document == NULL)
        return;
    memcpy(list, document->list, sizeof list);
    publish(s, document->uri, json_array());
    for (size_t i = s->published_count; i-- > 0;)
        if (strcmp(s->published[i].uri, document->uri) == 0)
            forget_published(s, i);
    lsp_document_close(&s->documents, document);
    forget_protocol(s);
    lsp_document *other = s->documents.first;
    while (other != NULL && (list[0] == '\0' || strcmp(other->list, list) != 0))
        other = other->next;
    if (other != NULL) {
        diagnose(s, other);
        return;
    }
    for (size_t i = s->published_count; i-- > 0;)
        if (strcmp(s->published[i].list, list) == 0)
            withdraw(s, i);
}

static void files_changed(server *s, const json_t *params) {
    (void)params;
    for (lsp_document *document = s->documents.first; document != NULL; document = document->next)
        diagnose(s, document);
}

/* ---- Requests. */

static bool has_text(const json_t *list, const char *text) {
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) {
        if (json_is_string(item) && strcmp(json_string_value(item), text) == 0)
            return true;
    }
    return false;
}

static json_t *initialize(server *s, const json_t *params) {
    const json_t *text = json_object_get(json_object_get(params, "capabilities"), "textDocument");
    const json_t *formats = json_object_get(json_object_get(text, "hover"), "contentFormat");
    s->is_initialized = true;
    s->shows_markdown = has_text(formats, "markdown");
    s->knows_trees = json_is_true(json_object_get(json_object_get(text, "documentSymbol"),
                                                  "hierarchicalDocumentSymbolSupport"));
    return json_pack("{s:{s:s, s:{s:b, s:i, s:{s:b}}, s:b, s:b, s:b, s:b}, s:{s:s, s:s}}",
                     "capabilities", "positionEncoding", "utf-16", "textDocumentSync", "openClose",
                     1, "change", 1, "save", "includeText", 0, "hoverProvider", 1,
                     "definitionProvider", 1, "referencesProvider", 1, "documentSymbolProvider", 1,
                     "serverInfo", "name", "collider", "version", col_version());
}

static json_t *shut_down(server *s, const json_t *params) {
    (void)params;
    s->is_shut_down = true;
    return json_null();
}

/* The offset that a request is about; false: it does not say. */
static bool offset_in(lsp_text text, const json_t *params, size_t *offset) {
    const json_t *position = json_object_get(params, "position");
    const json_t *line = json_object_get(position, "line"),
                 *character = json_object_get(position, "character");
    if (!json_is_integer(line) || !json_is_integer(character) || json_integer_value(line) < 0 ||
        json_integer_value(character) < 0 || json_integer_value(line) > UINT32_MAX ||
        json_integer_value(character) > UINT32_MAX)
        return false;
    *offset = lsp_offset_at(text, (lsp_position){(uint32_t)json_integer_value(line),
                                                 (uint32_t)json_integer_value(character)});
    return true;
}

typedef struct place {
    lsp_document *document;
    const lsp_file *file; /* of SLICC */
    size_t offset;
} place;

/* Where a request is about something that we know; false: it is not. */
static bool place_of(server *s, const json_t *params, place *at) {
    col_problem problem;
    *at = (place){.document = document_of(s, params)};
    if (at->document == NULL || at->document->language == LSP_OTHER)
        return false;
    lsp_text text = {.data = at->document->text.data, .length = at->document->text.length};
    text.data = base_skip_bom(text.data, &text.length);
    if (json_object_get(params, "position") != NULL && !offset_in(text, params, &at->offset))
        return false;
    if (at->document->language == LSP_SLICC)
        at->file = protocol_of(s, at->document, &problem);
    return at->document->language == LSP_LITMUS || at->file != NULL;
}

static json_t *hover(server *s, const json_t *params) {
    place at;
    if (!place_of(s, params, &at))
        return json_null();
    return at.file == NULL ? lsp_litmus_hover(at.document, at.offset, s->shows_markdown)
                           : lsp_hover(&s->protocol, at.file, at.offset, s->shows_markdown);
}

static json_t *definition(server *s, const json_t *params) {
    place at;
    if (!place_of(s, params, &at))
        return json_null();
    return at.file == NULL ? lsp_litmus_definition(at.document, at.offset)
                           : lsp_definition(&s->protocol, at.file, at.offset);
}

static json_t *references(server *s, const json_t *params) {
    place at;
    if (!place_of(s, params, &at) || at.file == NULL)
        return json_null();
    return lsp_references(&s->protocol, at.file, at.offset);
}

static json_t *symbols(server *s, const json_t *params) {
    place at;
    if (!place_of(s, params, &at))
        return json_null();
    json_t *tree =
        at.file == NULL ? lsp_litmus_symbols(at.document) : lsp_symbols(&s->protocol, at.file);
    return tree == NULL || s->knows_trees ? tree : lsp_flat_symbols(tree, at.document->uri);
}

/* ---- Messages from the client. */

static const struct {
    const char *method;
    json_t *(*answer)(server *s, const json_t *params);
    bool has_params;
} requests[] = {{"initialize", initialize, true},
                {"shutdown", shut_down, false},
                {"textDocument/hover", hover, true},
                {"textDocument/definition", definition, true},
                {"textDocument/references", references, true},
                {"textDocument/documentSymbol", symbols, true}};

static const struct {
    const char *method;
    void (*take)(server *s, const json_t *params);
} notifications[] = {{"textDocument/didOpen", did_open},
                     {"textDocument/didChange", did_change},
                     {"textDocument/didSave", did_save},
                     {"textDocument/didClose", did_close},
                     {"workspace/didChangeWatchedFiles", files_changed}};

static void take_request(server *s, const json_t *id, const char *method, const json_t *params) {
    if (s->is_shut_down) {
        reply_error(s, id, INVALID_REQUEST, "the server is shut down");
        return;
    }
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].method, method) != 0)
            continue;
        const bool is_first = requests[i].answer == initialize;
        if (s->is_initialized == is_first)
            reply_error(s, id, is_first ? INVALID_REQUEST : NOT_INITIALIZED,
                        is_first ? "the server is initialized" : "the server is not initialized");
        else if (requests[i].has_params && !json_is_object(params))
            reply_error(s, id, INVALID_PARAMS, "the parameters must be an object");
        else
            reply(s, id, requests[i].answer(s, params));
        return;
    }
    reply_error(s, id, METHOD_NOT_FOUND, "unknown method");
}

/* Unknown notifications may be ignored. */
static void take_notification(server *s, const char *method, const json_t *params) {
    if (strcmp(method, "exit") == 0)
        s->has_exited = true;
    if (!s->is_initialized || s->is_shut_down || !json_is_object(params))
        return;
    for (size_t i = 0; i < sizeof notifications / sizeof notifications[0]; i++)
        if (strcmp(notifications[i].method, method) == 0)
            notifications[i].take(s, params);
}

static void take(server *s, const base_text *text) {
    json_t *message = NULL;
    col_problem problem;
    const col_status status =
        base_json_parse(text->data == NULL ? "" : text->data, text->length, "", &message, &problem);
    const json_t *id = json_object_get(message, "id");
    const json_t *method = json_object_get(message, "method");
    if (status == COL_FAILURE)
        fail(s);
    else if (message == NULL)
        reply_error(s, NULL, PARSE_ERROR, "a message is not JSON");
    else if (!json_is_object(message) ||
             (id != NULL && !json_is_string(id) && !json_is_integer(id) && !json_is_null(id)))
        reply_error(s, NULL, INVALID_REQUEST, "a message is not a request");
    else if (json_is_string(method) && id != NULL)
        take_request(s, id, json_string_value(method), json_object_get(message, "params"));
    else if (json_is_string(method))
        take_notification(s, json_string_value(method), json_object_get(message, "params"));
    else if (json_object_get(message, "result") == NULL &&
             json_object_get(message, "error") == NULL)
        reply_error(s, id, INVALID_REQUEST, "a message has no method"); /* else: a response */
    json_decref(message);
}

col_status lsp_serve(FILE *in, FILE *out, int *exit, col_problem *problem) {
    server *s = calloc(1, sizeof *s);
    base_text message = {0};
    bool is_over = false;
    *exit = 1;
    if (s == NULL)
        return base_out_of_memory(problem);
    s->out = out;
    s->problem = problem;
    while (s->status == COL_OK && !s->has_exited && !is_over) {
        s->status = lsp_read(in, &message, &is_over, problem);
        if (s->status == COL_OK && !is_over)
            take(s, &message);
    }
    const col_status status = s->status;
    *exit = s->has_exited && s->is_shut_down ? 0 : 1;
    forget_protocol(s);
    for (size_t i = s->published_count; i-- > 0;)
        forget_published(s, i);
    free(s->published);
    lsp_documents_free(&s->documents);
    base_text_free(&message);
    free(s);
    return status;
}
