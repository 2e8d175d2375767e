/* SPDX-License-Identifier: MIT */
/*
 * Whole chips in design files of kind `verilog` (docs/rtl.md): the keys that say what is at the
 * chip's pins, the signals of buses, and the C++ that names them for collider/verilator_chip.hpp.
 */
#ifndef DESIGN_VERILOG_CHIP_FILE_H
#define DESIGN_VERILOG_CHIP_FILE_H

#include "base/text.h"
#include "base/yaml.h"
#include "collider/chip.h"

enum { DUV_NAME = 128, DUV_MOST_BUSES = 8 };

/* A name of the file, and where it has it. */
typedef struct duv_named {
    char text[DUV_NAME]; /* empty: not said */
    base_place place;
} duv_named;

/* The protocols, and their signals as the chip has them: outputs of the chip are OUT. Rows
 * X(protocol, word, direction, bits, need); those of a protocol come one behind the other. */
#define DUV_PIN_PROTOCOLS(X)                                                                       \
    X(NATIVE, native) X(WISHBONE, wishbone) X(AXI4, axi4) X(TILELINK, tilelink)

#define DUV_PINS(X)                                                                                \
    X(NATIVE, request_valid, OUT, ONE, NEEDED)                                                     \
    X(NATIVE, request_ready, IN, ONE, NEEDED)                                                      \
    X(NATIVE, request_write, OUT, ONE, OPTIONAL)                                                   \
    X(NATIVE, request_address, OUT, ADDRESS, NEEDED)                                               \
    X(NATIVE, request_data, OUT, DATA, OPTIONAL)                                                   \
    X(NATIVE, request_strobe, OUT, STROBE, OPTIONAL)                                               \
    X(NATIVE, request_id, OUT, ID, OPTIONAL)                                                       \
    X(NATIVE, response_valid, IN, ONE, NEEDED)                                                     \
    X(NATIVE, response_ready, OUT, ONE, OPTIONAL)                                                  \
    X(NATIVE, response_error, IN, ONE, OPTIONAL)                                                   \
    X(NATIVE, response_data, IN, DATA, NEEDED)                                                     \
    X(NATIVE, response_id, IN, ID, OPTIONAL)                                                       \
    X(WISHBONE, cyc, OUT, ONE, NEEDED)                                                             \
    X(WISHBONE, stb, OUT, ONE, NEEDED)                                                             \
    X(WISHBONE, we, OUT, ONE, OPTIONAL)                                                            \
    X(WISHBONE, adr, OUT, ADDRESS, NEEDED)                                                         \
    X(WISHBONE, dat_w, OUT, DATA, OPTIONAL)                                                        \
    X(WISHBONE, sel, OUT, STROBE, OPTIONAL)                                                        \
    X(WISHBONE, stall, IN, ONE, OPTIONAL)                                                          \
    X(WISHBONE, ack, IN, ONE, NEEDED)                                                              \
    X(WISHBONE, err, IN, ONE, OPTIONAL)                                                            \
    X(WISHBONE, dat_r, IN, DATA, NEEDED)                                                           \
    X(AXI4, awvalid, OUT, ONE, OPTIONAL)                                                           \
    X(AXI4, awready, IN, ONE, OPTIONAL)                                                            \
    X(AXI4, awid, OUT, ID, OPTIONAL)                                                               \
    X(AXI4, awaddr, OUT, ADDRESS, OPTIONAL)                                                        \
    X(AXI4, awlen, OUT, ANY, OPTIONAL)                                                             \
    X(AXI4, awsize, OUT, ANY, OPTIONAL)                                                            \
    X(AXI4, awburst, OUT, ANY, OPTIONAL)                                                           \
    X(AXI4, awlock, OUT, ANY, OPTIONAL)                                                            \
    X(AXI4, wvalid, OUT, ONE, OPTIONAL)                                                            \
    X(AXI4, wready, IN, ONE, OPTIONAL)                                                             \
    X(AXI4, wdata, OUT, DATA, OPTIONAL)                                                            \
    X(AXI4, wstrb, OUT, STROBE, OPTIONAL)                                                          \
    X(AXI4, bvalid, IN, ONE, OPTIONAL)                                                             \
    X(AXI4, bready, OUT, ONE, OPTIONAL)                                                            \
    X(AXI4, bid, IN, ID, OPTIONAL)                                                                 \
    X(AXI4, bresp, IN, ANY, OPTIONAL)                                                              \
    X(AXI4, arvalid, OUT, ONE, NEEDED)                                                             \
    X(AXI4, arready, IN, ONE, NEEDED)                                                              \
    X(AXI4, arid, OUT, ID, OPTIONAL)                                                               \
    X(AXI4, araddr, OUT, ADDRESS, NEEDED)                                                          \
    X(AXI4, arlen, OUT, ANY, OPTIONAL)                                                             \
    X(AXI4, arsize, OUT, ANY, OPTIONAL)                                                            \
    X(AXI4, arburst, OUT, ANY, OPTIONAL)                                                           \
    X(AXI4, arlock, OUT, ANY, OPTIONAL)                                                            \
    X(AXI4, rvalid, IN, ONE, NEEDED)                                                               \
    X(AXI4, rready, OUT, ONE, NEEDED)                                                              \
    X(AXI4, rid, IN, ID, OPTIONAL)                                                                 \
    X(AXI4, rdata, IN, DATA, NEEDED)                                                               \
    X(AXI4, rresp, IN, ANY, OPTIONAL)                                                              \
    X(AXI4, rlast, IN, ONE, OPTIONAL)                                                              \
    X(TILELINK, a_valid, OUT, ONE, NEEDED)                                                         \
    X(TILELINK, a_ready, IN, ONE, NEEDED)                                                          \
    X(TILELINK, a_opcode, OUT, ANY, NEEDED)                                                        \
    X(TILELINK, a_param, OUT, ANY, OPTIONAL)                                                       \
    X(TILELINK, a_size, OUT, ANY, NEEDED)                                                          \
    X(TILELINK, a_source, OUT, ID, OPTIONAL)                                                       \
    X(TILELINK, a_address, OUT, ADDRESS, NEEDED)                                                   \
    X(TILELINK, a_mask, OUT, STROBE, NEEDED)                                                       \
    X(TILELINK, a_data, OUT, DATA, NEEDED)                                                         \
    X(TILELINK, d_valid, IN, ONE, NEEDED)                                                          \
    X(TILELINK, d_ready, OUT, ONE, NEEDED)                                                         \
    X(TILELINK, d_opcode, IN, ANY, NEEDED)                                                         \
    X(TILELINK, d_size, IN, ANY, NEEDED)                                                           \
    X(TILELINK, d_source, IN, ID, OPTIONAL)                                                        \
    X(TILELINK, d_denied, IN, ONE, OPTIONAL)                                                       \
    X(TILELINK, d_data, IN, DATA, NEEDED)

typedef enum duv_pin_protocol {
#define DUV_PROTOCOL_NAME(name, word) DUV_PIN_##name,
    DUV_PIN_PROTOCOLS(DUV_PROTOCOL_NAME)
#undef DUV_PROTOCOL_NAME
        DUV_PROTOCOL_COUNT
} duv_pin_protocol;

enum {
#define DUV_PIN_NUMBER(protocol, word, direction, bits, need) DUV_PIN_##protocol##_##word,
    DUV_PINS(DUV_PIN_NUMBER)
#undef DUV_PIN_NUMBER
        DUV_PIN_COUNT
};

typedef enum duv_pin_bits { /* how many a signal has */
                            DUV_BITS_ONE,
                            DUV_BITS_ADDRESS,
                            DUV_BITS_DATA,
                            DUV_BITS_STROBE, /* one for each byte of the data */
                            DUV_BITS_ID,
                            DUV_BITS_ANY /* 1 to 64 */
} duv_pin_bits;

typedef struct duv_pin {
    duv_pin_protocol protocol;
    const char *word;
    bool is_input, is_needed;
    duv_pin_bits bits;
} duv_pin;

typedef struct duv_chip_bus {
    uint64_t protocol; /* duv_pin_protocol */
    base_place place;
    duv_named prefix;
    duv_named signals[DUV_PIN_COUNT]; /* those of the file; else they follow from the prefix */
    bool is_there[DUV_PIN_COUNT];     /* once the top module is known */
    uint64_t bits[DUV_BITS_ANY + 1];  /* by duv_pin_bits */
    bool counts_words;
    bool interleaves;
    bool is_classic; /* of Wishbone: whatever signals there are, it is not pipelined */
    uint64_t latency;
} duv_chip_bus;

/* What a hart retires, and what its writes replace. Rows X(NAME, key, word, usual name). */
#define DUV_TAP_SIGNALS(X)                                                                         \
    X(RETIRE_VALID, valid, retire_valid, rvfi_valid)                                               \
    X(RETIRE_PC, pc, retire_pc, rvfi_pc_rdata)                                                     \
    X(RETIRE_REGISTER, register, retire_register, rvfi_rd_addr)                                    \
    X(RETIRE_VALUE, value, retire_value, rvfi_rd_wdata)                                            \
    X(COMMIT_VALID, valid, commit_valid, commit_valid)                                             \
    X(COMMIT_PC, pc, commit_pc, commit_pc)                                                         \
    X(COMMIT_OLD, old, commit_old, commit_old)

typedef enum duv_tap_signal {
#define DUV_TAP_NAME(name, key, word, usual) DUV_TAP_##name,
    DUV_TAP_SIGNALS(DUV_TAP_NAME)
#undef DUV_TAP_NAME
        DUV_TAP_SIGNAL_COUNT
} duv_tap_signal;

typedef struct duv_chip_file {
    duv_chip_bus buses[DUV_MOST_BUSES];
    uint32_t bus_count;
    base_place place;   /* of `bus`; line 0: it is not a chip */
    char platform[256]; /* its name, or a file beside the design's */
    base_place platform_place;
    uint64_t harts, rounds; /* harts 0: as many as the platform has */
    bool has_tap, has_commits, says_log, takes_atomics, is_current;
    uint32_t skew, stalls; /* of starts: bits; of the bus: percent */
    uint64_t log;          /* col_chip_log */
    duv_named tap[DUV_TAP_SIGNAL_COUNT];
    uint32_t tap_bits[DUV_TAP_SIGNAL_COUNT]; /* of one hart's or tap's, once they are known */
    uint32_t taps;                           /* of a hart */
    /* What the platform says, once it has been read: */
    base_text platform_text;
} duv_chip_file;

void duv_chip_file_default(duv_chip_file *chip);
void duv_chip_file_free(duv_chip_file *chip);

/* Readers of keys (base/yaml.h). A bus is read into a design file's chip.buses, its first member;
 * signals into chip.tap. */
col_status duv_chip_read_bus(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *chip);
col_status duv_chip_read_tap(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *tap);
col_status duv_chip_read_commit(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *tap);

#endif
