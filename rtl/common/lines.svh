// SPDX-License-Identifier: MIT
// Functions that every cache of rtl/ needs, for the body of its module. They use its parameters
// (SETS, WAYS, DATA_BITS, ...), its types (state_t, block_t, place_t) and its arrays `states` and
// `blocks`, where set s has the places s * WAYS to s * WAYS + WAYS - 1.

// ---- Finding blocks.

typedef struct packed {
    state_t state;   // I: not here
    place_t place;
} lookup_t;

function automatic place_t place_of(block_t block, int way);
    return PLACE_BITS'((32'(block) % SETS) * WAYS + way);
endfunction

function automatic lookup_t look_up(block_t block);
    lookup_t found;
    found = '{state: I, place: place_of(block, 0)};
    for (int way = 0; way < WAYS; way++)
        if (states[place_of(block, way)] != I && blocks[place_of(block, way)] == block)
            found = '{state: states[place_of(block, way)], place: place_of(block, way)};
    return found;
endfunction

// Where a block of this set goes: to a free way, or to that of the victim whose turn it is.
function automatic lookup_t find_room(block_t block, logic [7:0] at);
    lookup_t room;
    place_t  victim;
    victim = place_of(block, 32'(at) % WAYS);
    room   = '{state: states[victim], place: victim};
    for (int way = 0; way < WAYS; way++)
        if (states[place_of(block, way)] == I)
            room = '{state: I, place: place_of(block, way)};
    return room;
endfunction

function automatic logic same_set(block_t a, block_t b);
    return 32'(a) % SETS == 32'(b) % SETS;
endfunction

// ---- Words in blocks. Data at the port begins at bit 0, whatever its address.

function automatic logic [DATA_BITS-1:0] mask_of(width_t width);
    logic [DATA_BITS:0] one;
    one = (DATA_BITS + 1)'(1);
    return DATA_BITS'((one << (8 << width)) - one);
endfunction

function automatic logic [DATA_BITS-1:0] word_of(logic [LINE_BITS-1:0] line,
                                                 logic [OFFSET_BITS-1:0] offset, width_t width);
    return DATA_BITS'(line >> {offset, 3'b0}) & mask_of(width);
endfunction

function automatic logic [LINE_BITS-1:0] with_word(logic [LINE_BITS-1:0] line,
                                                   logic [OFFSET_BITS-1:0] offset,
                                                   width_t width, logic [DATA_BITS-1:0] word);
    logic [LINE_BITS-1:0] mask;
    mask = LINE_BITS'(mask_of(width)) << {offset, 3'b0};
    return (line & ~mask) | ((LINE_BITS'(word) << {offset, 3'b0}) & mask);
endfunction
