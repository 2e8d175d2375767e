/* SPDX-License-Identifier: MIT */
/* Taking words, complaining about them and going on: see parser.h. */
#include "protocol/slicc/parser.h"

#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SHOWN = 40, MOST_DESCRIPTION = 64 };

static void scan(slicc_parser *parser) {
    parser->token = slicc_scan_next(&parser->scanner);
    parser->last_end = parser->token_end;
    parser->token_end = slicc_scan_place(&parser->scanner);
}

void slicc_advance(slicc_parser *parser) {
    parser->braces += slicc_at(parser, SLICC_TOKEN_OPEN_BRACE);
    parser->braces -= slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) && parser->braces > 0;
    parser->parentheses += slicc_at(parser, SLICC_TOKEN_OPEN_PARENTHESIS);
    parser->parentheses -=
        slicc_at(parser, SLICC_TOKEN_CLOSE_PARENTHESIS) && parser->parentheses > 0;
    scan(parser);
}

bool slicc_at_name(const slicc_parser *parser, const char *name) {
    return slicc_at(parser, SLICC_TOKEN_NAME) && parser->token.length == strlen(name) &&
           memcmp(parser->token.start, name, parser->token.length) == 0;
}

/* The word behind the next one, or the one behind that. What is wrong with it is complained about
 * when it comes. */
static slicc_token look_ahead(const slicc_parser *parser, int words) {
    slicc_report unheard = {0};
    slicc_scanner scanner = parser->scanner;
    scanner.report = &unheard;
    slicc_token token = slicc_scan_next(&scanner);
    if (words == 2)
        token = slicc_scan_next(&scanner);
    slicc_report_free(&unheard);
    return token;
}

bool slicc_at_key(const slicc_parser *parser) {
    return slicc_at(parser, SLICC_TOKEN_NAME) && look_ahead(parser, 1).kind == SLICC_TOKEN_IS;
}

bool slicc_before_pair(const slicc_parser *parser) {
    return look_ahead(parser, 1).kind == SLICC_TOKEN_STRING ||
           look_ahead(parser, 2).kind == SLICC_TOKEN_IS;
}

bool slicc_take(slicc_parser *parser, slicc_token_kind kind) {
    if (!slicc_at(parser, kind))
        return false;
    slicc_advance(parser);
    return true;
}

/* ---- Memory. */

static void run_out_of_memory(slicc_parser *parser) {
    parser->out_of_memory = true;
    parser->scanner.at = parser->scanner.end;
    parser->token.kind = SLICC_TOKEN_END;
}

void *slicc_make(slicc_parser *parser, size_t size) {
    void *piece = base_arena_take(&parser->tree->arena, size);
    if (piece == NULL)
        run_out_of_memory(parser);
    return piece;
}

static const char *intern(slicc_parser *parser, const char *text, size_t length) {
    const char *name = slicc_intern(parser->tree, text, length);
    if (name == NULL)
        run_out_of_memory(parser);
    return name;
}

/* Until 2013 sources of data had a type of their own, with the names of machines. */
const char *slicc_text_of(slicc_parser *parser, const slicc_token *token) {
    static const char older[] = "GenericMachineType", today[] = "MachineType";
    if (token->kind == SLICC_TOKEN_NAME && token->length == sizeof older - 1 &&
        memcmp(token->start, older, sizeof older - 1) == 0)
        return intern(parser, today, sizeof today - 1);
    return intern(parser, token->start, token->length);
}

/* ---- Complaints. */

/* Has the next word been complained about, here or by the scanner? */
static bool is_known_wrong(slicc_parser *parser) {
    const bool known = parser->out_of_memory || slicc_at(parser, SLICC_TOKEN_BROKEN) ||
                       parser->complained == parser->token.start ||
                       (slicc_at(parser, SLICC_TOKEN_END) && parser->scanner.comment_open);
    parser->complained = parser->token.start;
    return known;
}

static const char *describe(const slicc_token *token, char text[MOST_DESCRIPTION]) {
    const int length = token->length > MOST_SHOWN ? MOST_SHOWN : (int)token->length;
    if (token->kind == SLICC_TOKEN_END)
        return "the end of the file";
    (void)snprintf(text, MOST_DESCRIPTION,
                   token->kind == SLICC_TOKEN_STRING ? "the string \"%.*s\"" : "'%.*s'", length,
                   token->start);
    return text;
}

/* Where something is missing at the end of a line, that is the line to show. */
static slicc_place place_of_missing(const slicc_parser *parser) {
    return parser->token.place.line > parser->last_end.line ? parser->last_end
                                                            : parser->token.place;
}

static slicc_place place_of_wrong(const slicc_parser *parser) {
    return slicc_at(parser, SLICC_TOKEN_END) ? place_of_missing(parser) : parser->token.place;
}

bool slicc_unexpected(slicc_parser *parser, const char *expected) {
    if (is_known_wrong(parser))
        return false;
    char text[MOST_DESCRIPTION];
    slicc_complain(parser->report, place_of_wrong(parser), "expected %s, found %s", expected,
                   describe(&parser->token, text));
    return false;
}

/* A ';' is forgotten at the end of a line or a block, a ')' before a block or a ';'. */
static bool is_forgotten(const slicc_parser *parser, slicc_token_kind kind) {
    if (slicc_at(parser, SLICC_TOKEN_END) || slicc_at(parser, SLICC_TOKEN_BROKEN))
        return false;
    if (kind == SLICC_TOKEN_SEMICOLON)
        return slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) ||
               parser->token.place.line > parser->last_end.line;
    return kind == SLICC_TOKEN_CLOSE_PARENTHESIS &&
           (slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) || slicc_at(parser, SLICC_TOKEN_SEMICOLON));
}

bool slicc_expect(slicc_parser *parser, slicc_token_kind kind, const char *where) {
    if (slicc_take(parser, kind))
        return true;
    const bool forgotten = is_forgotten(parser, kind);
    if (!is_known_wrong(parser)) {
        char text[MOST_DESCRIPTION];
        slicc_complain(parser->report, place_of_missing(parser), "expected '%s' %s, found %s",
                       slicc_token_spelling(kind), where, describe(&parser->token, text));
    }
    if (forgotten && kind == SLICC_TOKEN_CLOSE_PARENTHESIS && parser->parentheses > 0)
        parser->parentheses--;
    return forgotten;
}

bool slicc_expect_opened(slicc_parser *parser) {
    char where[MOST_DESCRIPTION];
    (void)snprintf(where, sizeof where, "after '%s'", slicc_token_spelling(parser->token.kind));
    slicc_advance(parser);
    return slicc_expect(parser, SLICC_TOKEN_OPEN_PARENTHESIS, where);
}

bool slicc_expect_close(slicc_parser *parser, slicc_place place, slicc_level level,
                        const char *kind, const char *name) {
    const bool closed = slicc_take(parser, SLICC_TOKEN_CLOSE_BRACE);
    if (!closed && !is_known_wrong(parser)) {
        char text[MOST_DESCRIPTION];
        slicc_complain(parser->report, place_of_wrong(parser),
                       "expected '}' to end the %s%s%.*s%s that begins on line %u, found %s", kind,
                       *name == '\0' ? "" : " '", MOST_SHOWN, name, *name == '\0' ? "" : "'",
                       place.line, describe(&parser->token, text));
    }
    parser->braces = level.braces;
    parser->parentheses = level.parentheses;
    return closed;
}

bool slicc_too_deep(slicc_parser *parser) {
    if (!is_known_wrong(parser))
        slicc_complain(parser->report, parser->token.place,
                       "this is nested too deeply: %d levels at most", SLICC_MOST_NESTING);
    return false;
}

bool slicc_enter(slicc_parser *parser) {
    if (parser->nesting == SLICC_MOST_NESTING)
        return slicc_too_deep(parser);
    parser->nesting++;
    return true;
}

/* ---- Names. */

static const char *expect_text(slicc_parser *parser, slicc_token_kind kind, const char *what) {
    if (!slicc_at(parser, kind)) {
        (void)slicc_unexpected(parser, what);
        return NULL;
    }
    const char *text = slicc_text_of(parser, &parser->token);
    slicc_advance(parser);
    return text;
}

const char *slicc_expect_name(slicc_parser *parser, const char *what) {
    return expect_text(parser, SLICC_TOKEN_NAME, what);
}

const char *slicc_expect_string(slicc_parser *parser, const char *what) {
    return expect_text(parser, SLICC_TOKEN_STRING, what);
}

const slicc_name *slicc_expect_place_name(slicc_parser *parser, const char *what) {
    const slicc_place place = parser->token.place;
    const char *text = slicc_expect_name(parser, what);
    slicc_name *name = text == NULL ? NULL : slicc_make(parser, sizeof *name);
    if (name != NULL)
        *name = (slicc_name){.text = text, .place = place};
    return name;
}

/* Long chains of names must not cost the square of their length: one text is built and then
 * interned. */
const char *slicc_qualify(slicc_parser *parser, const char *first) {
    if (first == NULL || !slicc_at(parser, SLICC_TOKEN_DOUBLE_COLON))
        return first;
    base_text text = {0};
    base_text_add(&text, first);
    bool good = true;
    while (good && slicc_take(parser, SLICC_TOKEN_DOUBLE_COLON)) {
        good = slicc_at(parser, SLICC_TOKEN_NAME) || slicc_unexpected(parser, "a name after '::'");
        if (!good)
            break;
        base_text_add(&text, "::");
        base_text_add_bytes(&text, parser->token.start, parser->token.length);
        slicc_advance(parser);
    }
    if (text.failed)
        run_out_of_memory(parser);
    const char *name = good && !text.failed ? intern(parser, text.data, text.length) : NULL;
    base_text_free(&text);
    return name;
}

const char *slicc_expect_type(slicc_parser *parser) {
    return slicc_qualify(parser, slicc_expect_name(parser, "the name of a type"));
}

/* ---- Going on after an error. */

slicc_level slicc_level_of(const slicc_parser *parser) {
    return (slicc_level){parser->token.start, parser->braces, parser->parentheses};
}

bool slicc_begins_declaration(slicc_token_kind kind) {
    return kind >= SLICC_TOKEN_PROTOCOL && kind <= SLICC_TOKEN_VOID;
}

/* In a declaration that is being skipped, methods and parameters are no reason to stop. */
static bool stops(const slicc_parser *parser, slicc_level level, bool statement) {
    if (!slicc_at(parser, SLICC_TOKEN_VOID) || statement)
        return slicc_begins_declaration(parser->token.kind);
    return parser->braces <= level.braces && parser->parentheses <= level.parentheses;
}

/* Behind a '}' on the level of what is being skipped: was that its end? The sets of a transition
 * stand in parentheses, and two of its lists may follow each other. */
static bool ends(const slicc_parser *parser, slicc_level level, bool statement) {
    if (statement)
        return !slicc_at(parser, SLICC_TOKEN_ELSE);
    return parser->parentheses <= level.parentheses && !slicc_at(parser, SLICC_TOKEN_OPEN_BRACE);
}

void slicc_recover(slicc_parser *parser, slicc_level level, bool statement) {
    bool done = false;
    while (!done && !slicc_at(parser, SLICC_TOKEN_END) && !stops(parser, level, statement)) {
        const bool outside = parser->braces <= level.braces;
        const bool closes = slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE);
        if (outside && closes)
            break;
        done = outside && slicc_at(parser, SLICC_TOKEN_SEMICOLON);
        slicc_advance(parser);
        if (closes && parser->braces == level.braces)
            done = ends(parser, level, statement);
    }
    parser->braces = level.braces;
    parser->parentheses = level.parentheses;
    if (parser->token.start == level.start)
        slicc_advance(parser);
}

/*
 * Files: where included ones are looked for, and that each is read once. A file is known by its
 * device and inode, whatever the path to it.
 */

struct slicc_file {
    dev_t device;
    ino_t inode;
    const slicc_declaration *machine; /* that it was included in */
    struct slicc_file *next;
};

/* The text and the name are copied: the tree and the report refer to them. */
static slicc_declaration **parse(slicc_parser *parser, const char *text, size_t length,
                                 const char *file, slicc_declaration **end) {
    text = base_skip_bom(text, &length);
    base_arena *arena = &parser->tree->arena;
    const char *name = base_arena_text(arena, file, strlen(file));
    const char *copy = length == 0 ? "" : base_arena_text(arena, text, length);
    if (name == NULL || copy == NULL) {
        parser->out_of_memory = true;
        return end;
    }
    if (parser->main_file == NULL)
        parser->main_file = name;
    slicc_report_source(parser->report, name, copy, length);
    slicc_scan_start(&parser->scanner, copy, length, name, parser->report);
    parser->token_end = slicc_scan_place(&parser->scanner);
    scan(parser);
    return slicc_parse_declarations(parser, end);
}

static slicc_declaration **end_of(slicc_tree *tree) {
    slicc_declaration **end = &tree->declarations;
    while (*end != NULL)
        end = &(*end)->next;
    return end;
}

/* ---- Included files. */

static const struct slicc_file *find_file(const slicc_tree *tree, const struct stat *status) {
    const struct slicc_file *file = tree->files;
    while (file != NULL && (file->device != status->st_dev || file->inode != status->st_ino))
        file = file->next;
    return file;
}

static bool remember_file(slicc_tree *tree, const struct stat *status,
                          const slicc_declaration *machine) {
    struct slicc_file *file = base_arena_take(&tree->arena, sizeof *file);
    if (file == NULL)
        return false;
    *file = (struct slicc_file){
        .device = status->st_dev, .inode = status->st_ino, .machine = machine, .next = tree->files};
    tree->files = file;
    return true;
}

/* The compiler has its own prelude in the place of these. */
static bool is_prelude(const char *name) {
    static const char prefix[] = "RubySlicc_";
    return strncmp(base_path_name(name), prefix, sizeof prefix - 1) == 0;
}

/* `name` as seen from the folder of `file`. */
static bool find_beside(const char *file, const char *name, char path[PATH_MAX],
                        struct stat *status) {
    if (base_path_beside(path, file, name, NULL) != COL_OK) {
        errno = ENAMETOOLONG;
        return false;
    }
    return stat(path, status) == 0;
}

/* The file, or the text that stands for it. */
static col_status read_text(const slicc_tree *tree, const char *path, base_text *text,
                            col_problem *problem) {
    size_t length = 0;
    const char *given =
        tree->overlay == NULL ? NULL : tree->overlay->find(tree->overlay->context, path, &length);
    if (given == NULL)
        return base_file_read(path, text, problem);
    base_text_add_bytes(text, given, length);
    return base_text_status(text, problem);
}

static slicc_declaration **read_included(slicc_parser *parser, slicc_declaration **end,
                                         const char *path, slicc_place place) {
    base_text text = {0};
    col_problem problem;
    const col_status status = read_text(parser->tree, path, &text, &problem);
    slicc_parser inner = {.tree = parser->tree,
                          .report = parser->report,
                          .machine = parser->machine,
                          .main_file = parser->main_file,
                          .include_depth = parser->include_depth + 1};
    if (status == COL_BAD_INPUT)
        slicc_complain(parser->report, place, "%s", problem.message);
    else if (status == COL_OK)
        end = parse(&inner, text.data, text.length, path, end);
    parser->out_of_memory |= status == COL_FAILURE || inner.out_of_memory;
    base_text_free(&text);
    return end;
}

slicc_declaration **slicc_include(slicc_parser *parser, slicc_declaration **end, const char *name,
                                  slicc_place place) {
    char path[PATH_MAX];
    struct stat status;
    if (is_prelude(name))
        return end;
    const bool found = find_beside(parser->scanner.file, name, path, &status) ||
                       find_beside(parser->main_file, name, path, &status);
    const struct slicc_file *known = found ? find_file(parser->tree, &status) : NULL;
    if (!found)
        slicc_complain(parser->report, place, "cannot read the file '%.200s': %s", name,
                       strerror(errno));
    else if (!S_ISREG(status.st_mode) || status.st_size > SLICC_MOST_BYTES)
        slicc_complain(parser->report, place, "'%.200s' is not a file of at most %d MiB", name,
                       SLICC_MOST_BYTES >> 20);
    else if (known != NULL && known->machine != parser->machine)
        slicc_complain(parser->report, place,
                       "'%.200s' was included elsewhere: a file is read once", name);
    else if (known == NULL && parser->include_depth >= SLICC_MOST_INCLUDES)
        slicc_complain(parser->report, place, "files include each other too deeply: %d at most",
                       SLICC_MOST_INCLUDES);
    else if (known == NULL && !remember_file(parser->tree, &status, parser->machine))
        parser->out_of_memory = true;
    else if (known == NULL)
        return read_included(parser, end, path, place);
    return end;
}

/* ---- The entrances. */

col_status slicc_parse_text(slicc_tree *tree, const char *text, size_t length, const char *file,
                            slicc_report *report, col_problem *problem) {
    if (length > SLICC_MOST_BYTES)
        return base_refuse(problem, "%s is larger than %d MiB", file, SLICC_MOST_BYTES >> 20);
    slicc_parser parser = {.tree = tree, .report = report};
    (void)parse(&parser, text, length, file, end_of(tree));
    return parser.out_of_memory ? base_out_of_memory(problem) : COL_OK;
}

col_status slicc_parse_file(slicc_tree *tree, const char *path, slicc_report *report,
                            col_problem *problem) {
    struct stat file;
    if (stat(path, &file) == 0) {
        if (find_file(tree, &file) != NULL)
            return COL_OK;
        if (!remember_file(tree, &file, NULL))
            return base_out_of_memory(problem);
    }
    base_text text = {0};
    col_status status = read_text(tree, path, &text, problem);
    if (status == COL_OK)
        status = slicc_parse_text(tree, text.data, text.length, path, report, problem);
    base_text_free(&text);
    return status;
}

void slicc_tree_free(slicc_tree *tree) {
    base_names_free(&tree->names);
    base_arena_free(&tree->arena);
    *tree = (slicc_tree){0};
}
