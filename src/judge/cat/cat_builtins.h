/* SPDX-License-Identifier: MIT */
/*
 * The names that a cat model finds defined before its first line: sets of events and relations over
 * them. A graph (execution_graph.h) fills them in; what it does not fill in is empty.
 */
#pragma once

#include <stdint.h>

/* Rows X(NAME, word in cat). */
#define CAT_SETS(X)                                                                                \
    X(CAT_R, "R")             /* reads of memory */                                                \
    X(CAT_W, "W")             /* writes to memory, initial ones too */                             \
    X(CAT_M, "M")             /* both */                                                           \
    X(CAT_F, "F")             /* fences */                                                         \
    X(CAT_B, "B")             /* branches, and other commits */                                    \
    X(CAT_BCC, "BCC")         /* conditional branches */                                           \
    X(CAT_IW, "IW")           /* initial writes */                                                 \
    X(CAT_FW, "FW")           /* the last write to each location: follows co */                    \
    X(CAT_I, "I")             /* IW by its other name */                                           \
    X(CAT_RMW, "RMW")         /* the events of atomics */                                          \
    X(CAT_EXPLICIT, "Exp")    /* memory events that an instruction asks for */                     \
    X(CAT_X, "X")             /* the events of atomics in one instruction */                       \
    X(CAT_EX, "EX")           /* exclusives: load-reserve, store-conditional */                    \
    X(CAT_A, "A")             /* Arm: acquire */                                                   \
    X(CAT_Q, "Q")             /* Arm: acquire, processor consistent */                             \
    X(CAT_L, "L")             /* Arm: release */                                                   \
    X(CAT_NO_RETURN, "NoRet") /* Arm: reads whose value goes nowhere */                            \
    X(CAT_ACQ, "Acq")         /* RISC-V, as the next three */                                      \
    X(CAT_REL, "Rel")                                                                              \
    X(CAT_ACQ_REL, "AcqRel")                                                                       \
    X(CAT_SC, "Sc")                                                                                \
    X(CAT_REGISTER_READ, "Rreg")                                                                   \
    X(CAT_REGISTER_WRITE, "Wreg")                                                                  \
    X(CAT_ADDRESS_PORT, "ADDR") /* register reads that make an address */                          \
    X(CAT_DATA_PORT, "DATA")    /* register reads that make a value to be written */               \
    X(CAT_MFENCE, "MFENCE")                                                                        \
    X(CAT_LFENCE, "LFENCE")                                                                        \
    X(CAT_SFENCE, "SFENCE")                                                                        \
    X(CAT_NT, "NT")                                                                                \
    X(CAT_SYNC, "SYNC")                                                                            \
    X(CAT_LWSYNC, "LWSYNC")                                                                        \
    X(CAT_EIEIO, "EIEIO")                                                                          \
    X(CAT_ISYNC, "ISYNC")                                                                          \
    X(CAT_DMB_SY, "DMB.SY")                                                                        \
    X(CAT_DMB_LD, "DMB.LD")                                                                        \
    X(CAT_DMB_ST, "DMB.ST")                                                                        \
    X(CAT_DMB_ISH, "DMB.ISH")                                                                      \
    X(CAT_DMB_ISHLD, "DMB.ISHLD")                                                                  \
    X(CAT_DMB_ISHST, "DMB.ISHST")                                                                  \
    X(CAT_DMB_OSH, "DMB.OSH")                                                                      \
    X(CAT_DMB_OSHLD, "DMB.OSHLD")                                                                  \
    X(CAT_DMB_OSHST, "DMB.OSHST")                                                                  \
    X(CAT_DMB_NSH, "DMB.NSH")                                                                      \
    X(CAT_DMB_NSHLD, "DMB.NSHLD")                                                                  \
    X(CAT_DMB_NSHST, "DMB.NSHST")                                                                  \
    X(CAT_DSB_SY, "DSB.SY")                                                                        \
    X(CAT_DSB_LD, "DSB.LD")                                                                        \
    X(CAT_DSB_ST, "DSB.ST")                                                                        \
    X(CAT_DSB_ISH, "DSB.ISH")                                                                      \
    X(CAT_DSB_ISHLD, "DSB.ISHLD")                                                                  \
    X(CAT_DSB_ISHST, "DSB.ISHST")                                                                  \
    X(CAT_DSB_OSH, "DSB.OSH")                                                                      \
    X(CAT_DSB_OSHLD, "DSB.OSHLD")                                                                  \
    X(CAT_DSB_OSHST, "DSB.OSHST")                                                                  \
    X(CAT_DSB_NSH, "DSB.NSH")                                                                      \
    X(CAT_DSB_NSHLD, "DSB.NSHLD")                                                                  \
    X(CAT_DSB_NSHST, "DSB.NSHST")                                                                  \
    X(CAT_ISB, "ISB")                                                                              \
    X(CAT_FENCE_R_R, "Fence.r.r")                                                                  \
    X(CAT_FENCE_R_W, "Fence.r.w")                                                                  \
    X(CAT_FENCE_R_RW, "Fence.r.rw")                                                                \
    X(CAT_FENCE_W_R, "Fence.w.r")                                                                  \
    X(CAT_FENCE_W_W, "Fence.w.w")                                                                  \
    X(CAT_FENCE_W_RW, "Fence.w.rw")                                                                \
    X(CAT_FENCE_RW_R, "Fence.rw.r")                                                                \
    X(CAT_FENCE_RW_W, "Fence.rw.w")                                                                \
    X(CAT_FENCE_RW_RW, "Fence.rw.rw")                                                              \
    X(CAT_FENCE_TSO, "Fence.tso")                                                                  \
    X(CAT_FENCE_I, "Fence.i")

/* The same for relations, with what they change with (cat_level). */
#define CAT_RELATIONS(X)                                                                           \
    X(CAT_PO, "po", CAT_FIXED)                                                                     \
    X(CAT_RF, "rf", CAT_WITH_RF)                                                                   \
    X(CAT_CO, "co", CAT_WITH_CO)                                                                   \
    X(CAT_LOC, "loc", CAT_FIXED)                                                                   \
    X(CAT_INT, "int", CAT_FIXED)                                                                   \
    X(CAT_EXT, "ext", CAT_FIXED)                                                                   \
    X(CAT_ADDR, "addr", CAT_FIXED)                                                                 \
    X(CAT_DATA, "data", CAT_FIXED)                                                                 \
    X(CAT_CTRL, "ctrl", CAT_FIXED)                                                                 \
    X(CAT_SAME_INSTANCE, "same-instance", CAT_FIXED)                                               \
    X(CAT_SAME_ACCESS, "same-access", CAT_FIXED) /* of parts of it, or the event alone */          \
    X(CAT_SAME_VALUE, "same-value", CAT_WITH_RF)                                                   \
    X(CAT_IICO_DATA, "iico_data", CAT_FIXED)                                                       \
    X(CAT_IICO_CTRL, "iico_ctrl", CAT_FIXED)                                                       \
    X(CAT_IICO_ORDER, "iico_order", CAT_FIXED)                                                     \
    X(CAT_RF_REG, "rf-reg", CAT_FIXED)                                                             \
    X(CAT_TIMED, "timed", CAT_FIXED) /* a read had ended before the other event began */

typedef enum cat_set {
#define CAT_NAME(name, word) name,
    CAT_SETS(CAT_NAME)
#undef CAT_NAME
        CAT_SET_COUNT
} cat_set;

/* The relations' places are called CAT_PO, ... in a type of their own. */
typedef enum cat_relation {
#define CAT_NAME(name, word, level) name,
    CAT_RELATIONS(CAT_NAME)
#undef CAT_NAME
        CAT_RELATION_COUNT
} cat_relation;

/* What a value changes with, from a candidate to the next one: the events alone, the writes that
 * reads take their values from, the order of writes, or an order that the model chooses itself:
 * each of these, in turn, is a level more. */
enum { CAT_MOST_CHOICES = 4 };
typedef enum cat_level {
    CAT_FIXED,
    CAT_WITH_RF,
    CAT_WITH_CO,
    CAT_WITH_CHOICE,
    CAT_WITH_ALL = CAT_WITH_CHOICE + CAT_MOST_CHOICES,
    CAT_WITH_PART_OF_CO /* of no value: co is not complete yet */
} cat_level;

extern const char *const cat_set_names[CAT_SET_COUNT];
extern const char *const cat_relation_names[CAT_RELATION_COUNT];
extern const uint8_t cat_relation_levels[CAT_RELATION_COUNT]; /* cat_level */
