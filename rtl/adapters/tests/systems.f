// SPDX-License-Identifier: MIT
// Memory systems with ports of all buses to try the adapters on; packages come from
// adapters.f, which Collider adds by itself.
-F ../../msi/msi.f
front_engine.sv
shuffle_queue.sv
shared_memory.sv
bus_memory.sv
job_queue.sv
axi4_front.sv
axi4_system.sv
tilelink_front.sv
tilelink_system.sv
wishbone_front.sv
wishbone_system.sv
ahb_front.sv
apb_front.sv
obi_front.sv
in_order_system.sv
