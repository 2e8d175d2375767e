/* SPDX-License-Identifier: MIT */
/*
 * Tables of translation for a platform, on AArch64 and x86-64: every address is itself. RAM is
 * cached (and inner shareable), the uncached window is not cached, everything else is a device. On
 * x86-64 there is nothing above 4 GiB but RAM and the window.
 */
#ifndef ISA_PAGES_H
#define ISA_PAGES_H

#include "isa/platform.h"

/* 0: the instruction set has none. */
uint64_t isa_pages_bytes(const isa_platform *platform);

/* Appends the tables, which will be at this address, a multiple of 4096. */
void isa_pages_emit(const isa_platform *platform, uint64_t address, isa_code *code);

#endif
