// SPDX-License-Identifier: MIT
// The sources of cluster, packages first: verilator -F rtl/cores/cluster.f
-F ../msi/msi.f
../port/memory_port.sv
../port/memory_ports_flat.sv
cores_package.sv
decoder.sv
arithmetic_unit.sv
machine_registers.sv
core.sv
barrier_device.sv
cluster.sv
