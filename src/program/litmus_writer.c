/* SPDX-License-Identifier: MIT */
/*
 * Writing litmus tests. An add counts in the upper half of a word; here it adds its value times a
 * power of ten that is larger than all that is in lower halves, so that words stay apart, and
 * readable: an add of 2 to the 5 of a store makes 25, or 205.
 */
#include "program/litmus_writer.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NO_REGISTER = -1,
    NAMED_LOCATIONS = 12,
    LOCATION_NAME = 16,
};

/* What the file says about itself, a set: rows X(NAME, sentence). */
#define NOTES(X)                                                                                   \
    X(STRONGER, "A fence orders more than in the program: there is no weaker instruction.")        \
    X(NO_FENCE,                                                                                    \
      "Fences that order no write before a read are left out: the order is kept anyway.")          \
    X(NO_DEPENDENCY, "Dependencies are left out: the order is kept anyway.")                       \
    X(NO_FLUSH, "Flushes are left out.")                                                           \
    X(NO_DELAY, "Delays are left out.")                                                            \
    X(PSEUDO, "sd.rl is for herd7; assemblers do not have it.")                                    \
    X(LOOP, "A loop waits for a value; herd7 unrolls it.")                                         \
    X(ATOMIC, "A release that an acquire comes after is an atomic, and orders more.")              \
    X(FLUSH, "To herd7 a flush orders more: it keeps a write before later reads.")                 \
    X(NO_FETCH, "Instruction fetches are left out.")                                               \
    X(NO_PREFETCH, "Prefetches are left out.")
#define NOTE(name, sentence) PLACE_##name,
enum { NOTES(NOTE) };
#define SENTENCE(name, sentence) sentence,
static const char *const notes[] = {NOTES(SENTENCE)};
#define NOTED(name) (UINT32_C(1) << PLACE_##name)

typedef struct cells {
    base_text text;
    uint32_t lines;
    int width;
    const char *next; /* to be written */
} cells;

/* A location in a thread, and in the test. */
typedef struct named {
    int address; /* register that has it */
    bool is_used;
} named;

typedef struct writer {
    const col_program *program;
    const prg_litmus_isa *isa;
    const prg_litmus *about;
    uint64_t unit;  /* what an add of 1 adds */
    int *registers; /* by operation: of the read */
    named *locations;
    int next_register; /* of this thread */
    int constant, scratch;
    uint32_t next_label;
    uint32_t notes;
    cells *threads;
    base_text initial; /* registers */
    base_arena arena;  /* of the arrays */
    col_problem *problem;
} writer;

/* What the letters of a template stand for. */
typedef struct filling {
    const char *read, *address, *constant, *source, *scratch;
    uint64_t number;
    uint32_t label;
} filling;

/* ---- Names and words. */

/* Names as litmus tests have them; further ones must be no registers either. */
static const char *name_location(uint32_t location, char name[LOCATION_NAME]) {
    if (location < NAMED_LOCATIONS)
        (void)snprintf(name, LOCATION_NAME, "%c", "xyzwabcdefgh"[location]);
    else
        (void)snprintf(name, LOCATION_NAME, "l%" PRIu32, location);
    return name;
}

static bool has_word(const prg_litmus *about, uint32_t operation) {
    return about->words != NULL && about->has_word != NULL && about->has_word[operation];
}

static bool has_final(const prg_litmus *about, uint32_t location) {
    return about->finals != NULL && about->has_final != NULL && about->has_final[location];
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* From Collider's word, or what an operation brings, to the number in the litmus test. */
static col_status translate(const writer *w, uint64_t word, uint64_t *number) {
    const uint64_t upper = word >> 32, lower = word & UINT32_MAX;
    if (upper > ((uint64_t)INT64_MAX - lower) / w->unit)
        return base_refuse(w->problem, "the value 0x%" PRIx64 " is too large for a litmus test",
                           word);
    *number = upper * w->unit + lower;
    return COL_OK;
}

/* Adds must not carry out of the upper half: the litmus test has no halves. */
static col_status check_sum(const writer *w) {
    uint64_t sum = 0, ignored;
    for (uint32_t o = 0; o < col_program_operations(w->program); o++)
        if (w->program->operations[o].kind == COL_ADD)
            sum += col_program_operand(w->program, &w->program->operations[o]) >> 32;
    if (sum > UINT32_MAX)
        return base_refuse(w->problem, "the sum of all adds is too large for a litmus test");
    return translate(w, sum << 32 | (w->unit - 1 > UINT32_MAX ? UINT32_MAX : w->unit - 1),
                     &ignored);
}

/* ---- Registers. */

static col_status take_register(writer *w, uint32_t thread, int *taken) {
    const char *const *names = w->isa->registers;
    if (w->next_register == PRG_LITMUS_REGISTERS || names[w->next_register] == NULL)
        return base_refuse(w->problem,
                           "thread %" PRIu32 " needs more than the %d registers of this kind of "
                           "litmus test",
                           thread, w->next_register);
    *taken = w->next_register++;
    return COL_OK;
}

static col_status take_once(writer *w, uint32_t thread, int *taken) {
    return *taken != NO_REGISTER ? COL_OK : take_register(w, thread, taken);
}

static const char *name_of(const writer *w, int taken) {
    return taken == NO_REGISTER ? "" : w->isa->registers[taken];
}

/* ---- Instructions. */

static void end_line(cells *thread, size_t start) {
    const int width = (int)(thread->text.length - start);
    thread->width = width > thread->width ? width : thread->width;
    thread->lines++;
    base_text_add(&thread->text, "\n");
}

static void fill_in(base_text *text, char letter, const filling *f) {
    static const char letters[] = "dacrt";
    const char *const names[] = {f->read, f->address, f->constant, f->source, f->scratch};
    const char *found = strchr(letters, letter);
    if (found != NULL)
        base_text_add(text, names[found - letters]);
    else if (letter == 'n')
        base_text_number(text, f->number);
    else
        base_text_print(text, "L%" PRIu32, f->label);
}

static void emit(writer *w, uint32_t thread, const char *template, const filling *f) {
    cells *to = &w->threads[thread];
    size_t start = to->text.length;
    for (const char *c = template; *c != '\0'; c++) {
        if (*c == '\n') {
            end_line(to, start);
            start = to->text.length;
        } else if (*c == '@') {
            fill_in(&to->text, *++c, f);
        } else {
            base_text_add_bytes(&to->text, c, 1);
        }
    }
    end_line(to, start);
}

/* A register that holds the location's address from the start. */
static col_status take_address(writer *w, uint32_t thread, uint32_t location) {
    int *const taken = &w->locations[location].address;
    char name[LOCATION_NAME];
    if (*taken != NO_REGISTER)
        return COL_OK;
    BASE_TRY(take_register(w, thread, taken));
    base_text_print(&w->initial, " %" PRIu32 ":%s=%s;", thread, name_of(w, *taken),
                    name_location(location, name));
    return COL_OK;
}

/* What an operation brings or waits for, in the register of constants, or, if no instruction can
 * bring it there, in one of its own from the start. */
static col_status emit_constant(writer *w, uint32_t thread, filling *f) {
    if (w->isa->constant == NULL) {
        if (f->number > w->isa->largest_immediate)
            return base_refuse(w->problem,
                               "the number %" PRIu64
                               " is too large for an instruction of this kind "
                               "of litmus test",
                               f->number);
        return COL_OK;
    }
    int own = NO_REGISTER;
    const bool is_large = f->number > w->isa->largest_immediate;
    int *const taken = is_large ? &own : &w->constant;
    BASE_TRY(take_once(w, thread, taken));
    f->constant = name_of(w, *taken);
    if (is_large)
        base_text_print(&w->initial, " uint64_t %" PRIu32 ":%s=%" PRIu64 ";", thread, f->constant,
                        f->number);
    else
        emit(w, thread, w->isa->constant, f);
    return COL_OK;
}

/* Dependencies go before the operation: through an exclusive or with itself, or a branch to the
 * operation. */
static col_status emit_dependency(writer *w, uint32_t thread, uint32_t index, filling *f) {
    const col_operation *operation = &w->program->operations[index];
    const char *const templates[COL_DEPENDENCY_COUNT] = {NULL, w->isa->address, w->isa->data,
                                                         w->isa->control};
    if (operation->dependency == COL_NO_DEPENDENCY)
        return COL_OK;
    if (templates[operation->dependency] == NULL) {
        w->notes |= NOTED(NO_DEPENDENCY);
        return COL_OK;
    }
    f->source = name_of(w, w->registers[index - operation->distance]);
    if (operation->dependency == COL_CONTROL) {
        f->label = w->next_label++;
    } else {
        BASE_TRY(take_once(w, thread, &w->scratch));
        f->scratch = name_of(w, w->scratch);
    }
    emit(w, thread, templates[operation->dependency], f);
    if (operation->dependency == COL_ADDRESS)
        f->address = f->scratch;
    return COL_OK;
}

static void emit_fence(writer *w, uint32_t thread, uint8_t pairs) {
    const filling nothing = {0};
    if (w->isa->fences[pairs] == NULL) {
        w->notes |= NOTED(NO_FENCE);
        return;
    }
    if ((w->isa->stronger_fences >> pairs & 1) != 0)
        w->notes |= NOTED(STRONGER);
    emit(w, thread, w->isa->fences[pairs], &nothing);
}

static bool comes_before_acquire(const writer *w, uint32_t thread, uint32_t index) {
    for (uint32_t o = index + 1; o < w->program->thread_start[thread + 1]; o++)
        if ((w->program->operations[o].order & COL_ACQUIRE) != 0)
            return true;
    return false;
}

/* Acquires come after earlier releases (RCsc), which not every kind of store can say. */
static void emit_release(writer *w, uint32_t thread, uint32_t index, const filling *f) {
    if (w->isa->store_before_acquire != NULL && comes_before_acquire(w, thread, index)) {
        w->notes |= NOTED(ATOMIC);
        emit(w, thread, w->isa->store_before_acquire, f);
        return;
    }
    if (w->isa->pseudo_release)
        w->notes |= NOTED(PSEUDO);
    emit(w, thread, w->isa->store[1], f);
}

static void emit_access(writer *w, uint32_t thread, uint32_t index, filling *f) {
    const prg_litmus_isa *isa = w->isa;
    const col_operation *operation = &w->program->operations[index];
    const bool is_ordered = operation->order != 0;
    switch (operation->kind) {
    case COL_LOAD:
        emit(w, thread, isa->load[is_ordered], f);
        break;
    case COL_AWAIT:
        f->label = w->next_label++;
        emit(w, thread, "@l:", f);
        emit(w, thread, isa->load[is_ordered], f);
        emit(w, thread, w->isa->await_end, f);
        w->notes |= NOTED(LOOP);
        break;
    case COL_STORE:
        if (is_ordered)
            emit_release(w, thread, index, f);
        else
            emit(w, thread, isa->store[0], f);
        break;
    case COL_SWAP:
        emit(w, thread, isa->swap[operation->order], f);
        break;
    case COL_ADD:
        emit(w, thread, isa->add[operation->order], f);
        break;
    default:
        if (isa->flush_orders)
            w->notes |= NOTED(FLUSH);
        emit(w, thread, isa->flush, f);
    }
}

/* The registers of an operation with a location. */
static col_status take_registers(writer *w, uint32_t thread, uint32_t index, filling *f) {
    const col_operation *operation = &w->program->operations[index];
    const bool returns = operation->kind != COL_ADD || w->isa->add_returns;
    if (!returns && has_word(w->about, index))
        return base_refuse(w->problem,
                           "herd7 has no instruction of x86-64 that adds and returns the "
                           "old value, and the condition needs one");
    if (w->isa->addresses_in_registers) {
        BASE_TRY(take_address(w, thread, operation->location));
        f->address = name_of(w, w->locations[operation->location].address);
    }
    if (col_kinds[operation->kind].reads && returns)
        BASE_TRY(take_register(w, thread, &w->registers[index]));
    f->read = name_of(w, w->registers[index]);
    return COL_OK;
}

/* The branch of a control dependency stays: writes that follow it come after the read. */
static void leave_out(writer *w, uint32_t thread, uint32_t index) {
    const col_operation *left = &w->program->operations[index];
    w->notes |= left->kind == COL_FETCH      ? NOTED(NO_FETCH)
                : left->kind == COL_PREFETCH ? NOTED(NO_PREFETCH)
                                             : NOTED(NO_FLUSH);
    if (left->dependency != COL_CONTROL || w->isa->control == NULL)
        return;
    const filling f = {.source = name_of(w, w->registers[index - left->distance]),
                       .label = w->next_label++};
    emit(w, thread, w->isa->control, &f);
}

static col_status emit_located(writer *w, uint32_t thread, uint32_t index) {
    const col_operation *operation = &w->program->operations[index];
    if (col_kinds[operation->kind].dma)
        return base_refuse(w->problem, "herd7 has no instructions for accesses by DMA");
    if (col_kinds[operation->kind].fails)
        return base_refuse(w->problem, "a conditional that may fail is not a litmus test's atomic");
    if (operation->kind == COL_FETCH || operation->kind == COL_PREFETCH ||
        (operation->kind == COL_FLUSH && w->isa->flush == NULL)) {
        leave_out(w, thread, index);
        return COL_OK;
    }
    char name[LOCATION_NAME];
    filling f = {.address = name_location(operation->location, name)};
    w->locations[operation->location].is_used = true;
    BASE_TRY(take_registers(w, thread, index, &f));
    if (operation->value != 0) {
        BASE_TRY(translate(w, col_program_operand(w->program, operation), &f.number));
        BASE_TRY(emit_constant(w, thread, &f));
    }
    BASE_TRY(emit_dependency(w, thread, index, &f));
    emit_access(w, thread, index, &f);
    return COL_OK;
}

static col_status emit_thread(writer *w, uint32_t thread) {
    const col_program *program = w->program;
    w->next_register = 0;
    w->constant = w->scratch = NO_REGISTER;
    for (uint32_t l = 0; l < program->location_count; l++)
        w->locations[l].address = NO_REGISTER;
    for (uint32_t o = program->thread_start[thread]; o < program->thread_start[thread + 1]; o++) {
        const col_operation *operation = &program->operations[o];
        if (operation->kind == COL_DELAY)
            w->notes |= NOTED(NO_DELAY);
        else if (operation->kind == COL_FENCE)
            emit_fence(w, thread, operation->fence);
        else
            BASE_TRY(emit_located(w, thread, o));
    }
    return COL_OK;
}

/* ---- The file. */

static void write_head(const writer *w, prg_isa isa, base_text *text) {
    const prg_litmus *about = w->about;
    const bool has_comment = about->comment != NULL && about->comment[0] != '\0';
    base_text_print(text, "%s %s\n", prg_litmus_isa_names[isa], about->name);
    if (!has_comment && !about->forbidden && w->notes == 0)
        return;
    base_text_add(text, "(*\n");
    if (has_comment) {
        base_text_add(text, "   ");
        /* Neither the ends of comments nor quotation marks may come from outside. */
        for (const char *c = about->comment; *c != '\0'; c++) {
            if (*c == '*' || *c == '"' || (unsigned char)*c < ' ')
                base_text_add(text, *c == '\n' ? "\n   " : "'");
            else
                base_text_add_bytes(text, c, 1);
        }
        base_text_add(text, "\n");
    }
    if (about->forbidden)
        base_text_add(text, "   The memory model of this instruction set forbids the condition.\n");
    for (uint32_t n = 0; n < sizeof notes / sizeof notes[0]; n++)
        if ((w->notes >> n & 1) != 0)
            base_text_print(text, "   %s\n", notes[n]);
    base_text_add(text, "*)\n");
}

/* All words have 8 bytes: to be said of locations and of the registers in the condition. */
static void write_initial(const writer *w, base_text *text) {
    const col_program *program = w->program;
    char name[LOCATION_NAME];
    base_text_add(text, "{\n");
    for (uint32_t l = 0; l < program->location_count; l++)
        if (w->locations[l].is_used)
            base_text_print(text, " uint64_t %s;", name_location(l, name));
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (w->registers[o] != NO_REGISTER)
            base_text_print(text, " uint64_t %" PRIu32 ":%s;", col_program_thread_of(program, o),
                            name_of(w, w->registers[o]));
    if (w->initial.length > 0) {
        base_text_add(text, "\n");
        base_text_add_bytes(text, w->initial.data, w->initial.length);
    }
    base_text_add(text, "\n}\n");
}

static void write_cell(base_text *text, const char *content, size_t length, int width, bool last) {
    base_text_add(text, " ");
    if (length > 0)
        base_text_add_bytes(text, content, length);
    for (size_t i = length; i < (size_t)width; i++)
        base_text_add(text, " ");
    base_text_add(text, last ? " ;\n" : " |");
}

static col_status write_terms(const writer *w, base_text *text) {
    const char *before = "exists (";
    char name[LOCATION_NAME];
    uint64_t number = 0;
    for (uint32_t o = 0; o < col_program_operations(w->program); o++) {
        if (!has_word(w->about, o) || w->registers[o] == NO_REGISTER)
            continue;
        BASE_TRY(translate(w, w->about->words[o], &number));
        base_text_print(text, "%s%" PRIu32 ":%s=%" PRIu64, before,
                        col_program_thread_of(w->program, o), name_of(w, w->registers[o]), number);
        before = " /\\ ";
    }
    for (uint32_t l = 0; l < w->program->location_count; l++) {
        if (!has_final(w->about, l) || !w->locations[l].is_used)
            continue;
        BASE_TRY(translate(w, w->about->finals[l], &number));
        base_text_print(text, "%s[%s]=%" PRIu64, before, name_location(l, name), number);
        before = " /\\ ";
    }
    base_text_add(text, before[0] == 'e' ? "exists (true)\n" : ")\n");
    return COL_OK;
}

static col_status write_all(writer *w, prg_isa isa, base_text *text) {
    const uint32_t operations = col_program_operations(w->program);
    for (uint32_t o = 0; o < operations; o++)
        w->registers[o] = NO_REGISTER;
    BASE_TRY(check_sum(w));
    for (uint32_t t = 0; t < w->program->thread_count; t++) {
        BASE_TRY(emit_thread(w, t));
        w->threads[t].width = w->threads[t].width < 2 ? 2 : w->threads[t].width;
        BASE_TRY(base_text_status(&w->threads[t].text, w->problem));
    }
    BASE_TRY(base_text_status(&w->initial, w->problem));
    write_head(w, isa, text);
    write_initial(w, text);
    /* Threads are columns, and may have different lengths. */
    const uint32_t count = w->program->thread_count;
    uint32_t lines = 0;
    for (uint32_t t = 0; t < count; t++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "P%" PRIu32, t);
        write_cell(text, name, (size_t)length, w->threads[t].width, t + 1 == count);
        w->threads[t].next = w->threads[t].text.data;
        lines = w->threads[t].lines > lines ? w->threads[t].lines : lines;
    }
    for (uint32_t line = 0; line < lines; line++) {
        for (uint32_t t = 0; t < count; t++) {
            cells *c = &w->threads[t];
            const bool has_line = line < c->lines && c->next != NULL;
            const size_t length = has_line ? strcspn(c->next, "\n") : 0;
            write_cell(text, c->next, length, c->width, t + 1 == count);
            if (has_line)
                c->next += length + 1;
        }
    }
    BASE_TRY(write_terms(w, text));
    return base_text_status(text, w->problem);
}

col_status prg_litmus_write(const col_program *program, prg_isa isa, const prg_litmus *about,
                            base_text *text, col_problem *problem) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";
    const char *name = about->name;
    const uint32_t operations = col_program_operations(program);
    if (name == NULL || name[0] == '\0' || name[strspn(name, allowed)] != '\0')
        return base_refuse(problem, "the name of a litmus test has letters, digits, +, -, . and _");
    if (program->thread_count == 0 || operations == 0)
        return base_refuse(problem, "a litmus test needs an operation");
    writer w = {
        .program = program, .isa = &prg_litmus_isas[isa], .about = about, .problem = problem};
    /* A wrong design may have shown words that nobody wrote; they must not look like others. */
    uint64_t largest = 0, unit = 10;
    for (uint32_t o = 0; o < operations; o++) {
        if (program->operations[o].kind != COL_ADD)
            largest = larger(largest, program->operations[o].value);
        if (has_word(about, o))
            largest = larger(largest, about->words[o] & UINT32_MAX);
    }
    for (uint32_t l = 0; l < program->location_count; l++)
        if (has_final(about, l))
            largest = larger(largest, about->finals[l] & UINT32_MAX);
    while (unit <= largest)
        unit *= 10;
    w.unit = unit;
    const base_part parts[] = {BASE_PART(w.registers, operations),
                               BASE_PART(w.locations, program->location_count),
                               BASE_PART(w.threads, program->thread_count),
                               {0}};
    col_status status = base_arena_divide(&w.arena, parts, problem);
    if (status == COL_OK)
        status = write_all(&w, isa, text);
    for (uint32_t t = 0; w.threads != NULL && t < program->thread_count; t++)
        base_text_free(&w.threads[t].text);
    base_text_free(&w.initial);
    base_arena_free(&w.arena);
    return status;
}
