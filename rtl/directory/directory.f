// SPDX-License-Identifier: MIT
// The sources of directory_system, packages first: verilator -F rtl/directory/directory.f
+incdir+../common
../port/port_package.sv
../msi/msi_package.sv
directory_package.sv
../msi/fifo.sv
../msi/round_robin.sv
../msi/store_buffer.sv
../msi/port_front.sv
l1_controller.sv
request.sv
l1.sv
unordered_network.sv
directory_controller.sv
transaction.sv
directory.sv
directory_system.sv
