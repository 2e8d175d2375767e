/* SPDX-License-Identifier: MIT */
/*
 * The simulator as a design. A command, in its own thread, opens it, loads a program and runs an
 * instance: that waits until the simulator's thread, which calls gst_next between two cycles, has
 * run it. One of the two threads waits at any time, so they share all this without further locks.
 */
#ifndef DESIGN_GUEST_GUEST_DESIGN_H
#define DESIGN_GUEST_GUEST_DESIGN_H

#include "collider/agent.h"
#include "collider/duv.h"
#include "design/verilog/verilog_file.h"

/* What the ports of the simulated memory system are like. */
typedef struct gst_shape {
    uint32_t ports, address_bits, data_bits, tag_bits;
    bool has_invalidate, has_commit, clears;
} gst_shape;

typedef enum gst_stage { GST_RESETS, GST_CLEARS, GST_RUNS } gst_stage;

typedef struct gst_port {
    bool has_request, is_ready;
} gst_port;

/* An open design, and the instance of it that is under way. */
typedef struct gst_design {
    duv_verilog_file file;
    col_duv_description description;
    col_agents *agents;
    const col_program *program;
    uint64_t limit;
    col_port_input drawn[DUV_MOST_INPUTS];
    uint64_t values[DUV_MOST_INPUTS]; /* of inputs, in this cycle */
    gst_port *ports;
    gst_stage stage;
    uint64_t left;    /* cycles of reset */
    uint32_t cleared; /* locations */
    bool clears;      /* as the shape */
    bool is_asked;    /* the store that clears the next one was taken */
    bool failed;      /* the simulator said so: the run has its message */
    const volatile int *stop;
    col_run *run;
} gst_design;

extern const col_duv_interface gst_interface;

/* Before the command's thread starts. */
void gst_begin(const gst_shape *shape);
/* The command's thread is about to end. */
void gst_end(void);
/* The simulator's thread: the instance that is to be run, NULL: there will be none. Waits for it.
 */
gst_design *gst_next(void);
/* And the instance has been run. */
void gst_done(void);
/* There will be no further cycles. */
void gst_leave(void);

/* Cover points that a simulator declares, as points of a design. */

enum { GST_MOST_MACHINES = 64, GST_MOST_POINTS = 4096 };

/* Of the next point of a machine, by its label: STATE__EVENT, or a name. -1: there are too many, or
 * the machine is not the last one. */
int gst_points_add(const char *machine, uint32_t controllers, const char *label);

void gst_points_describe(col_duv_description *description);

/* A point was hit; and what was, since it was last asked. */
void gst_points_hit(const col_duv_description *description, int point, uint32_t controller);
void gst_points_collect(const col_duv_description *description, uint64_t *hits);

#endif
