/* SPDX-License-Identifier: MIT */
/* The design that the files in tests/data/coverage are of. */
#pragma once

#include <collider/cover.h>

static const col_duv_machine toy_machines[] = {
    {.name = "L1Cache", .controllers = 2, .is_private = true, .first_point = 0, .point_count = 4},
    {.name = "Directory", .controllers = 1, .first_point = 4, .point_count = 3}};

static const col_duv_point toy_points[] = {
    {"I", "Store", true}, {"I", "Load", true},  {"S", "Invalidate", true}, {"M", "Load", false},
    {"busy", "", true},   {"I", "Get#M", true}, {"I", "-", true}};

static const col_duv_description toy_design = {.name = "toy",
                                               .cores = 2,
                                               .geometry = {.block_bits = 6},
                                               .machine_count = 2,
                                               .point_count = 7,
                                               .machines = toy_machines,
                                               .points = toy_points,
                                               .reachable_known = true};
