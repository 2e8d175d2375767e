/* SPDX-License-Identifier: MIT */
/*
 * What the state of a model consists of, by the headers that Verilator wrote: an object for each
 * instance of a module, as members of Vdesign__Syms. They can be copied as bytes if each of their
 * members is a signal or an array of such; a model with anything else, such as a queue, cannot.
 */
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "design/verilog/verilog_build.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 1024 };

/* The first word of a line; returns what is behind it. One that is too long is nothing we know. */
static const char *take_word(const char *at, char word[WORD]) {
    at += strspn(at, " ");
    const size_t length = strcspn(at, " <(/;\n");
    (void)snprintf(word, WORD, "%.*s", (int)length, length < WORD ? at : "too long");
    return at + length;
}

/* A declaration of signals, or of nothing that changes. */
static bool is_plain(const char *line) {
    static const char *const types[] = {"",       "CData", "SData",  "IData",
                                        "QData",  "EData", "VlWide", "VlTriggerVec",
                                        "double", "bool",  "struct", "}"};
    char word[WORD];
    line = take_word(line, word);
    const size_t length = strlen(word);
    while (strcmp(word, "VlUnpacked") == 0 && *line == '<')
        line = take_word(line + 1, word);
    if (strncmp(word, "VL_IN", 5) == 0 || strncmp(word, "VL_OUT", 6) == 0)
        return strncmp(word, "VL_INOUT", 8) != 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (strcmp(word, types[t]) == 0)
            return true;
    /* Constants, and the instances inside, which are elsewhere. */
    return strcmp(word, "static") == 0 ||
           (strncmp(word, "Vdesign_", 8) == 0 && word[length - 1] == '*');
}

/* The members of a module, from one comment to the other. */
static bool has_plain_members(const char *header) {
    const char *line = strstr(header, "// DESIGN SPECIFIC STATE\n");
    const char *end = line == NULL ? NULL : strstr(line, "// INTERNAL VARIABLES\n");
    for (; end != NULL && line < end; line = strchr(line, '\n') + 1)
        if (!is_plain(line))
            return false;
    return end != NULL;
}

static col_status read_header(const char *folder, const char *module, base_text *header,
                              col_problem *problem) {
    char path[PATH_MAX], name[WORD + 4];
    (void)snprintf(name, sizeof name, "%s.h", module);
    BASE_TRY(base_path_in(path, folder, name, problem));
    BASE_TRY(base_file_read(path, header, problem));
    return base_text_status(header, problem);
}

static col_status check_module(const char *folder, const char *module, bool *is_good,
                               col_problem *problem) {
    base_text header = {0};
    const col_status status = read_header(folder, module, &header, problem);
    *is_good = status == COL_OK && header.data != NULL && has_plain_members(header.data);
    base_text_free(&header);
    return status;
}

col_status duv_verilog_state(const char *folder, base_text *source, col_problem *problem) {
    static const char begin[] = "// MODULE INSTANCE STATE\n";
    base_text pieces = {0}, symbols = {0};
    col_status status = read_header(folder, "Vdesign__Syms", &symbols, problem);
    const char *line = symbols.data == NULL ? NULL : strstr(symbols.data, begin);
    bool is_good = line != NULL;
    for (line = is_good ? line + sizeof begin - 1 : NULL;
         is_good && status == COL_OK && *line != '\n' && *line != '\0';
         line += strcspn(line, "\n") + 1) {
        char module[WORD], instance[WORD];
        const char *rest = take_word(take_word(line, module), instance);
        is_good = strncmp(module, "Vdesign_", 8) == 0 && *rest == ';';
        if (is_good)
            status = check_module(folder, module, &is_good, problem);
        base_text_print(&pieces, "{&all->%s, sizeof all->%s}, ", instance, instance);
    }
    if (is_good && status == COL_OK)
        base_text_print(source,
                        "    static std::vector<collider::piece> pieces(model &m) {\n"
                        "        Vdesign__Syms *const all = m.rootp->vlSymsp;\n"
                        "        return {%s};\n    }\n",
                        pieces.data);
    if (status == COL_OK)
        status = base_text_status(&pieces, problem);
    base_text_free(&pieces);
    base_text_free(&symbols);
    return status;
}
