/* SPDX-License-Identifier: MIT */
/* Folders, read, compared and copied: see tree.h. */
#include "faults/tree.h"

#include "base/file.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* FOLDER/NAME, or NAME if there is no folder. */
static void join(char path[PATH_SIZE], const char *folder, const char *name) {
    const int length =
        snprintf(path, PATH_SIZE, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", name);
    if (length < 0 || length >= PATH_SIZE)
        abort();
}

static void *must(void *memory) {
    if (memory == NULL)
        abort();
    return memory;
}

/* A number right after one of these, or right before one of those, is a measurement; so is a
 * fraction with as many digits as a clock gives. */
static const char *const before_numbers[] = {"seconds\": ", "seconds\":", " peak ",
                                             "Time SB ",    " time=\"",   NULL};
/* After one of these comes a time of day, up to the quote. */
static const char *const before_times[] = {" timestamp=\"", NULL};
static const char *const after_numbers[] = {" s\n", " s,", " s ", " s;", " s)", NULL};
enum { CLOCK_DIGITS = 14 };

static bool ends_with_one_of(const char *text, size_t length, const char *const *words) {
    for (; *words != NULL; words++) {
        const size_t size = strlen(*words);
        if (length >= size && memcmp(text + length - size, *words, size) == 0)
            return true;
    }
    return false;
}

static bool begins_with_one_of(const char *text, size_t length, const char *const *words) {
    for (; *words != NULL; words++) {
        const size_t size = strlen(*words);
        if (length >= size && memcmp(text, *words, size) == 0)
            return true;
    }
    return false;
}

size_t fault_canonical(char *text, size_t length) {
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        size_t digits = 0;
        if (ends_with_one_of(text, kept, before_times)) {
            for (text[kept++] = '#'; i < length && text[i] != '"';)
                i++;
            continue;
        }
        while (i + digits < length && strchr("0123456789.e-+", text[i + digits]) != NULL &&
               text[i + digits] != '\0')
            digits++;
        const bool is_fraction = digits >= CLOCK_DIGITS && memchr(text + i, '.', digits) != NULL;
        if (digits > 0 &&
            (is_fraction || ends_with_one_of(text, kept, before_numbers) ||
             begins_with_one_of(text + i + digits, length - i - digits, after_numbers))) {
            text[kept++] = '#';
            i += digits;
            continue;
        }
        do
            text[kept++] = text[i++];
        while (digits-- > 1);
    }
    return kept;
}

/* Columns of a store that differ from run to run. */
static bool is_volatile(const char *column) {
    static const char *const names[] = {"id",        "campaign", "pid",  "pid_started", "started",
                                        "heartbeat", "ended",    "host", "machine",     "since",
                                        "curve",     "trial",    NULL};
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(column, names[i]) == 0)
            return true;
    return strstr(column, "seconds") != NULL;
}

static int order_rows(const void *one, const void *other) {
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static void add_row(fault_file *file, uint64_t hash) {
    file->rows = must(realloc(file->rows, (file->row_count + 1) * sizeof *file->rows));
    file->rows[file->row_count++] = hash;
}

/* A trial that failed is a row of its own kind: that it failed is the truth about it. */
static void read_row(fault_file *file, const char *table, sqlite3_stmt *statement) {
    base_text row = {0};
    bool has_failed = false;
    base_text_add(&row, table);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *value = (const char *)sqlite3_column_text(statement, i);
        if (is_volatile(sqlite3_column_name(statement, i)))
            continue;
        has_failed = has_failed || (strcmp(sqlite3_column_name(statement, i), "status") == 0 &&
                                    value != NULL && strcmp(value, "failed") == 0);
        base_text_print(&row, "|%s=", sqlite3_column_name(statement, i));
        base_text_add_bytes(&row, value == NULL ? "" : value,
                            (size_t)sqlite3_column_bytes(statement, i));
    }
    const size_t length = fault_canonical(row.data, row.length);
    if (!has_failed)
        add_row(file, XXH3_64bits(row.data, length));
    base_text_free(&row);
}

static bool each_row(sqlite3 *database, const char *sql, fault_file *file, const char *table) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        read_row(file, table, statement);
    return sqlite3_finalize(statement) == SQLITE_OK && code == SQLITE_OK;
}

static bool is_sound(sqlite3 *database) {
    sqlite3_stmt *statement = NULL;
    const bool sound =
        sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    (void)sqlite3_finalize(statement);
    return sound;
}

/* False: it is damaged. */
static bool read_rows(fault_file *file, const char *name, int flags) {
    sqlite3 *database = NULL;
    sqlite3_stmt *tables = NULL;
    bool sound = sqlite3_open_v2(name, &database, flags, NULL) == SQLITE_OK && is_sound(database) &&
                 sqlite3_prepare_v2(database,
                                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name "
                                    "NOT LIKE 'sqlite_%' AND name NOT IN ('claims', 'campaigns')",
                                    -1, &tables, NULL) == SQLITE_OK;
    while (sound && sqlite3_step(tables) == SQLITE_ROW) {
        char sql[256];
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        (void)snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
        sound = each_row(database, sql, file, table);
    }
    (void)sqlite3_finalize(tables);
    (void)sqlite3_close(database);
    if (file->row_count > 0)
        qsort(file->rows, file->row_count, sizeof *file->rows, order_rows);
    return sound;
}

/* First as if it were all that there is, then with its journal, which is rolled back as by whoever
 * opens the store next. */
static void read_store(fault_file *file, const char *path) {
    fault_file alone = {0};
    char uri[PATH_SIZE + 32];
    (void)snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    const bool is_sound_alone = read_rows(&alone, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    file->is_broken = !read_rows(file, path, SQLITE_OPEN_READWRITE);
    file->needs_log =
        !is_sound_alone || alone.row_count != file->row_count || !fault_file_within(&alone, file);
    free(alone.rows);
}

static bool has_ending(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

/* The record of an episode that the machine ended, of a campaign that did not do all, or of a test
 * that could be smaller is whole and says so. */
static bool tells_of_failure(const base_text *text) {
    json_t *record = json_loadb(text->data, text->length, 0, NULL);
    const char *end = json_string_value(json_object_get(record, "ended_by"));
    const char *verdict = json_string_value(json_object_get(record, "verdict"));
    const bool tells = (end != NULL && strcmp(end, "failure") == 0) ||
                       (verdict != NULL && strcmp(verdict, "incomplete") == 0) ||
                       json_integer_value(json_object_get(record, "failed")) > 0 ||
                       json_is_false(json_object_get(record, "minimal")) ||
                       json_is_true(json_object_get(record, "stopped"));
    json_decref(record);
    return tells;
}

static bool is_whole(const char *path, const base_text *text) {
    if (has_ending(path, ".trace"))
        return true; /* bytes: whoever reads them notices */
    if (!has_ending(path, ".json"))
        return text->data[text->length - 1] == '\n';
    json_t *value = json_loadb(text->data, text->length, 0, NULL);
    json_decref(value);
    return value != NULL;
}

static void read_text(fault_file *file, const char *path) {
    base_text text = {0};
    col_problem problem;
    if (base_file_read(path, &text, &problem) != COL_OK)
        abort();
    file->size = text.length;
    if (text.length > 0) {
        file->is_whole = is_whole(path, &text);
        file->tells_of_failure = tells_of_failure(&text);
        file->is_ended = text.length > 4 && strcmp(text.data + text.length - 4, "end\n") == 0;
        file->hash = XXH3_64bits(text.data, fault_canonical(text.data, text.length));
    }
    base_text_free(&text);
}

static void add_file(fault_tree *tree, const char *folder, const char *below) {
    char path[PATH_SIZE];
    struct stat status;
    fault_file file = {.path = must(strdup(below))};
    join(path, folder, below);
    file.is_store = has_ending(below, ".db");
    if (!file.is_store && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        read_text(&file, path);
    tree->files = must(realloc(tree->files, (tree->count + 1) * sizeof *tree->files));
    tree->files[tree->count++] = file;
}

/* Calls `act` for every file; folders themselves count for nothing. */
static void walk(const char *folder, const char *below,
                 void (*act)(void *context, const char *folder, const char *below), void *context) {
    char path[PATH_SIZE];
    join(path, folder, below);
    DIR *stream = opendir(path);
    if (stream == NULL)
        abort();
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        char inner[PATH_SIZE];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        join(inner, below, entry->d_name);
        if (entry->d_type == DT_DIR)
            walk(folder, inner, act, context);
        act(context, folder, inner);
    }
    (void)closedir(stream);
}

static bool is_folder(const char *folder, const char *below) {
    char path[PATH_SIZE];
    struct stat status;
    join(path, folder, below);
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void take_file(void *context, const char *folder, const char *below) {
    if (!is_folder(folder, below))
        add_file(context, folder, below);
}

static int order_files(const void *one, const void *other) {
    return strcmp(((const fault_file *)one)->path, ((const fault_file *)other)->path);
}

void fault_tree_read(fault_tree *tree, const char *folder) {
    *tree = (fault_tree){0};
    walk(folder, "", take_file, tree);
    for (size_t i = 0; i < tree->count; i++) { /* last: SQLite may remove what is beside them */
        char path[PATH_SIZE];
        join(path, folder, tree->files[i].path);
        if (tree->files[i].is_store)
            read_store(&tree->files[i], path);
    }
    if (tree->count > 0)
        qsort(tree->files, tree->count, sizeof *tree->files, order_files);
}

const fault_file *fault_tree_find(const fault_tree *tree, const char *path) {
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->files[i].path, path) == 0)
            return &tree->files[i];
    return NULL;
}

bool fault_file_equal(const fault_file *one, const fault_file *other) {
    if (one->is_store || other->is_store)
        return one->is_store && other->is_store && one->row_count == other->row_count &&
               fault_file_within(one, other);
    return one->hash == other->hash;
}

bool fault_file_within(const fault_file *part, const fault_file *whole) {
    size_t place = 0;
    for (size_t i = 0; i < part->row_count; i++) {
        while (place < whole->row_count && whole->rows[place] < part->rows[i])
            place++;
        if (place == whole->row_count || whole->rows[place] != part->rows[i])
            return false;
        place++;
    }
    return true;
}

void fault_tree_free(fault_tree *tree) {
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->files[i].path);
        free(tree->files[i].rows);
    }
    free(tree->files);
    *tree = (fault_tree){0};
}

/* The folders above a path. */
static void make_parents(const char *path) {
    char part[PATH_SIZE];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            abort();
    }
}

static void copy_entry(void *context, const char *folder, const char *below) {
    const char *const *to = context;
    char from[PATH_SIZE], target[PATH_SIZE];
    join(from, folder, below);
    join(target, *to, below);
    make_parents(target);
    if (is_folder(folder, below)) {
        (void)mkdir(target, 0777); /* there already, unless it is empty */
        return;
    }
    base_text text = {0};
    col_problem problem;
    const int file = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || base_file_read(from, &text, &problem) != COL_OK ||
        (text.length > 0 && write(file, text.data, text.length) != (ssize_t)text.length) ||
        close(file) != 0)
        abort();
    base_text_free(&text);
}

void fault_folder_copy(const char *from, const char *to) {
    (void)mkdir(to, 0777);
    walk(from, "", copy_entry, &to);
}

static void remove_entry(void *context, const char *folder, const char *below) {
    char path[PATH_SIZE];
    (void)context;
    join(path, folder, below);
    if (remove(path) != 0)
        abort();
}

void fault_folder_remove(const char *folder) {
    struct stat status;
    if (lstat(folder, &status) != 0)
        return;
    walk(folder, "", remove_entry, NULL);
    if (rmdir(folder) != 0)
        abort();
}
