/* SPDX-License-Identifier: MIT */
/* Bytes, labels and sites: see machine_code.h. */
#include "design/isa/machine_code.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void isa_code_free(isa_code *code) {
    free(code->bytes);
    free(code->sites);
    free(code->labels);
    free(code->fixups);
    *code = (isa_code)ISA_CODE_EMPTY;
}

void isa_code_clear(isa_code *code) {
    code->size = code->site_count = code->label_count = code->fixup_count = 0;
    code->status = COL_OK;
}

void isa_code_refuse(isa_code *code, const char *format, ...) {
    if (code->status != COL_OK)
        return;
    char message[sizeof code->problem.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    code->status = base_refuse(&code->problem, "%s", message);
}

/* Room for one more, or the problem sticks. */
static bool make_room(isa_code *code, void *array, size_t *capacity, size_t count,
                      size_t item_size) {
    if (code->status == COL_OK)
        code->status = base_reserve(array, capacity, count, item_size, &code->problem);
    return code->status == COL_OK;
}

void isa_emit(isa_code *code, const void *bytes, size_t size) {
    if (size > UINT32_MAX / 2 - code->size) {
        isa_code_refuse(code, "the machine code is larger than 2 GB");
        return;
    }
    if (!make_room(code, &code->bytes, &code->capacity, code->size + size, 1))
        return;
    memcpy(code->bytes + code->size, bytes, size);
    code->size += size;
}

void isa_emit_number(isa_code *code, uint64_t number, uint32_t bytes) {
    uint8_t encoded[8];
    for (uint32_t i = 0; i < bytes; i++)
        encoded[i] = (uint8_t)(number >> (8 * i));
    isa_emit(code, encoded, bytes);
}

void isa_pad(isa_code *code, uint64_t size) {
    while (code->status == COL_OK && code->size < size)
        isa_emit(code, "", 1);
}

void isa_align(isa_code *code, uint32_t alignment) {
    isa_pad(code, ((uint64_t)code->size + alignment - 1) / alignment * alignment);
}

isa_label isa_new_label(isa_code *code) {
    if (!make_room(code, &code->labels, &code->label_capacity, code->label_count + 1,
                   sizeof *code->labels))
        return 0;
    code->labels[code->label_count] = ISA_NONE;
    return (isa_label)code->label_count++;
}

void isa_bind(isa_code *code, isa_label label) {
    if (code->status == COL_OK)
        code->labels[label] = isa_here(code);
}

void isa_refer(isa_code *code, isa_label label, uint32_t kind, isa_patch *patch) {
    if (make_room(code, &code->fixups, &code->fixup_capacity, code->fixup_count + 1,
                  sizeof *code->fixups))
        code->fixups[code->fixup_count++] =
            (isa_fixup){.offset = isa_here(code), .label = label, .kind = kind, .patch = patch};
}

void isa_set_bits(uint8_t *at, uint32_t bits) {
    for (int i = 0; i < 4; i++)
        at[i] |= (uint8_t)(bits >> (8 * i));
}

static uint32_t number_bits(isa_code *code, const char *mnemonic, const isa_operand *field,
                            int64_t value) {
    if (value < (int64_t)field->low * field->step || value > (int64_t)field->high * field->step ||
        value % field->step != 0)
        isa_code_refuse(code, "%lld is out of range for '%s'", (long long)value, mnemonic);
    const uint32_t number = (uint32_t)(value / field->step);
    return field->kind == ISA_SPLIT ? (number & 0x1f) << 7 | number >> 5 << 25
                                    : number << field->shift;
}

void isa_emit_word(isa_code *code, const char *mnemonic, uint32_t bits,
                   const isa_operand format[ISA_OPERANDS], const int64_t operands[ISA_OPERANDS],
                   isa_patch *patch) {
    for (int i = 0; i < ISA_OPERANDS; i++) {
        const isa_operand *field = &format[i];
        const int64_t value = operands[i];
        switch (field->kind) {
        case ISA_NO_OPERAND:
            break;
        case ISA_NUMBER:
        case ISA_SPLIT:
            bits |= number_bits(code, mnemonic, field, value);
            break;
        case ISA_ORDER: /* COL_ACQUIRE is 1 */
            bits |= (uint32_t)(value & 1) << (field->shift + 1) | (uint32_t)(value >> 1 & 1)
                                                                      << field->shift;
            break;
        case ISA_LABEL:
            isa_refer(code, (isa_label)value, (uint32_t)field->low, patch);
            break;
        }
    }
    isa_emit_number(code, bits, 4);
}

void isa_add_site(isa_code *code, const isa_site *site) {
    if (make_room(code, &code->sites, &code->site_capacity, code->site_count + 1,
                  sizeof *code->sites))
        code->sites[code->site_count++] = *site;
}

void isa_code_resolve(isa_code *code, size_t first) {
    size_t kept = first;
    for (size_t f = first; f < code->fixup_count && code->status == COL_OK; f++) {
        const isa_fixup fixup = code->fixups[f];
        const uint32_t target = code->labels[fixup.label];
        if (target == ISA_NONE)
            code->fixups[kept++] = fixup;
        else if (!fixup.patch(code->bytes + fixup.offset, fixup.kind,
                              (int64_t)target - fixup.offset))
            isa_code_refuse(code,
                            "the branch at offset 0x%x of the machine code does not reach 0x%x",
                            (unsigned)fixup.offset, (unsigned)target);
    }
    if (code->status == COL_OK)
        code->fixup_count = kept;
}

col_status isa_code_finish(isa_code *code, col_problem *problem) {
    isa_code_resolve(code, 0);
    if (code->fixup_count > 0)
        isa_code_refuse(code, "a branch of the machine code leads nowhere");
    if (code->status != COL_OK && problem != NULL)
        *problem = code->problem;
    return code->status;
}
