// SPDX-License-Identifier: MIT
// The sources of msi_system, packages first: verilator -F rtl/msi/msi.f
+incdir+../common
../port/port_package.sv
msi_package.sv
fifo.sv
round_robin.sv
channel.sv
cache_controller.sv
cache.sv
store_buffer.sv
port_front.sv
bus.sv
memory_controller.sv
memory_storage.sv
memory_outside.sv
memory.sv
msi_system.sv
