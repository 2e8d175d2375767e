// SPDX-License-Identifier: MIT
// Verilator's runtime, in which collider/verilator.hpp takes the place of what prints and stops.
int collider_verilated_print(const char *format, ...);
#define VL_PRINTF collider_verilated_print
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
#include "verilated.cpp"
#include "verilated_threads.cpp"
