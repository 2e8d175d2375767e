// SPDX-License-Identifier: MIT
// What the adapters share: the operations of the request port (docs/rtl-port.md), and where a word
// lies in the data of a bus. A package of its own, since the user's design may have port_package.
package collider_adapter_package;

    // No core asks for the last two; rtl/adapters/tests has them for exclusive accesses.
    typedef enum logic [3:0] {
        LOAD, STORE, SWAP, ADD, FENCE, FLUSH, LOAD_RESERVED = 4'd13, STORE_CONDITIONAL = 4'd14
    } operation_t;

    function automatic logic is_atomic(logic [3:0] operation);
        return operation == SWAP || operation == ADD;
    endfunction

    // Those that no bus has: they are answered when nothing is under way.
    function automatic logic is_local(logic [3:0] operation);
        return operation == FENCE || operation == FLUSH;
    endfunction

    // The bits, and the bytes, of an access of 1, 2, 4 or 8 bytes.
    function automatic logic [63:0] bits_of(logic [1:0] width);
        return 64'hffff_ffff_ffff_ffff >> (64 - (7'd8 << width));
    endfunction

    function automatic logic [7:0] bytes_of(logic [1:0] width);
        return 8'hff >> (4'd8 - (4'd1 << width));
    endfunction

endpackage
