// SPDX-License-Identifier: MIT
// The sources of chip and of the chips with another bus: verilator -F rtl/cores/chip.f
-F cluster.f
code_cache.sv
device_port.sv
chip.sv
../bus/native_to_wishbone.sv
../bus/native_to_axi4.sv
../bus/native_to_tilelink.sv
chip_wishbone.sv
chip_axi4.sv
chip_tilelink.sv
chip_in_order.sv
