/* SPDX-License-Identifier: MIT */
/* The format of packs, and what is refused: see pack.h. */
#include "episode/failure/pack.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "design/design_files.h"
#include "design/design_kind.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT = 1, MOST_NAME = 512, MOST_DEPTH = 32 };
/* A design's files, a failure's own, and a little. */
enum { MOST_FILES = DUV_MOST_FILES + 64, MOST_BYTES = DUV_MOST_BYTES + (64 << 20) };

static const char *const needed[EPI_PACK_FILES] = {"failure.json", "program.txt"};

void epi_pack_free(epi_pack *pack) {
    for (size_t i = 0; i < pack->count; i++) {
        free(pack->files[i].name);
        free(pack->files[i].bytes);
    }
    free(pack->files);
    *pack = (epi_pack){0};
}

void epi_pack_empty(epi_pack *pack) {
    for (size_t i = 0; i < pack->count; i++) {
        free(pack->files[i].bytes);
        pack->files[i].bytes = NULL;
        pack->files[i].length = 0;
    }
    pack->bytes = 0;
}

/* ---- Adding, and what names and sizes may be. */

/* Each part of the name is that of a file or folder; files but the failure's own are in a folder.
 */
static bool is_name(const char *name) {
    const size_t length = strlen(name);
    int depth = 0;
    if (length == 0 || length > MOST_NAME || !base_is_utf8(name))
        return false;
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == '\x7f' || *at == '\\')
            return false;
    for (const char *at = name;; depth++) {
        const size_t part = strcspn(at, "/");
        if (part == 0 || part > NAME_MAX || (part == 1 && at[0] == '.') ||
            (part == 2 && at[0] == '.' && at[1] == '.'))
            return false;
        if (at[part] == '\0')
            break;
        at += part + 1;
    }
    return depth > 0 ? depth < MOST_DEPTH && strncmp(name, EPI_PARTS "/", sizeof EPI_PARTS) == 0
                     : strcmp(name, needed[0]) == 0 || strcmp(name, needed[1]) == 0;
}

/* The same file, or one of them would be a folder of the other. */
static bool is_in_the_way(const char *a, const char *b) {
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    return (a[same] == '\0' && (b[same] == '\0' || b[same] == '/')) ||
           (b[same] == '\0' && a[same] == '/');
}

static col_status check_file(const epi_pack *pack, const char *name, size_t length,
                             col_problem *problem) {
    char shown[100];
    base_sentence(shown, sizeof shown, "%s", name);
    base_make_printable(shown, false);
    if (!is_name(name))
        return base_refuse(problem, "'%s' is not a name that a pack can have", shown);
    for (size_t i = 0; i < pack->count; i++)
        if (is_in_the_way(pack->files[i].name, name))
            return base_refuse(problem, "the file '%s' is there twice", shown);
    if (pack->count == MOST_FILES || length > MOST_BYTES - pack->bytes)
        return base_refuse(problem, "a pack has at most %d files and %d MiB", MOST_FILES,
                           MOST_BYTES >> 20);
    return COL_OK;
}

col_status epi_pack_add(epi_pack *pack, const char *name, base_text *bytes, col_problem *problem) {
    epi_pack_file file = {.length = bytes->length};
    base_text_add_bytes(bytes, "", 1);
    col_status status = base_text_status(bytes, problem);
    BASE_THEN(status, check_file(pack, name, file.length, problem));
    BASE_THEN(status, base_reserve(&pack->files, &pack->capacity, pack->count + 1,
                                   sizeof *pack->files, problem));
    if (status == COL_OK && (file.name = strdup(name)) == NULL)
        status = base_out_of_memory(problem);
    if (status != COL_OK) {
        base_text_free(bytes);
        return status;
    }
    file.bytes = bytes->data;
    pack->bytes += file.length;
    pack->files[pack->count++] = file;
    return COL_OK;
}

/* ---- Hashes, which notice damage; whoever wants to deceive can make them. */

static void find_hash(const epi_pack *pack, size_t from, char hash[DUV_HASH]) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (size_t i = from; i < pack->count; i++) {
        duv_key_add(&state, pack->files[i].name, strlen(pack->files[i].name));
        duv_key_add(&state, pack->files[i].bytes, pack->files[i].length);
    }
    duv_key_spell(&state, hash);
}

void epi_pack_parts_hash(const epi_pack *pack, char hash[EPI_PARTS_HASH]) {
    _Static_assert((int)EPI_PARTS_HASH == (int)DUV_HASH, "both are 128 bits");
    find_hash(pack, EPI_PACK_FILES, hash);
}

/* ---- Writing. */

static bool is_text(const epi_pack_file *file) {
    return strlen(file->bytes) == file->length && base_is_utf8(file->bytes);
}

/* What is not UTF-8 is written in hexadecimal. */
static json_t *describe_file(const epi_pack_file *file) {
    if (is_text(file))
        return json_pack("{s:s, s:s#}", "name", file->name, "text", file->bytes, (int)file->length);
    char *digits = malloc(2 * file->length + 1), *at = digits;
    for (size_t i = 0; digits != NULL && i < file->length; i++)
        at = base_put_hexadecimal(at, (unsigned char)file->bytes[i], 2);
    json_t *bytes = digits == NULL ? NULL : json_stringn(digits, (size_t)(at - digits));
    free(digits);
    return json_pack("{s:s, s:o}", "name", file->name, "bytes", bytes);
}

col_status epi_pack_write(const epi_pack *pack, const char *path, col_problem *problem) {
    char hash[DUV_HASH];
    json_t *files = json_array();
    find_hash(pack, 0, hash);
    for (size_t i = 0; i < pack->count; i++)
        base_json_append(&files, describe_file(&pack->files[i]));
    return base_json_write(path,
                           json_pack("{s:i, s:s, s:s, s:o}", "pack", FORMAT, "collider",
                                     col_version(), "hash", hash, "files", files),
                           problem);
}

/* ---- Reading. */

bool epi_is_pack(const char *path) {
    char first[64];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) /* a pipe can be read only once */
        return false;
    FILE *file = fopen(path, "rb");
    const size_t length = file == NULL ? 0 : fread(first, 1, sizeof first - 1, file);
    if (file != NULL)
        (void)fclose(file);
    first[length] = '\0';
    return first[strspn(first, " \t\r\n")] == '{';
}

static col_status refuse(const char *path, col_problem *problem, const char *what) {
    return base_refuse_at(problem, path, 1, 1, "this is not a pack: %s", what);
}

static col_status take_bytes(const char *digits, base_text *bytes, bool *is_good) {
    uint64_t byte;
    while (*is_good && *digits != '\0') {
        *is_good = base_take_hexadecimal(&digits, 2, &byte);
        const char one = (char)byte;
        if (*is_good)
            base_text_add_bytes(bytes, &one, 1);
    }
    return COL_OK;
}

static col_status read_file(epi_pack *pack, const json_t *described, const char *path,
                            col_problem *problem) {
    const char *name = json_string_value(json_object_get(described, "name"));
    const json_t *text = json_object_get(described, "text");
    const char *digits = json_string_value(json_object_get(described, "bytes"));
    base_text bytes = {0};
    bool is_good = name != NULL && json_is_string(text) != (digits != NULL);
    if (is_good && digits != NULL)
        take_bytes(digits, &bytes, &is_good);
    else if (is_good)
        base_text_add_bytes(&bytes, json_string_value(text), json_string_length(text));
    if (!is_good) {
        base_text_free(&bytes);
        return refuse(path, problem, "each of its files has a name, and text or bytes");
    }
    const col_status status = epi_pack_add(pack, name, &bytes, problem);
    if (status == COL_BAD_INPUT) {
        const col_problem why = *problem;
        return refuse(path, problem, why.message);
    }
    return status;
}

static bool has_file(const epi_pack *pack, const char *name) {
    for (size_t i = 0; i < pack->count; i++)
        if (strcmp(pack->files[i].name, name) == 0)
            return true;
    return false;
}

/* What failure.json names as a file is in the pack. */
static bool names_own_files(const epi_pack *pack, const json_t *failure) {
    const char *design = json_string_value(json_object_get(failure, "design"));
    const char *errors = json_string_value(json_object_get(failure, "error"));
    bool is_own = design != NULL && json_object_get(failure, "design_bytes") == NULL &&
                  json_object_get(failure, "error_bytes") == NULL &&
                  (!duv_kind_of(design)->is_file || has_file(pack, design));
    for (size_t length; is_own && errors != NULL;
         errors = errors[length] == '\0' ? NULL : errors + length + 1) {
        char name[MOST_NAME + 1];
        length = duv_error_length(errors);
        if (snprintf(name, sizeof name, "%.*s", (int)length, errors) >= (int)sizeof name)
            is_own = errors[0] == '{'; /* an edit */
        else
            is_own = !duv_error_is_file(name) || has_file(pack, name);
    }
    return is_own;
}

static col_status check_failure(const epi_pack *pack, const char *path, col_problem *problem) {
    json_t *failure = NULL;
    for (int i = 0; i < EPI_PACK_FILES; i++)
        if (pack->count <= (size_t)i || strcmp(pack->files[i].name, needed[i]) != 0)
            return refuse(path, problem, "it begins with failure.json and program.txt");
    BASE_TRY(base_json_parse(pack->files[0].bytes, pack->files[0].length, path, &failure, problem));
    const bool is_own = names_own_files(pack, failure);
    json_decref(failure);
    return is_own ? COL_OK : refuse(path, problem, "its design or error is a file that it lacks");
}

static col_status read_all(epi_pack *pack, const json_t *root, const char *path,
                           col_problem *problem) {
    const json_t *format = json_object_get(root, "pack"), *files = json_object_get(root, "files");
    const char *hash = json_string_value(json_object_get(root, "hash"));
    char found[DUV_HASH];
    size_t i;
    json_t *file;
    if (!json_is_integer(format))
        return refuse(path, problem, "it has no number of a format");
    if (json_integer_value(format) != FORMAT)
        return base_refuse_at(problem, path, 1, 1,
                              "this pack has format %lld, and this version of Collider reads "
                              "format %d",
                              (long long)json_integer_value(format), FORMAT);
    if (hash == NULL || !json_is_array(files))
        return refuse(path, problem, "it has no hash, or no list of files");
    json_array_foreach(files, i, file) BASE_TRY(read_file(pack, file, path, problem));
    find_hash(pack, 0, found);
    if (strcmp(found, hash) != 0)
        return base_refuse_at(problem, path, 1, 1,
                              "this pack is damaged: its files do not have its hash");
    return check_failure(pack, path, problem);
}

col_status epi_pack_parse(epi_pack *pack, const char *text, size_t length, const char *path,
                          col_problem *problem) {
    json_t *root = NULL;
    BASE_TRY(base_json_parse(text, length, path, &root, problem));
    const col_status status = read_all(pack, root, path, problem);
    json_decref(root);
    return status;
}

col_status epi_pack_read(epi_pack *pack, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read_regular(path, &text, problem);
    BASE_THEN(status,
              epi_pack_parse(pack, text.data == NULL ? "" : text.data, text.length, path, problem));
    base_text_free(&text);
    return status;
}
