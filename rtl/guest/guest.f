// SPDX-License-Identifier: MIT
// Collider as a guest of a simulator: verilator -F rtl/guest/guest.f (docs/guest.md)
collider_guest_package.sv
collider_guest.sv
