/* SPDX-License-Identifier: MIT */
/*
 * No lines of a peer make the reader of the serve protocol crash: a description that it accepts is
 * one that every design's must be, and events are about what the program and the design have.
 */
#include "design/serve/serve_line.h"
#include "fuzz.h"

static const char program_text[] = "collider program 1\n"
                                   "location a0 0x00000040\n"
                                   "location a1 0x00000080\n"
                                   "thread 0\nstore a0 1\nload a1\nfence\n"
                                   "thread 1\nstore a1 2\nawait a0 1\nswap a0 3\nadd a1 4\nend\n";

static void check_event(const duv_hearing *h) {
    const col_event *e = &h->event;
    const col_duv_description *d = h->description;
    require((unsigned)e->kind < COL_EVENT_KINDS);
    if (e->kind == COL_FINAL_VALUE) {
        require(e->location < h->program->location_count);
    } else if (e->kind == COL_TRANSITION) {
        require(e->machine < d->machine_count && d->names != NULL);
        require(e->controller < d->machines[e->machine].controllers);
        require(e->state < d->names[e->machine].state_count);
        require(e->next_state < d->names[e->machine].state_count);
        require(e->event < d->names[e->machine].event_count);
    } else if (e->kind == COL_EVICTION) {
        require(e->core < d->cores);
    } else {
        require(e->operation < col_program_operations(h->program));
        require(e->core < h->program->thread_count);
        const col_kind_traits *traits = &col_kinds[h->program->operations[e->operation].kind];
        require(e->kind == COL_STORE_PERFORMED || e->kind == COL_STORE_MERGED ? traits->writes
                                                                              : traits->reads);
    }
}

/* Returns what comes behind the line. */
static char *cut_line(char *line) {
    char *end = strchr(line, '\n');
    if (end == NULL)
        return line + strlen(line);
    *end = '\0';
    return end + 1;
}

static void hear(duv_hearing *h, char *line) {
    for (char *next; *line != '\0'; line = next) {
        next = cut_line(line);
        const duv_said said = duv_hearing_line(h, line);
        if (said == DUV_SAID_EVENT)
            check_event(h);
        if (said == DUV_SAID_WRONG)
            require(h->run.message[0] != '\0' && base_is_utf8(h->run.message));
        if (said == DUV_SAID_END) {
            require((unsigned)h->run.end < COL_RUN_END_COUNT && base_is_utf8(h->run.message));
            duv_hearing_begin(h);
        }
    }
}

/* The lines up to "end" describe, those behind it tell of instances. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_program program = COL_PROGRAM_EMPTY;
    enum { MOST_POINTS = 1 << 16 };
    base_text text = {0};
    duv_copy copy = {.machines = NULL};
    col_problem problem = {.message = ""};
    char *bytes = malloc(size + 1);
    require(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    bytes[size] = '\0';
    char *end = strstr(bytes, "\nend\n");
    base_text_add_bytes(&text, bytes, end == NULL ? strlen(bytes) : (size_t)(end - bytes) + 1);
    require(base_text_status(&text, NULL) == COL_OK);
    if (program.thread_count == 0)
        require(col_program_read(&program, program_text, strlen(program_text), "", NULL) == COL_OK);
    const col_status status = duv_serve_describe(&text, &copy, &problem);
    require_sentence(status, &problem);
    if (status == COL_OK && col_duv_functional_count(&copy.description) < MOST_POINTS) {
        const col_duv_description *d = &copy.description;
        require(duv_check_description(d, &problem) == COL_OK);
        uint64_t *hits = calloc(col_duv_functional_count(d) + 1, sizeof *hits);
        duv_hearing hearing = {.description = d, .hits = hits};
        require(hits != NULL && duv_hearing_load(&hearing, &program, NULL) == COL_OK);
        duv_hearing_begin(&hearing);
        hear(&hearing, end == NULL ? bytes + strlen(bytes) : end + 5);
        duv_hearing_free(&hearing);
        free(hits);
    }
    duv_copy_free(&copy);
    base_text_free(&text);
    free(bytes);
    return 0;
}
