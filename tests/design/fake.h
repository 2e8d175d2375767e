/* SPDX-License-Identifier: MIT */
/*
 * A design that does in each instance what the seed says, for processes to go wrong in. Every
 * instance hits its first point seven times and its third one once, and its events tell what it
 * knows: the cycle is their number, the word the locations of the program, the block how many
 * instances this state has run.
 */
#pragma once

#include "collider/duv.h"

enum {
    FINE,     /* `FAKE_EVENTS` events */
    SEGFAULT, /* after `FAKE_SOME` events, like most that follow */
    EXITS,    /* with status 3 */
    HANGS,
    SAYS_FAILURE,  /* two events with messages more */
    REFUSES,       /* a status that is not COL_OK, and no events */
    UNTIL_STOP,    /* events until it is stopped */
    SILENT,        /* no events until it is stopped */
    TELLS_PROCESS, /* the message is its number */
    TELLS_AND_HANGS,
    CLOSES_ALL,    /* descriptors, and hangs */
    FORKS,         /* a process that hangs, and hangs itself */
    FLOODS,        /* events for ever */
    KILLED,        /* as by a machine without memory */
    STOPS_OR_DIES, /* events until it is stopped, and a hundred later a crash */
    STOPS_OR_HANGS
};

enum { FAKE_EVENTS = 5000, FAKE_SOME = 1500 };

/* Asks for a process of its own. Options: "refuse" and "crash" when it is opened. Programs with 98
 * locations are refused, with 99 it exits. The environment's FAKE_NAME is its name. */
extern const col_duv_interface fake_interface;
