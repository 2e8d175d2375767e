/* SPDX-License-Identifier: MIT */
/*
 * Collider as a guest of a simulator that runs on its own, such as a commercial one: the simulator
 * loads libcollider-guest.so, and SystemVerilog calls these functions through DPI-C (rtl/guest has
 * the package and a module that does so; docs/guest.md). A command of Collider's runs in a thread
 * of its own; where it runs an instance on a design file of kind verilog, the simulator is the
 * design. All are called by the simulator's thread. Arguments are what DPI-C makes of int, int
 * unsigned, longint unsigned and string.
 */
#ifndef COLLIDER_GUEST_H
#define COLLIDER_GUEST_H

#include <collider/compiler.h>

#include <stdint.h>

COL_C_BEGIN

/* What the next cycle is for. */
enum {
    COL_GUEST_RUNS,  /* an instance */
    COL_GUEST_RESET, /* reset is on; memory is to be 0 after it, if the guest does not see to that
                      */
    COL_GUEST_DONE   /* the command has ended */
};

/* A cover point, before the guest is opened: `label` as in docs/rtl.md. Points of one module are
 * declared one after the other. Returns its number, from 0; -1: that is not possible. */
COL_API int col_guest_cover(const char *module, unsigned instances, const char *label);

/* Starts the command, without "collider" itself; quotes and backslashes mean what they mean to a
 * shell. `clears`: the guest stores 0 to all locations of a test before it begins. Returns 0, or 1
 * if it cannot be started, and says why on standard error. */
COL_API int col_guest_open(const char *command, unsigned ports, unsigned address_bits,
                           unsigned data_bits, unsigned tag_bits, int has_invalidate,
                           int has_commit, int clears);

/* What a port showed at the rising edge, for each port in each cycle of an instance; */
COL_API void col_guest_listen(unsigned port, int request_ready, int response_valid,
                              unsigned response_tag, uint64_t response_data, int invalidate_valid,
                              uint64_t invalidate_address, int commit_valid, unsigned commit_tag,
                              uint64_t commit_old);
/* then, once: COL_GUEST_... of the next cycle. Waits while Collider judges, and prepares tests; */
COL_API int col_guest_cycle(void);
/* then what the port is to be given in the next cycle, for each port; */
COL_API void col_guest_drive(unsigned port, int *request_valid, int *operation, int *width,
                             uint64_t *address, uint64_t *data, unsigned *tag, int *response_ready);
/* and the inputs of the design file, numbered from 0 as the file has them. */
COL_API uint64_t col_guest_input(unsigned number);

/* A cover point was hit in this cycle, in an instance of its module. */
COL_API void col_guest_hit(int point, unsigned instance);
/* The design itself has seen an error, such as an assertion that fails: the instance ends. */
COL_API void col_guest_fail(const char *message);

/* At the end of the simulation. Returns the exit status of the command: 0, nothing was found; 1, an
 * error was; 2 and above, it could not be run. */
COL_API int col_guest_close(void);

COL_C_END
#endif
