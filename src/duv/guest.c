/* SPDX-License-Identifier: MIT */
/* Verilog designs of a simulator whose guest we are: see guest.h. */
#include "duv/guest.h"

#include "duv/kind.h"

static const col_duv_interface *simulator; /* set before any design is opened */

void duv_guest_set(const col_duv_interface *interface) {
    simulator = interface;
}

bool duv_is_guest(const char *what) {
    return simulator != NULL && duv_is_verilog(what);
}

col_status duv_guest_load(const char *what, const col_duv_interface **interface, void **code,
                          col_problem *problem) {
    (void)what;
    (void)problem;
    *interface = simulator;
    *code = NULL;
    return COL_OK;
}
