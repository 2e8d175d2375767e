/* SPDX-License-Identifier: MIT */
/* The design that a simulator is, whose guest we are: see collider/guest.h. */
#ifndef DUV_GUEST_H
#define DUV_GUEST_H

#include "collider/duv.h"

/* From now on, design files of kind verilog are opened by this interface; NULL: by Verilator. */
void duv_guest_set(const col_duv_interface *interface);

#endif
