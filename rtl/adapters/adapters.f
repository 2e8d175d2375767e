// SPDX-License-Identifier: MIT
// The adapters from the request port to buses: verilator -F rtl/adapters/adapters.f
collider_adapter_package.sv
collider_under_way.sv
collider_offer_checker.sv
collider_in_order.sv
collider_axi4_adapter.sv
collider_axi4_checker.sv
collider_tilelink_adapter.sv
collider_tilelink_checker.sv
collider_wishbone_adapter.sv
collider_wishbone_checker.sv
collider_ahb_adapter.sv
collider_ahb_checker.sv
collider_apb_adapter.sv
collider_apb_checker.sv
collider_obi_adapter.sv
collider_obi_checker.sv
