/* SPDX-License-Identifier: MIT */
/* Which chain each operation belongs to: see marks.h. */
#include "generate/marks.h"

void gen_mark_chains(const col_program *program, const col_generated *generated,
                     uint32_t *chain_of) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        chain_of[o] = GEN_NO_CHAIN;
    for (uint32_t c = 0; c < generated->chain_total; c++) {
        const col_chain *chain = &generated->chains[c];
        for (uint32_t i = 0; i < chain->count; i++) {
            const uint32_t o = generated->links[chain->first + i].operation;
            chain_of[o] = c;
            if (o > 0 && program->operations[o - 1].kind == COL_FENCE)
                chain_of[o - 1] = c;
        }
    }
}

void gen_chain_letters(uint32_t chain, char letters[8]) {
    char reversed[8];
    int count = 0;
    for (uint64_t rest = (uint64_t)chain + 1; rest > 0; rest = (rest - 1) / 26)
        reversed[count++] = (char)('A' + (rest - 1) % 26);
    for (int i = 0; i < count; i++)
        letters[i] = reversed[count - 1 - i];
    letters[count] = '\0';
}
