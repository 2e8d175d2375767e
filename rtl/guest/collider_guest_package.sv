// SPDX-License-Identifier: MIT
// The functions of libcollider-guest.so, for any simulator with DPI-C: docs/guest.md. What each does is
// said in include/collider/guest.h.
package collider_guest_package;
    typedef enum int {
        GUEST_RUNS  = 0,   // the next cycle belongs to a test
        GUEST_RESET = 1,   // reset is on in it
        GUEST_DONE  = 2    // there is nothing more to do
    } phase_t;

    import "DPI-C" function int col_guest_cover(input string module_name, input int unsigned instances,
                                                input string label);
    import "DPI-C" function int col_guest_open(input string command, input int unsigned ports,
                                               input int unsigned address_bits,
                                               input int unsigned data_bits,
                                               input int unsigned tag_bits, input int has_invalidate,
                                               input int has_commit, input int clears);
    import "DPI-C" function void col_guest_listen(input int unsigned port, input int request_ready,
                                                  input int response_valid,
                                                  input int unsigned response_tag,
                                                  input longint unsigned response_data,
                                                  input int invalidate_valid,
                                                  input longint unsigned invalidate_address,
                                                  input int commit_valid,
                                                  input int unsigned commit_tag,
                                                  input longint unsigned commit_old);
    import "DPI-C" function int col_guest_cycle();
    import "DPI-C" function void col_guest_drive(input int unsigned port, output int request_valid,
                                                 output int operation, output int width,
                                                 output longint unsigned address,
                                                 output longint unsigned data,
                                                 output int unsigned tag, output int response_ready);
    import "DPI-C" function longint unsigned col_guest_input(input int unsigned number);
    import "DPI-C" function void col_guest_hit(input int point, input int unsigned instance_number);
    import "DPI-C" function void col_guest_fail(input string message);
    import "DPI-C" function int col_guest_close();
endpackage
