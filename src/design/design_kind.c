/* SPDX-License-Identifier: MIT */
/* The table of the kinds of designs: see kind.h. */
#include "duv/kind.h"

#include "base/plugin.h"
#include "duv/command_file.h"
#include "sim/design.h"
#include "sim/design_error.h"

#include <stddef.h>

/* What all that the built-in simulator runs has in common. */
#define SIMULATED                                                                                  \
    .has_protocol = true, .takes_errors = true, .takes_mutants = true,                             \
    .identify = duv_simulator_identify, .interface = &duv_simulator, .keys = duv_simulator_keys,   \
    .drawn = duv_simulator_drawn

static bool opens_any(const char *what) {
    (void)what;
    return true;
}

static const duv_kind plugin = {
    .name = "a plug-in",
    .form = "FILE.so",
    .summary = "a plug-in: native code",
    .opens = base_is_plugin,
    .is_file = true,
    .is_code = true,
    .identify = duv_plugin_identify,
    .load = duv_plugin_load,
    .unload = base_plugin_unload,
};

static const duv_kind served = {
    .name = "a command",
    .form = "serve:COMMAND",
    .summary = "a command that speaks the serve protocol",
    .opens = duv_is_serve,
    .is_code = true,
    .identify = duv_serve_identify,
    .interface = &duv_serve,
    .limit = duv_serve_limit,
    .interrupt = duv_serve_interrupt,
};

static const duv_kind verilog = {
    .name = "a Verilog design",
    .form = "FILE.yaml",
    .summary = "a design file of kind verilog: a memory system or chip for Verilator",
    .opens = duv_is_verilog,
    .is_file = true,
    .is_code = true,
    .identify = duv_verilog_identify,
    .load = duv_verilog_load,
    .load_traced = duv_verilog_load_traced,
    .unload = base_plugin_unload,
};

static const duv_kind guest = {
    .name = "a Verilog design",
    .form = "FILE.yaml",
    .summary = "a design file of kind verilog, in the simulator whose guest Collider is",
    .opens = duv_is_guest,
    .is_file = true,
    .identify = duv_verilog_identify,
    .load = duv_guest_load,
    .unload = base_plugin_unload,
};

/* What all commands that run images have in common. */
#define COMMANDED                                                                                  \
    .identify = duv_command_identify, .interface = &duv_command, .limit = duv_command_limit,       \
    .interrupt = duv_command_interrupt, .expect = duv_command_expect,                              \
    .programs = duv_command_programs

static const duv_kind command_file = {
    .name = "a command",
    .form = "FILE.yaml",
    .summary = "a design file of kind command: a simulator that runs images",
    .opens = duv_is_command_file,
    .is_file = true,
    .is_code = true,
    COMMANDED,
};

static const duv_kind named_command = {
    .name = "a command of the list",
    .form = "NAME",
    .summary = "an emulator of the list: collider design list",
    .opens = duv_is_named_command,
    COMMANDED,
};

static const duv_kind design_file = {
    .name = "a design file",
    .form = "FILE.yaml",
    .summary = "a design file for the simulator",
    .opens = sim_is_design_file,
    .is_file = true,
    SIMULATED,
};

static const duv_kind protocol_file = {
    .name = "a protocol",
    .form = "FILE.slicc, FILE.sm",
    .summary = "a protocol in SLICC, wired as the simulator sees fit",
    .opens = sim_is_protocol_file,
    .is_file = true,
    SIMULATED,
};

static const duv_kind host = {
    .name = "the host",
    .form = "host",
    .summary = "the processors of this machine",
    .opens = duv_is_host,
    .identify = duv_host_identify,
    .interface = &duv_host,
};

static const duv_kind named = {
    .name = "a design of the list",
    .form = "NAME",
    .summary = "a design of the list: collider design list",
    .opens = opens_any,
    SIMULATED,
};

const duv_kind *const duv_kinds[] = {&guest,         &served,  &plugin,      &protocol_file,
                                     &command_file,  &verilog, &design_file, &host,
                                     &named_command, &named,   NULL};

const duv_kind *duv_kind_of(const char *design) {
    const duv_kind *const *kind = duv_kinds;
    while (!(*kind)->opens(design))
        kind++;
    return *kind;
}

bool duv_error_is_file(const char *error_name) {
    return sim_is_error_file(error_name);
}
