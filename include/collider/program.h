/* SPDX-License-Identifier: MIT */
/*
 * The test program: threads of memory operations on shared locations, and the address map of those
 * locations. Everything is flat: a program can be hashed, compared, written and read back exactly.
 *
 * A location is an aligned word of 8 or 4 bytes that holds 0 at the start. A store or swap with
 * value v leaves v in it; an add counts in the upper part of the word (see col_program_operand).
 * Values are unique in a program and never 0, so a value that a load returns names the write it
 * came from.
 */
#ifndef COLLIDER_PROGRAM_H
#define COLLIDER_PROGRAM_H

#include <collider/problem.h>
#include <stdbool.h>

COL_C_BEGIN

enum {
    COL_WORD_BYTES = 8,         /* of a location, unless the program is narrow: */
    COL_NARROW_BYTES = 4,       /* then it has 4 bytes, of which */
    COL_NARROW_VALUE_BITS = 20, /* bits hold the value of a store or swap; the rest counts adds */
    COL_MAX_THREADS = 1 << 16,
    COL_MAX_LOCATIONS = 1 << 24,
};

typedef enum col_kind {
    COL_LOAD,
    COL_AWAIT, /* a load repeated until it returns the operation's value */
    COL_STORE,
    COL_SWAP, /* read-modify-write: store the value, return the old one */
    COL_ADD,  /* read-modify-write: add, return the old value */
    COL_FENCE,
    COL_FLUSH, /* write the location's block back and drop it from the private caches */
    COL_DELAY, /* do nothing for some cycles */
    COL_FETCH, /* bring the location's block to the instruction side of the core */
    /* A load and a store that a DMA engine performs beside the core, in no order with the rest of
     * the thread: */
    COL_DMA_READ,
    COL_DMA_WRITE,
    COL_PREFETCH, /* have the private caches prefetch the location's block */
    /* A load-linked and a store-conditional, once: return the old value, and store the value unless
     * the block was lost in between; then it has failed, and nothing is written. */
    COL_CONDITIONAL,
    COL_KIND_COUNT
} col_kind;

/* Ordering attributes, a set. Acquire is for what reads, release for what writes. */
enum { COL_ACQUIRE = 1, COL_RELEASE = 2 };

/* How an operation depends on an earlier read of its thread. */
typedef enum col_dependency {
    COL_NO_DEPENDENCY,
    COL_ADDRESS,
    COL_DATA,
    COL_CONTROL,
    COL_DEPENDENCY_COUNT
} col_dependency;

/* What a fence orders, a set of pairs (earlier, later). RISC-V's predecessor and successor sets and
 * SPARC's membar masks are both such sets. */
enum {
    COL_READ_READ = 1,
    COL_READ_WRITE = 2,
    COL_WRITE_READ = 4,
    COL_WRITE_WRITE = 8,
    COL_FULL_FENCE = 15
};

typedef struct col_operation {
    uint32_t location;  /* index into the address map; of a delay: its cycles; of a fence: 0 */
    uint32_t value;     /* of a store, swap or add; what an await waits for; otherwise 0 */
    uint32_t distance;  /* of a dependency: how many operations back the read is; otherwise 0 */
    uint8_t kind;       /* col_kind */
    uint8_t order;      /* set of COL_ACQUIRE, COL_RELEASE */
    uint8_t dependency; /* col_dependency */
    uint8_t fence;      /* set of ordered pairs; 0 unless the kind is COL_FENCE */
} col_operation;

/* Initialise with COL_PROGRAM_EMPTY; reuse freely (memory grows and is kept); free at the end. */
typedef struct col_program {
    uint32_t thread_count;
    uint32_t location_count;
    uint32_t *thread_start; /* thread_count + 1 indices into operations */
    col_operation *operations;
    uint64_t *addresses; /* location_count byte addresses */
    bool is_narrow;      /* locations are words of 4 bytes instead of 8 */
    size_t thread_capacity, operation_capacity, location_capacity;
} col_program;

#define COL_PROGRAM_EMPTY                                                                          \
    { 0, 0, NULL, NULL, NULL, false, 0, 0, 0 }

/* What a kind of operation does. */
typedef struct col_kind_traits {
    const char *name; /* in the text form */
    bool reads, writes;
    bool located; /* refers to a location */
    bool dma;     /* nothing of its thread is ordered with it, and it depends on nothing */
    bool fails;   /* it may write nothing: then it performs as a load (COL_LOAD_PERFORMED) */
} col_kind_traits;

COL_API extern const col_kind_traits col_kinds[COL_KIND_COUNT];

/* Shape the program: `threads` threads of these lengths, and `locations` locations of 8 bytes. All
 * operations become loads of location 0 and all addresses 0, for the caller to fill in. */
COL_API col_status col_program_shape(col_program *program, uint32_t threads,
                                     const uint32_t *lengths, uint32_t locations,
                                     col_problem *problem);
COL_API void col_program_free(col_program *program);

COL_API uint32_t col_program_operations(const col_program *program);

/* The thread that operation `index` (of the whole program) belongs to. */
COL_API uint32_t col_program_thread_of(const col_program *program, uint32_t index);

COL_API bool col_program_equal(const col_program *a, const col_program *b);

/* Does the program keep all its promises (see docs/program.md)? */
COL_API col_status col_program_check(const col_program *program, col_problem *problem);

/* A hash of the content alone: the same on any machine and in any later version. */
typedef struct col_hash {
    uint64_t high, low;
} col_hash;
COL_API col_hash col_program_hash(const col_program *program);

/* The bytes of a location. */
COL_API uint32_t col_program_word_bytes(const col_program *program);

/* What a store or swap leaves in memory, or what an add adds. Adds count in the upper half of the
 * word, so that in a correct memory the contents of a location never repeat while its adds sum to
 * less than 2^32. An add with value v adds v * 2^32; in a narrow program it adds 2^32, so that its
 * memory has room for the sum of up to 4,095 adds. */
COL_API uint64_t col_program_operand(const col_program *program, const col_operation *operation);

/* Everywhere in this interface, words have 64 bits. The memory of a narrow program holds the same
 * in 32 bits: the value of a store or swap in the lower part, the sum of adds in the upper. These
 * two convert from and to what memory holds; for other programs there is nothing to convert. */
COL_API uint64_t col_program_from_memory(const col_program *program, uint64_t held);
COL_API uint64_t col_program_to_memory(const col_program *program, uint64_t word);

/* The text form. Reading checks the program; on failure it is left empty. */
COL_API col_status col_program_read(col_program *program, const char *text, size_t length,
                                    const char *file, col_problem *problem);
COL_API col_status col_program_read_file(col_program *program, const char *path,
                                         col_problem *problem);
/* Hands over the text, to be freed with col_text_free. */
COL_API col_status col_program_write(const col_program *program, char **text, size_t *length,
                                     col_problem *problem);
COL_API col_status col_program_write_file(const col_program *program, const char *path,
                                          col_problem *problem);

COL_C_END
#endif
