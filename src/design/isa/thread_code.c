/* SPDX-License-Identifier: MIT */
/*
 * Encodes a thread, whatever the instruction set: registers, dependencies, logs and sites.
 *
 * A read's value stays in a register of its own until the last operation that depends on it, and
 * until it is logged. When registers run out, values that wait for the log are stored; if that is
 * not enough, the value that is needed last is bundled: whatever depends on it then depends on
 * the bundle, hence on all values that were bundled. That orders more than the program asks for,
 * never less.
 *
 * Which registers have to be saved is known at the end, so a thread that needs some is encoded
 * twice.
 */
#include "design/isa/instruction_set.h"

#include "base/memory.h"

#include <stdlib.h>

enum { NOWHERE = 255 };

/* What an operation returned, if it reads. */
typedef struct read_value {
    uint32_t last_use; /* the last operation that depends on it; itself: none does */
    uint8_t place;     /* a register, or NOWHERE */
} read_value;

typedef struct held {
    uint32_t operation, slot;
    bool is_taken, is_logged;
} held;

typedef struct encoder {
    isa_thread thread;
    const isa_machine *machine;
    const col_program *program;
    uint64_t *stubs;                 /* of locations, if it fetches (isa.h) */
    const col_operation *operations; /* of the thread */
    uint32_t first, count;
    read_value *values; /* by operation of the thread */
    held held[ISA_MAX_REGISTERS];
    uint32_t next; /* value register to try first: they take turns */
    uint32_t slots;
    uint32_t prefetches; /* so far: their purposes take turns */
    uint32_t used;       /* registers that have to be saved */
    bool bundled;
    bool sets_bundle; /* to 0, at the start */
    bool has_awaits;  /* somebody jumps to `failed` */
    isa_label failed;
} encoder;

static bool is_needed(const encoder *e, uint32_t reg, uint32_t now) {
    const held *h = &e->held[reg];
    return h->is_taken && (!h->is_logged || e->values[h->operation].last_use > now);
}

static void release(encoder *e, uint32_t now) {
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if (e->held[reg].is_taken && !is_needed(e, reg, now))
            e->held[reg].is_taken = false;
}

static void constant(const encoder *e, uint32_t reg, uint64_t value) {
    e->machine->constant(e->thread.code, e->thread.target, reg, value);
}

static void basic(const encoder *e, isa_basic what, uint32_t operand) {
    e->machine->basic(e->thread.code, what, operand, 0, 0);
}

static void log_register(encoder *e, uint32_t reg) {
    e->machine->log(&e->thread, (uint8_t)reg, (uint64_t)e->held[reg].slot * e->thread.word_bytes);
}

/* Stores what waits for the log; here, or on all ways from here on. */
static void log_all(encoder *e, bool for_good) {
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if (e->held[reg].is_taken && !e->held[reg].is_logged) {
            log_register(e, reg);
            e->held[reg].is_logged = for_good;
        }
}

/* A free register; NOWHERE: there is none. Those that need no saving come first, and take turns. */
static uint8_t find_register(encoder *e) {
    const isa_machine *machine = e->machine;
    for (uint32_t i = 0; i < machine->free.count; i++) {
        const uint8_t reg = machine->free.registers[(e->next + i) % machine->free.count];
        if (e->held[reg].is_taken)
            continue;
        e->next = (e->next + i + 1) % machine->free.count;
        return reg;
    }
    for (uint32_t i = 0; i < machine->saved.count; i++)
        if (!e->held[machine->saved.registers[i]].is_taken) {
            e->used |= UINT32_C(1) << machine->saved.registers[i];
            return machine->saved.registers[i];
        }
    return NOWHERE;
}

static uint8_t take_register(encoder *e, uint32_t now) {
    uint8_t reg = find_register(e);
    if (reg == NOWHERE) {
        log_all(e, true);
        release(e, now - 1); /* what this operation depends on is still needed */
        reg = find_register(e);
    }
    if (reg == NOWHERE) {
        /* The value that is needed last makes room. */
        uint32_t last = 0;
        for (uint32_t r = 1; r < ISA_MAX_REGISTERS; r++)
            if (e->held[r].is_taken &&
                (!e->held[last].is_taken || e->values[e->held[r].operation].last_use >
                                                e->values[e->held[last].operation].last_use))
                last = r;
        basic(e, ISA_TOKEN, last);
        basic(e, ISA_BUNDLE, 0);
        e->values[e->held[last].operation].place = e->machine->bundle;
        e->held[last].is_taken = false;
        e->bundled = true;
        reg = find_register(e);
    }
    const bool logs = e->thread.settings->log != ISA_LOG_TAP;
    e->held[reg] =
        (held){.operation = now, .slot = e->slots++, .is_taken = true, .is_logged = !logs};
    e->values[now].place = reg;
    return reg;
}

/* Some iterations; the register is not 0 at the start. */
static void count_down(encoder *e, uint32_t reg) {
    e->machine->count_down(&e->thread, reg, isa_label_here(e->thread.code));
}

/* The operation depends on an earlier read; a branch on that goes to what follows. */
static void depend(encoder *e, const col_operation *operation, uint32_t now, isa_access *access) {
    const uint8_t source = e->values[now - operation->distance].place;
    if (operation->dependency == COL_CONTROL) {
        const isa_label next = isa_new_label(e->thread.code);
        e->machine->branch_zero(&e->thread, source, false, next);
        isa_bind(e->thread.code, next);
        return;
    }
    basic(e, ISA_TOKEN, source);
    access->has_address_token = operation->dependency == COL_ADDRESS;
    access->has_data_token = operation->dependency == COL_DATA;
}

/* Reads until it has seen its value; one that gives up leaves the thread. */
static uint32_t encode_await(encoder *e, const isa_access *access, isa_place place) {
    isa_thread *t = &e->thread;
    const bool has_limit = t->settings->await_limit != 0;
    const isa_label done = isa_new_label(t->code);
    if (has_limit)
        constant(e, e->machine->count, t->settings->await_limit);
    const isa_label again = isa_label_here(e->thread.code);
    const uint32_t here = isa_here(t->code);
    e->machine->access(t, access, place);
    e->machine->compare(t, access, has_limit, has_limit ? done : again);
    if (has_limit) {
        e->machine->count_down(t, e->machine->count, again);
        /* The log of a round that failed is whole up to here. */
        log_all(e, false);
        e->has_awaits = true;
        if (e->machine->jump_far != NULL)
            e->machine->jump_far(t, e->failed);
        else
            basic(e, ISA_JUMP, e->failed);
    }
    isa_bind(t->code, done);
    return here;
}

static uint32_t encode_access(encoder *e, const isa_access *access) {
    const isa_machine *machine = e->machine;
    isa_thread *t = &e->thread;
    if (machine->before != NULL)
        machine->before(t, access);
    const isa_place place = machine->address(t, access);
    if (access->operation->kind != COL_LOAD)
        machine->value(t, access);
    uint32_t here = isa_here(t->code);
    if (access->operation->kind == COL_AWAIT)
        here = encode_await(e, access, place);
    else
        machine->access(t, access, place);
    if (machine->after != NULL)
        machine->after(t, access);
    return here;
}

/* Brings or drops the block. */
static uint32_t encode_touch(encoder *e, const isa_access *access, isa_touch what) {
    const isa_place place = e->machine->address(&e->thread, access);
    const uint32_t here = isa_here(e->thread.code);
    e->machine->touch(&e->thread, place, what);
    return here;
}

/* Returns the offset of the instruction that goes to the location. */
static uint32_t encode_kind(encoder *e, isa_access *access) {
    switch (access->operation->kind) {
    case COL_FLUSH:
        return encode_touch(e, access, ISA_TO_FLUSH);
    case COL_PREFETCH:
        return encode_touch(e, access, (isa_touch)(e->prefetches++ % ISA_PREFETCHES));
    case COL_FETCH: /* `accept` has found that there is a place */
        access->address = e->stubs[access->operation->location];
        return e->machine->fetch(&e->thread, e->machine->address(&e->thread, access));
    default:
        return encode_access(e, access);
    }
}

static void encode_located(encoder *e, uint32_t now, isa_site *site) {
    const col_operation *operation = &e->operations[now];
    isa_access access = {
        .operation = operation,
        .address = e->program->addresses[operation->location],
        .operand = col_program_to_memory(e->program, col_program_operand(e->program, operation))};
    const bool reads = col_kinds[operation->kind].reads;
    if (reads) {
        site->slot = e->slots;
        site->reg = access.reg = take_register(e, now);
    }
    if (operation->dependency != COL_NO_DEPENDENCY)
        depend(e, operation, now, &access);
    site->access = encode_kind(e, &access);
    if (reads && e->thread.settings->log == ISA_LOG_STORE) {
        log_register(e, access.reg);
        e->held[access.reg].is_logged = true;
    }
    release(e, now);
}

static void encode_operation(encoder *e, uint32_t now) {
    const col_operation *operation = &e->operations[now];
    isa_code *code = e->thread.code;
    isa_site site = {.operation = e->first + now,
                     .offset = isa_here(code),
                     .access = ISA_NONE,
                     .slot = ISA_NONE,
                     .reg = ISA_NONE};
    if (operation->kind == COL_FENCE) {
        e->machine->order(&e->thread, operation->fence);
    } else if (operation->kind != COL_DELAY) {
        encode_located(e, now, &site);
    } else if (operation->location != 0) {
        constant(e, e->machine->count, operation->location);
        count_down(e, e->machine->count);
    }
    site.size = isa_here(code) - site.offset;
    isa_add_site(code, &site);
}

/* Returns 0; from the label `failed` on: 1. */
static void leave(encoder *e) {
    isa_thread *t = &e->thread;
    const isa_label end = isa_new_label(t->code);
    constant(e, e->machine->result, 0);
    if (e->has_awaits) {
        basic(e, ISA_JUMP, end);
        isa_bind(t->code, e->failed);
        constant(e, e->machine->result, 1);
    }
    isa_bind(t->code, end);
    e->machine->restore(t);
    basic(e, ISA_RETURN, 0);
}

static void encode(encoder *e) {
    isa_thread *t = &e->thread;
    for (uint32_t i = 0; i < e->count; i++) {
        e->values[i] = (read_value){.last_use = i, .place = NOWHERE};
        if (e->operations[i].dependency != COL_NO_DEPENDENCY)
            e->values[i - e->operations[i].distance].last_use = i;
    }
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        e->held[reg].is_taken = false;
    e->next = e->slots = e->prefetches = 0;
    t->pending_release = 0;
    e->has_awaits = false;
    e->failed = isa_new_label(t->code);
    const isa_label start = isa_new_label(t->code);
    e->machine->save(t);
    if (e->sets_bundle)
        constant(e, e->machine->bundle, 0);
    e->machine->branch_zero(t, e->machine->skew, true, start);
    count_down(e, e->machine->skew);
    isa_bind(t->code, start);
    for (uint32_t i = 0; i < e->count; i++)
        encode_operation(e, i);
    log_all(e, true);
    leave(e);
}

/* Sizes to go back to. */
typedef struct mark {
    size_t size, sites, labels, fixups;
} mark;

static mark mark_of(const isa_code *code) {
    return (mark){code->size, code->site_count, code->label_count, code->fixup_count};
}

static void rewind_to(isa_code *code, const mark *m) {
    code->size = m->size;
    code->site_count = m->sites;
    code->label_count = m->labels;
    code->fixup_count = m->fixups;
}

static bool has_flush(const isa_target *target, const isa_settings *settings) {
    return target->machine != &isa_riscv || settings->has_flush;
}

/* Can the target run these operations? `stubs` is not NULL if one fetches. */
static col_status accept(const isa_target *target, const col_program *program, uint32_t first,
                         uint32_t end, const uint64_t *stubs, const isa_settings *settings,
                         col_problem *problem) {
    const uint32_t bytes = col_program_word_bytes(program);
    if ((target->word_sizes & bytes) == 0)
        return base_refuse(problem, "%s has no words of %u bytes, as this program needs",
                           target->name, (unsigned)bytes);
    for (uint32_t o = first; o < end; o++) {
        const col_operation *operation = &program->operations[o];
        if (!col_kinds[operation->kind].located)
            continue;
        const uint64_t address = program->addresses[operation->location];
        if (target->address_bytes == 4 && address > UINT32_MAX)
            return base_refuse(problem, "the address 0x%llx of a%u does not fit in %s",
                               (unsigned long long)address, (unsigned)operation->location,
                               target->name);
        if (operation->kind == COL_FETCH && stubs[operation->location] == ISA_NO_STUB)
            return base_refuse(problem,
                               "a fetch of a%u executes an instruction in its block, but locations "
                               "leave no room for one in these %d bytes",
                               (unsigned)operation->location, ISA_STUB_BLOCK);
        if (col_kinds[operation->kind].dma)
            return base_refuse(problem, "an access by DMA is for designs with a DMA engine, not "
                                        "for machine code");
        if (col_kinds[operation->kind].fails)
            return base_refuse(problem, "a conditional is for designs that show whether it failed, "
                                        "not for machine code");
        if (operation->kind == COL_FLUSH && !has_flush(target, settings))
            return base_refuse(problem, "%s needs Zicbom (cbo.flush) for the program's flush",
                               target->name);
    }
    return COL_OK;
}

col_status isa_accepts(const isa_target *target, const col_program *program,
                       const isa_settings *settings, col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    uint64_t *stubs = NULL;
    col_status status = isa_stub_places(program, 0, count, &stubs, problem);
    if (status == COL_OK)
        status = accept(target, program, 0, count, stubs, settings, problem);
    free(stubs);
    return status;
}

/* What has been accepted. */
static col_status encode_accepted(encoder *e, col_problem *problem) {
    isa_code *code = e->thread.code;
    size_t capacity = 0;
    col_status status =
        base_reserve(&e->values, &capacity, e->count + 1, sizeof *e->values, problem);
    if (status != COL_OK)
        return status;
    const mark start = mark_of(code);
    isa_align(code, e->thread.target->alignment);
    const mark aligned = mark_of(code);
    encode(e);
    if (code->status == COL_OK && (e->used != 0 || e->bundled)) {
        rewind_to(code, &aligned);
        e->thread.saved = e->used;
        e->sets_bundle = e->bundled;
        encode(e);
    }
    isa_code_resolve(code, aligned.fixups);
    free(e->values);
    status = code->status;
    if (status != COL_OK) {
        if (problem != NULL)
            *problem = code->problem;
        rewind_to(code, &start);
        code->status = COL_OK;
    }
    return status;
}

col_status isa_encode_thread(const isa_target *target, const col_program *program, uint32_t thread,
                             const isa_settings *settings, isa_code *code, col_problem *problem) {
    const uint32_t first = program->thread_start[thread], end = program->thread_start[thread + 1];
    encoder e = {.thread = {.code = code,
                            .target = target,
                            .settings = settings,
                            .word_bytes = col_program_word_bytes(program)},
                 .machine = target->machine,
                 .program = program,
                 .operations = first < end ? &program->operations[first] : NULL,
                 .first = first,
                 .count = end - first};
    col_status status = isa_stub_places(program, first, end, &e.stubs, problem);
    if (status == COL_OK)
        status = accept(target, program, first, end, e.stubs, settings, problem);
    if (status == COL_OK && code->status != COL_OK)
        status = isa_code_finish(code, problem);
    if (status == COL_OK)
        status = encode_accepted(&e, problem);
    free(e.stubs);
    return status;
}
