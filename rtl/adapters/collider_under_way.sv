// SPDX-License-Identifier: MIT
// The requests of a port that are under way, the oldest first. An answer belongs to the oldest that
// has its identifier; one of several beats is that many answers.
module collider_under_way #(
    parameter int ENTRIES      = 8,
    parameter int ADDRESS_BITS = 32,
    parameter int TAG_BITS     = 4,
    parameter int ID_BITS      = 4
) (
    input  logic                    clock,
    input  logic                    reset,

    // A request that wants to go under way, and whether it does at this edge.
    input  logic                    push,
    input  logic [ADDRESS_BITS-1:0] address,
    input  logic [1:0]              width,
    input  logic [TAG_BITS-1:0]     tag,
    input  logic [ID_BITS-1:0]      id,
    output logic                    overlaps,       // it shares bytes with one that is under way
    output logic                    shares_id,      // or the identifier
    output logic                    full,
    output logic                    empty,

    // An answer, whether it is taken at this edge, and whether others of its request follow.
    input  logic                    pop,
    input  logic                    continues,
    input  logic [ID_BITS-1:0]      answered_id,
    output logic                    found,
    output logic [ADDRESS_BITS-1:0] found_address,
    output logic [1:0]              found_width,
    output logic [TAG_BITS-1:0]     found_tag,
    output logic [7:0]              found_beat      // answers before this one
);
    localparam int INDEX_BITS = $clog2(ENTRIES + 1);

    typedef struct packed {
        logic [ADDRESS_BITS-1:0] address;
        logic [1:0]              width;
        logic [TAG_BITS-1:0]     tag;
        logic [ID_BITS-1:0]      id;
        logic [7:0]              beat;
    } entry_t;

    entry_t [ENTRIES-1:0]    entries;
    logic   [INDEX_BITS-1:0] count, index;

    function automatic logic share_bytes(logic [ADDRESS_BITS-1:0] other, logic [1:0] other_width);
        return (other ^ address) >> (other_width > width ? other_width : width) == '0;
    endfunction

    always_comb begin
        overlaps  = 1'b0;
        shares_id = 1'b0;
        found     = 1'b0;
        index     = '0;
        for (int i = ENTRIES - 1; i >= 0; i--)
            if (INDEX_BITS'(i) < count) begin
                overlaps  = overlaps || share_bytes(entries[i].address, entries[i].width);
                shares_id = shares_id || entries[i].id == id;
                if (entries[i].id == answered_id) begin
                    found = 1'b1;
                    index = INDEX_BITS'(i);
                end
            end
    end

    always_comb begin
        found_address = '0;
        found_width   = '0;
        found_tag     = '0;
        found_beat    = '0;
        for (int i = 0; i < ENTRIES; i++)
            if (INDEX_BITS'(i) == index) begin
                found_address = entries[i].address;
                found_width   = entries[i].width;
                found_tag     = entries[i].tag;
                found_beat    = entries[i].beat;
            end
    end

    assign full  = count == INDEX_BITS'(ENTRIES);
    assign empty = count == '0;

    logic                  ends;
    logic [INDEX_BITS-1:0] kept;
    assign ends = pop && found && !continues;
    assign kept = count - INDEX_BITS'(ends);

    always_ff @(posedge clock)
        if (reset) begin
            count <= '0;
        end else begin
            for (int i = 0; i < ENTRIES; i++)
                if (push && INDEX_BITS'(i) == kept)
                    entries[i] <= '{address: address, width: width, tag: tag, id: id, beat: '0};
                else if (ends && INDEX_BITS'(i) >= index && i + 1 < ENTRIES)
                    entries[i] <= entries[i + 1 < ENTRIES ? i + 1 : i];
                else if (pop && found && INDEX_BITS'(i) == index)
                    entries[i].beat <= entries[i].beat + 1'b1;
            count <= kept + INDEX_BITS'(push);
        end
endmodule
