/* SPDX-License-Identifier: MIT */
/*
 * The SAT solver's memory: see solve_memory.h. operator new calls a handler before it throws. Ours
 * unwinds the stack by force, as the end of a thread does: destructors run, and the guard goes on.
 */
#include "check/solve_memory.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unwind.h>

/* std::set_new_handler and std::__throw_bad_alloc. */
typedef void (*new_handler)(void);
new_handler cxx_set_new_handler(new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE");
_Noreturn void cxx_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");

typedef struct guard {
    jmp_buf way_out;
    uintptr_t frame; /* stacks grow down: frames of the work are below */
    struct _Unwind_Exception exception;
} guard;

static _Thread_local guard *active; /* of this thread; a handler has no context */

static _Unwind_Reason_Code stop_at_guard(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context, void *target) {
    guard *g = target;
    (void)version;
    (void)class;
    (void)exception;
    if (_Unwind_GetCFA(context) >= g->frame || (actions & _UA_END_OF_STACK) != 0)
        longjmp(g->way_out, 1);
    return _URC_NO_REASON;
}

/* Other threads of the process are not ours to unwind. */
static void leave(void) {
    guard *g = active;
    if (g == NULL)
        cxx_throw_bad_alloc();
    active = NULL;
    (void)_Unwind_ForcedUnwind(&g->exception, stop_at_guard, g);
    abort(); /* it does not return */
}

bool chk_guard_memory(void (*work)(void *context), void *context) {
    guard g = {.frame = (uintptr_t)__builtin_frame_address(0)};
    const new_handler old = cxx_set_new_handler(leave);
    if (setjmp(g.way_out) != 0) {
        (void)cxx_set_new_handler(old);
        return false;
    }
    active = &g;
    work(context);
    active = NULL;
    (void)cxx_set_new_handler(old);
    return true;
}
