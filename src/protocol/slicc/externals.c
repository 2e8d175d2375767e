/* SPDX-License-Identifier: MIT */
/* The table of externals: see emit_protocol.h. Rows of one object stand together. */
#include "protocol/slicc/emit_protocol.h"

#include <stddef.h>
#include <string.h>

static const slicc_external table[] = {
    /* Time. One tick is one cycle. */
    {"", "clockEdge", "", "Tick", "$s->now"},
    {"", "clockEdge", ".", "Tick", "($s->now + (sl_cycles)($1))"},
    {"", "curCycle", "", "Cycles", "$s->now"},
    {"", "cyclesToTicks", ".", "Tick", "((sl_cycles)($1))"},
    {"", "ticksToCycles", ".", "Cycles", "((sl_cycles)($1))"},
    {"", "intToCycles", ".", "Cycles", "(sl_cycles)($1)"},
    {"", "intToTick", ".", "Tick", "(sl_cycles)($1)"},
    {"", "Cycles", ".", "Cycles", "(sl_cycles)($1)"},
    {"", "zero_time", "", "Cycles", "((sl_cycles)0)"},
    {"", "curTick", "", "Tick", "$s->now"},
    {"", "get_time", "", "Cycles", "$s->now"},
    /* Machines and addresses. */
    {"", "mapAddressToMachine", ".T", "MachineID", "sl_map_address($c, $1, (uint32_t)$2)"},
    {"", "map_Address_to_Directory", ".", "MachineID",
     "sl_map_address($c, $1, (uint32_t)sm_value_MachineType_Directory)"},
    {"", "map_Address_to_DirectoryNode", ".", "NodeID",
     "(int64_t)sl_machine_number(sl_map_address($c, $1, "
     "(uint32_t)sm_value_MachineType_Directory))"},
    {"", "mapAddressToRange", ".T..", "MachineID", "sl_map_range($c, $1, (uint32_t)$2, $3, $4)"},
    {"", "mapAddressToRange", ".T...", "MachineID", "sl_map_range($c, $1, (uint32_t)$2, $3, $4)"},
    {"", "mapAddressToDownstreamMachine", ".", "MachineID", "sl_map_downstream($c, $1)"},
    {"", "mapAddressToDownstreamMachine", "..", "MachineID",
     "sl_map_downstream_of($c, $1, (uint32_t)$2)"},
    {"", "machineIDToNodeID", ".", "NodeID", "(int64_t)sl_machine_number($1)"},
    {"", "machineIDToVersion", ".", "NodeID", "(int64_t)sl_machine_number($1)"},
    {"", "machineIDToMachineType", ".", "MachineType", "(int32_t)sl_machine_type($1)"},
    {"", "ConvertMachToGenericMach", ".", "MachineType", "((int32_t)($1))"},
    {"", "createMachineID", "T.", "MachineID", "sl_machine_named((uint32_t)$1, $2)"},
    {"", "machineCount", "T", "int", "(int64_t)sl_count($s, (uint32_t)$1)"},
    {"", "intToID", ".", "NodeID", "((int64_t)($1))"},
    {"", "IDToInt", ".", "int", "((int64_t)($1))"},
    {"", "max_tokens", "", "int", "(int64_t)$s->tokens"},
    {"", "makeLineAddress", ".", "Addr", "sl_line($1)"},
    {"", "makeNextStrideAddress", "..", "Addr",
     "((sl_address)($1) + (sl_address)($2) * SL_BLOCK_BYTES)"},
    {"", "getOffset", ".", "int", "(int64_t)($1 & (SL_BLOCK_BYTES - 1))"},
    {"", "bitSelect", "...", "Addr", "sl_bit_select($1, $2, $3)"},
    {"", "maskLowOrderBits", "..", "Addr", "((sl_address)($1) >> (($2) & 63) << (($2) & 63))"},
    {"", "addressToInt", ".", "int", "(int64_t)($1)"},
    {"", "intToAddress", ".", "Addr", "(sl_address)($1)"},
    {"", "addressOffset", ".", "int", "(int64_t)($1 & (SL_BLOCK_BYTES - 1))"},
    {"", "map_Address_to_DMA", ".", "MachineID",
     "sl_machine_make((uint32_t)sm_value_MachineType_DMA, 0)"},
    {"", "addressOffset", "..", "int", "(int64_t)((sl_address)($1) - (sl_address)($2))"},
    {"", "mod", "..", "int", "sl_remainder($c, $1, $2)"},
    {"", "getBlockSizeBits", "", "int", "(int64_t)SL_BLOCK_BITS"},
    {"", "getBlockSizeBytes", "", "int", "(int64_t)SL_BLOCK_BYTES"},
    /* Waiting. */
    {"", "wakeUpBuffers", ".", "void", "sl_wake_buffers($c, $1, false)"},
    {"", "wakeUpBuffer", "..", "void", "sl_wake_buffers($c, $2, false)"},
    {"", "wakeUpAllBuffers", ".", "void", "sl_wake_buffers($c, $1, false)"},
    {"", "wakeUpAllBuffers", "", "void", "sl_wake_buffers($c, 0, true)"},
    {"", "dequeueMemRespQueue", "", "void", "sl_dequeue(sl_memory_queue($c))"},
    {"", "queueMemoryRead", "...", "void",
     "sl_memory_access($c, SL_MEMORY_READ, $1, $2, $3, NULL)"},
    {"", "queueMemoryWrite", "...D", "void", "sl_memory_access($c, SL_MEMORY_WB, $1, $2, $3, $4)"},
    {"", "queueMemoryWritePartial", "...D.", "void",
     "sl_memory_access($c, SL_MEMORY_WB, $1, $2, $3, $4)"},
    {"", "stallPort", "", "void", "sl_wake_later($c, 1)"},
    {"", "scheduleEvent", ".", "void", "sl_wake_later($c, $1)"},
    {"", "curTransitionEvent", "", "Event", "((int32_t)($c)->event)"},
    {"", "curTransitionNextState", "", "State",
     "((int32_t)($c)->cells[($c)->state * ($c)->event_count + ($c)->event].next)"},
    {"", "incomingTransactionStart", "*", "void", ""},
    {"", "incomingTransactionEnd", "*", "void", ""},
    {"", "outgoingTransactionStart", "*", "void", ""},
    {"", "outgoingTransactionEnd", "*", "void", ""},
    {"", "getRequestorID", ".", "RequestorID", "((int64_t)($1))"},
    {"", "isWriteRequest", ".", "bool", "sl_is_type($1, SL_WRITE_TYPES)"},
    {"", "isDataReadRequest", ".", "bool", "sl_is_type($1, SL_DATA_READ_TYPES)"},
    {"", "isReadRequest", ".", "bool", "sl_is_type($1, SL_READ_TYPES)"},
    {"", "isHtmCmdRequest", ".", "bool", "sl_is_type($1, SL_TRANSACTION_TYPES)"},
    {"", "isTlbiRequest", ".", "bool", "sl_is_type($1, SL_TLB_TYPES)"},
    {"", "blockOnQueue", "..", "void", ""},
    {"", "unblock", ".", "void", ""},
    {"", "isBlocked", ".", "bool", "false"},
    {"", "checkResourceAvailable", "*", "bool", "true"},
    {"", "recordRequestType", "*", "void", ""},

    {"NetDest", "add", ".", "void", "sl_dest_add($s, $0, $1)"},
    {"NetDest", "remove", ".", "void", "sl_dest_remove($s, $0, $1)"},
    {"NetDest", "addNetDest", "N", "void", "sl_dest_add_all($s, $0, $1)"},
    {"NetDest", "removeNetDest", "N", "void", "sl_dest_remove_all($s, $0, $1)"},
    {"NetDest", "setNetDest", "TN", "void", "sl_dest_set($s, $0, (uint32_t)$1, $2)"},
    {"NetDest", "clear", "", "void", "sl_dest_clear($s, $0)"},
    {"NetDest", "broadcast", "", "void", "sl_dest_everyone($s, $0)"},
    {"NetDest", "broadcast", "T", "void", "sl_dest_broadcast($s, $0, (uint32_t)$1)"},
    {"NetDest", "count", "", "int", "(int64_t)sl_dest_count($s, $0)"},
    {"NetDest", "isElement", ".", "bool", "sl_dest_has($s, $0, $1)"},
    {"NetDest", "isEmpty", "", "bool", "(sl_dest_count($s, $0) == 0)"},
    {"NetDest", "isSuperset", "N", "bool", "sl_dest_covers($s, $0, $1)"},
    {"NetDest", "intersectionIsEmpty", "N", "bool", "sl_dest_disjoint($s, $0, $1)"},
    {"NetDest", "smallestElement", "", "MachineID", "sl_dest_smallest($s, $0)"},
    {"NetDest", "smallestElement", "T", "MachineID", "sl_dest_smallest_of($s, $0, (uint32_t)$1)"},
    {"NetDest", "setSize", "*", "void", ""},

    {"Set", "add", ".", "void", "sl_set_add($c, $0, $1)"},
    {"Set", "remove", ".", "void", "sl_set_remove($s, $0, $1)"},
    {"Set", "isElement", ".", "bool", "sl_set_has($s, $0, $1)"},
    {"Set", "addSet", "N", "void", "sl_dest_add_all($s, $0, $1)"},
    {"Set", "removeSet", "N", "void", "sl_dest_remove_all($s, $0, $1)"},
    {"Set", "clear", "", "void", "sl_dest_clear($s, $0)"},
    {"Set", "count", "", "int", "(int64_t)sl_dest_count($s, $0)"},
    {"Set", "isEmpty", "", "bool", "(sl_dest_count($s, $0) == 0)"},
    {"Set", "isSuperset", "N", "bool", "sl_dest_covers($s, $0, $1)"},
    {"Set", "smallestElement", "", "NodeID", "(int64_t)sl_set_smallest($s, $0)"},
    {"Set", "setSize", "*", "void", ""},

    {"DataBlock", "clear", "", "void", "sl_data_clear($0)"},
    {"DataBlock", "copyPartial", "D..", "void", "sl_data_copy_part($c, $0, $1, $2, $3)"},
    {"DataBlock", "copyPartial", "DM", "void", "sl_data_copy_mask($0, $1, $2)"},
    /* A mask has no operations, so what is left of it is the block. */
    {"DataBlock", "atomicPartial", "*DM", "void", "(void)(*$0 = *$1)"},
    {"DataBlock", "numAtomicLogEntries", "", "int", "((int64_t)0)"},
    {"DataBlock", "clearAtomicLogEntries", "", "void", ""},

    {"WriteMask", "clear", "", "void", "(void)($0->bytes = 0)"},
    {"WriteMask", "fillMask", "", "void", "sl_mask_set($c, $0, 0, SL_BLOCK_BYTES, true)"},
    {"WriteMask", "isEmpty", "", "bool", "($0->bytes == 0)"},
    {"WriteMask", "isFull", "", "bool", "(sl_mask_count($c, $0, 0) == SL_BLOCK_BYTES)"},
    {"WriteMask", "containsMask", "M", "bool", "(($1->bytes | $0->bytes) == $0->bytes)"},
    {"WriteMask", "isOverlap", "M", "bool", "(($1->bytes & $0->bytes) != 0)"},
    {"WriteMask", "andMask", "M", "void", "(void)($0->bytes &= $1->bytes)"},
    {"WriteMask", "orMask", "M", "void", "(void)($0->bytes |= $1->bytes)"},
    {"WriteMask", "setInvertedMask", "M", "void", "sl_mask_invert($0, $1)"},
    {"WriteMask", "setMask", "..", "void", "sl_mask_set($c, $0, $1, $2, true)"},
    {"WriteMask", "setMask", "...", "void", "sl_mask_set($c, $0, $1, $2, $3)"},
    {"WriteMask", "getMask", "..", "bool", "sl_mask_has($c, $0, $1, $2)"},
    {"WriteMask", "test", ".", "bool", "sl_mask_has($c, $0, $1, 1)"},
    {"WriteMask", "firstBitSet", ".", "int", "sl_mask_first($c, $0, $1, 0)"},
    {"WriteMask", "firstBitSet", "..", "int", "sl_mask_first($c, $0, $1, $2)"},
    {"WriteMask", "count", "", "int", "sl_mask_count($c, $0, 0)"},
    {"WriteMask", "count", ".", "int", "sl_mask_count($c, $0, $1)"},

    {"TriggerQueue", "push", "E", "void", "sl_triggers_push($c, $0, $1, true)"},
    {"TriggerQueue", "pushNB", "E", "void", "sl_triggers_push($c, $0, $1, false)"},
    {"TriggerQueue", "pushFront", "E", "void", "sl_triggers_push_front($c, $0, $1, true)"},
    {"TriggerQueue", "pushFrontNB", "E", "void", "sl_triggers_push_front($c, $0, $1, false)"},
    {"TriggerQueue", "front", "", "template",
     "(sl_triggers_front($c, $0) & (SL_NOT_BLOCKING - 1))"},
    {"TriggerQueue", "next", "", "template", "(sl_triggers_front($c, $0) & (SL_NOT_BLOCKING - 1))"},
    {"TriggerQueue", "back", "", "template", "(sl_triggers_back($c, $0) & (SL_NOT_BLOCKING - 1))"},
    {"TriggerQueue", "frontNB", "", "bool", "(sl_triggers_front($c, $0) >= SL_NOT_BLOCKING)"},
    {"TriggerQueue", "backNB", "", "bool", "(sl_triggers_back($c, $0) >= SL_NOT_BLOCKING)"},
    {"TriggerQueue", "empty", "", "bool", "(($0)->count == 0)"},
    {"TriggerQueue", "pop", "", "void", "sl_triggers_pop($c, $0)"},

    {"ExpectedMap", "clear", ".", "void", "sl_expected_clear($0, $1)"},
    {"ExpectedMap", "addExpectedRespType", "E", "void",
     "sl_expected_add($c, &($0)->responses, $1)"},
    {"ExpectedMap", "addExpectedDataType", "E", "void", "sl_expected_add($c, &($0)->data, $1)"},
    {"ExpectedMap", "setExpectedCount", ".", "void", "(void)(($0)->total = ($1))"},
    {"ExpectedMap", "addExpectedCount", ".", "void",
     "(void)(($0)->total = (int64_t)((uint64_t)($0)->total + (uint64_t)($1)))"},
    {"ExpectedMap", "hasExpected", "", "bool", "(sl_expected_left($0) != 0)"},
    {"ExpectedMap", "hasReceivedResp", "", "bool", "(($0)->responses.received != 0)"},
    {"ExpectedMap", "hasReceivedData", "", "bool", "(($0)->data.received != 0)"},
    {"ExpectedMap", "expected", "", "int", "sl_expected_left($0)"},
    {"ExpectedMap", "received", "", "int", "sl_expected_received($0)"},
    {"ExpectedMap", "receiveResp", "E", "bool", "sl_expected_response($c, $0, $1)"},
    {"ExpectedMap", "receiveData", "E", "bool", "sl_expected_data($c, $0, $1)"},
    {"ExpectedMap", "receivedRespType", "E", "bool", "sl_expected_saw($c, &($0)->responses, $1)"},
    {"ExpectedMap", "receivedDataType", "E", "bool", "sl_expected_saw($c, &($0)->data, $1)"},

    {"TBEStorage", "size", "", "int", "((int64_t)($0)->used)"},
    {"TBEStorage", "capacity", "", "int", "((int64_t)($0)->capacity)"},
    {"TBEStorage", "reserved", "", "int", "((int64_t)($0)->reserved)"},
    {"TBEStorage", "slotsAvailable", "", "int", "sl_storage_free($0)"},
    {"TBEStorage", "areNSlotsAvailable", "*.", "bool", "(sl_storage_free($0) >= ($1))"},
    {"TBEStorage", "incrementReserved", "", "void", "sl_storage_reserve($c, $0, 1)"},
    {"TBEStorage", "decrementReserved", "", "void", "sl_storage_reserve($c, $0, -1)"},
    {"TBEStorage", "addEntryToNewSlot", "", "int", "sl_storage_take($c, $0)"},
    {"TBEStorage", "addEntryToSlot", ".", "void", "sl_storage_change($c, $0, $1, 1)"},
    {"TBEStorage", "removeEntryFromSlot", ".", "void", "sl_storage_change($c, $0, $1, -1)"},

    {"RubyRequest", "getRequestPtr", "", "RequestPtr", "((void)($0), (uint64_t)0)"},

    {"CacheMemory", "lookup", ".", "AbstractCacheEntry", "sl_cache_lookup($0, $1)"},
    {"CacheMemory", "isTagPresent", ".", "bool", "(sl_cache_lookup($0, $1) != NULL)"},
    {"CacheMemory", "cacheAvail", ".", "bool", "sl_cache_has_room($0, $1)"},
    {"CacheMemory", "cacheProbe", ".", "Addr", "sl_cache_probe($0, $1)"},
    {"CacheMemory", "findOther", "..", "Addr", "sl_cache_find_other($0, (uint32_t)$1, $2)"},
    {"CacheMemory", "deallocate", ".", "void", "sl_cache_deallocate($0, $1)"},
    {"CacheMemory", "getNullEntry", "", "AbstractCacheEntry", "NULL"},
    {"CacheMemory", "getTagLatency", "", "Cycles", "$0->tag_latency"},
    {"CacheMemory", "getDataLatency", "", "Cycles", "$0->data_latency"},
    {"CacheMemory", "checkResourceAvailable", "*", "bool", "true"},
    {"CacheMemory", "recordRequestType", "*", "void", ""},
    {"CacheMemory", "profileMiss", ".", "void", ""},
    {"CacheMemory", "profileGenericRequest", "*", "void", ""},
    {"CacheMemory", "profileDemandHit", "*", "void", ""},
    {"CacheMemory", "profileDemandMiss", "*", "void", ""},
    {"CacheMemory", "profilePrefetchHit", "*", "void", ""},
    {"CacheMemory", "profilePrefetchMiss", "*", "void", ""},

    /* As gem5's, it is asked by any address within the block. */
    {"DirectoryMemory", "lookup", ".", "AbstractCacheEntry", "sl_table_lookup($0, sl_line($1))"},
    {"DirectoryMemory", "isPresent", ".", "bool", "true"},
    {"DirectoryMemory", "deallocate", ".", "void", "sl_table_deallocate($0, sl_line($1))"},
    {"DirectoryMemory", "invalidateBlock", ".", "void", ""}, /* of sparse memory alone */
    {"DirectoryMemory", "recordRequestType", "*", "void", ""},

    {"PerfectCacheMemory", "isTagPresent", ".", "bool", "(sl_table_lookup($0, $1) != NULL)"},
    {"PerfectCacheMemory", "deallocate", ".", "void", "sl_table_deallocate($0, $1)"},

    {"TBETable", "lookup", ".", "record", "sl_table_lookup($0, $1)"},
    {"TBETable", "isPresent", ".", "bool", "(sl_table_lookup($0, $1) != NULL)"},
    {"TBETable", "deallocate", ".", "void", "sl_table_deallocate($0, $1)"},
    {"TBETable", "getNullEntry", "", "record", "NULL"},
    {"TBETable", "areNSlotsAvailable", "*", "bool", "sl_table_has_room($0)"},

    {"TimerTable", "isReady", "*", "bool", "sl_timer_is_ready($0)"},
    {"TimerTable", "nextAddress", "", "Addr", "sl_timer_next($0)"},
    {"TimerTable", "readyAddress", "", "Addr", "sl_timer_next($0)"},
    {"TimerTable", "set", "..", "void", "sl_timer_set($0, $1, $2)"},
    /* Until 2015 a timer was given a delay, not a time (slicc_external_older). */
    {"TimerTable", "set in", "..", "void", "sl_timer_set($0, $1, $s->now + (sl_cycles)($2))"},
    {"TimerTable", "unset", ".", "void", "sl_timer_unset($0, $1)"},
    {"TimerTable", "isSet", ".", "bool", "sl_timer_is_set($0, $1)"},

    {"PersistentTable", "persistentRequestLock", "...", "void",
     "sl_persistent_lock($0, $1, $2, $3 == sm_value_AccessType_Write)"},
    {"PersistentTable", "persistentRequestUnlock", "..", "void",
     "sl_persistent_unlock($0, $1, $2)"},
    {"PersistentTable", "okToIssueStarving", "..", "bool", "sl_persistent_may_issue($0, $1, $2)"},
    {"PersistentTable", "findSmallest", ".", "MachineID", "sl_persistent_smallest($0, $1)"},
    {"PersistentTable", "typeOfSmallest", ".", "AccessType",
     "(sl_persistent_writes($0, $1) ? sm_value_AccessType_Write : sm_value_AccessType_Read)"},
    {"PersistentTable", "markEntries", ".", "void", "sl_persistent_mark($0, $1)"},
    {"PersistentTable", "isLocked", ".", "bool", "(sl_persistent_find($0, $1) != NULL)"},
    {"PersistentTable", "countStarvingForAddress", ".", "int",
     "(int64_t)sl_persistent_count($0, $1)"},
    {"PersistentTable", "countReadStarvingForAddress", ".", "int",
     "(int64_t)sl_persistent_readers($0, $1)"},

    {"MessageBuffer", "isReady", "*", "bool", "sl_is_ready($0)"},
    {"MessageBuffer", "dequeue", "*", "Tick", "sl_dequeue($0)"},
    {"MessageBuffer", "dequeue_getDelayCycles", "", "Tick", "sl_dequeue($0)"},
    {"MessageBuffer", "recycle", "..", "void", "sl_recycle($0, $2)"},
    {"MessageBuffer", "recycle", "", "void", "sl_recycle($0, 10)"},
    {"MessageBuffer", "isEmpty", "", "bool", "($0->count == 0)"},
    {"MessageBuffer", "getSize", "*", "int", "(int64_t)$0->count"},
    {"MessageBuffer", "areNSlotsAvailable", "*.", "bool", "sl_has_room($0, (uint32_t)$1)"},
    {"MessageBuffer", "isStallMapEmpty", "", "bool", "($0->waiting_count == 0)"},
    {"MessageBuffer", "getStallMapSize", "", "int", "(int64_t)$0->waiting_count"},
    {"MessageBuffer", "hasStalledMsg", ".", "bool", "sl_has_waiting($0, $1)"},

    {"Sequencer", "readCallback", ".D", "void",
     "$s->services->load_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "readCallback", ".D.", "void",
     "$s->services->load_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "readCallback", "*.D..", "void",
     "$s->services->load_done($c, $1, $2, $3, (uint32_t)$4)"},
    {"Sequencer", "writeCallback", ".D", "void",
     "$s->services->store_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "writeCallback", ".D.", "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "writeCallback", "*.D..", "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)$4)"},
    /* Until 2012: who sent the data comes before it (slicc_external_older). */
    {"Sequencer", "readCallback from", "*.TD", "void",
     "$s->services->load_done($c, $1, $3, (uint32_t)$2 != $c->machine->type, (uint32_t)$2)"},
    {"Sequencer", "writeCallback from", "*.TD", "void",
     "$s->services->store_done($c, $1, $3, (uint32_t)$2 != $c->machine->type, (uint32_t)$2)"},
    {"Sequencer", "writeCallbackScFail", ".D", "void", "$s->services->store_failed($c, $1)"},
    {"Sequencer", "atomicCallback", ".D", "void",
     "$s->services->store_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "atomicCallback", ".D.", "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "atomicCallback", "*.D..", "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)$4)"},
    {"Sequencer", "writeUniqueCallback", ".D", "void", "$s->services->store_through($c, $1, $2)"},
    {"Sequencer", "unaddressedCallback", "*", "void", "sl_refuse_tlb_invalidation($c)"},
    {"Sequencer", "evictionCallback", ".", "void", "$s->services->evicted($c, $1)"},
    {"Sequencer", "llscCheckMonitor", ".", "bool", "$s->services->is_linked($c, $1)"},
    {"Sequencer", "llscClearLocalMonitor", "*", "void", ""},
    {"Sequencer", "invalidateSC", "*", "void", ""},
    {"Sequencer", "checkCoherence", "*", "void", ""},
    {"Sequencer", "recordRequestType", "*", "void", ""},
    {"Sequencer", "invL1Callback", "*", "void", ""},

    {"DMASequencer", "dataCallback", "D.", "void", "$s->services->dma_read_done($c, $2, $1)"},
    {"DMASequencer", "ackCallback", ".", "void", "$s->services->dma_write_done($c, $1)"},
    /* Releases until 2017 had one access under way, and did not name it. */
    {"DMASequencer", "dataCallback", "D", "void",
     "$s->services->dma_read_done($c, $c->address, $1)"},
    {"DMASequencer", "ackCallback", "", "void", "$s->services->dma_write_done($c, $c->address)"},
    {"DMASequencer", "recordRequestType", "*", "void", ""},
    /* No transaction ever begins: what would begin or end one is refused. */
    {"Sequencer", "htmCallback", "*", "void", "sl_refuse_transaction($c)"},
    {"CacheMemory", "htmAbortTransaction", "", "void", "sl_refuse_transaction($c)"},
    {"CacheMemory", "htmCommitTransaction", "", "void", "sl_refuse_transaction($c)"},
    {"AbstractCacheEntry", "getInHtmReadSet", "", "bool", "false"},
    {"AbstractCacheEntry", "getInHtmWriteSet", "", "bool", "false"},
    {"AbstractCacheEntry", "setInHtmReadSet", ".", "void", "sl_refuse_transaction($c)"},
    {"AbstractCacheEntry", "setInHtmWriteSet", ".", "void", "sl_refuse_transaction($c)"},

    {"AbstractCacheEntry", "changePermission", ".", "void",
     "sl_change_permission($c, $0, (uint32_t)$1)"},
};

const slicc_external *slicc_external_find(const char *object, const char *name,
                                          uint32_t arguments) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].object, object) == 0 && strcmp(table[i].name, name) == 0 &&
            (arguments == SLICC_ANY_NUMBER || table[i].arguments[0] == '*' ||
             strlen(table[i].arguments) == arguments))
            return &table[i];
    return NULL;
}

const slicc_external *slicc_external_older(const slicc_external *external, uint32_t arguments,
                                           const char *second) {
    static const struct {
        const char *object, *name;
        uint32_t least; /* arguments */
        const char *type;
        bool is_older; /* if the second argument is of this type, or unless it is */
        const char *older;
    } rows[] = {
        {"Sequencer", "readCallback", 3, "MachineType", true, "readCallback from"},
        {"Sequencer", "writeCallback", 3, "MachineType", true, "writeCallback from"},
        {"TimerTable", "set", 2, "Tick", false, "set in"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (arguments >= rows[i].least && strcmp(external->object, rows[i].object) == 0 &&
            strcmp(external->name, rows[i].name) == 0 &&
            (strcmp(second, rows[i].type) == 0) == rows[i].is_older)
            return slicc_external_find(rows[i].object, rows[i].older, rows[i].least);
    return external;
}

bool slicc_object_is_idle(const char *type) {
    static const char *const idle[] = {"RubyPrefetcher", "RubyPrefetcherProxy", "Prefetcher",
                                       "prefetch::Base", "GPUCoalescer",        "VIPERCoalescer"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++)
        if (strcmp(idle[i], type) == 0)
            return true;
    return false;
}

/*
 * The prelude, in SLICC. Names are those that SLICC protocols use; order matters where
 * include/collider/protocol/types.h has constants for values (the generated code checks it).
 */

const char slicc_prelude[] =
    "enumeration(AccessPermission, default=\"AccessPermission_NotPresent\") {\n"
    "  Read_Only; Read_Write; Maybe_Stale; Backing_Store; Backing_Store_Busy;\n"
    "  Invalid; NotPresent; Busy;\n"
    "}\n"
    "enumeration(RubyRequestType, default=\"RubyRequestType_NULL\") {\n"
    "  LD; ST; ATOMIC; ATOMIC_RETURN; ATOMIC_NO_RETURN; IFETCH; IO; REPLACEMENT; Load_Linked;\n"
    "  Store_Conditional; RMW_Read; RMW_Write; Locked_RMW_Read; Locked_RMW_Write; COMMIT; NULL;\n"
    "  FLUSH; Release; Acquire; AcquireRelease; HTM_Start; HTM_Commit; HTM_Cancel; HTM_Abort;\n"
    "  InvL2; TLBI; TLBI_SYNC; TLBI_EXT_SYNC; TLBI_EXT_SYNC_COMP;\n"
    "}\n"
    "enumeration(MachineType, default=\"MachineType_NULL\") {\n"
    "  L0Cache; L1Cache; L2Cache; L3Cache; Directory; DMA; Collector; L1Cache_wCC; L2Cache_wCC;\n"
    "  CorePair; TCP; TCC; TCCdir; SQC; RegionDir; RegionBuffer; Cache; Memory; MiscNode; NULL;\n"
    "}\n"
    "enumeration(MessageSizeType, default=\"MessageSizeType_Control\") {\n"
    "  Control; Data; Request_Control; Reissue_Control; Response_Data; ResponseL2hit_Data;\n"
    "  ResponseLocal_Data; Response_Control; Writeback_Data; Writeback_Control;\n"
    "  Broadcast_Control; Multicast_Control; Forwarded_Control; Invalidate_Control;\n"
    "  Unblock_Control; Persistent_Control; Completion_Control;\n"
    "}\n"
    "enumeration(RubyAccessMode, default=\"RubyAccessMode_User\") { Supervisor; User; Device; }\n"
    "enumeration(PrefetchBit, default=\"PrefetchBit_No\") { No; Yes; L1_HW; L2_HW; }\n"
    "enumeration(AccessType, default=\"AccessType_Read\") { Read; Write; }\n"
    "enumeration(CacheRequestType, default=\"CacheRequestType_NULL\") {\n"
    "  DataArrayRead; DataArrayWrite; TagArrayRead; TagArrayWrite; AtomicALUOperation; NULL;\n"
    "}\n"
    "enumeration(CacheResourceType, default=\"CacheResourceType_NULL\") {\n"
    "  DataArray; TagArray; AtomicALUArray; NULL;\n"
    "}\n"
    "enumeration(DirectoryRequestType) { Default; }\n"
    "enumeration(GenericRequestType) { GETS; GET_INSTR; GETX; UPGRADE; DOWNGRADE; INV; NULL; }\n"
    "enumeration(SequencerRequestType, default=\"SequencerRequestType_NULL\") {\n"
    "  Default; LD; ST; ATOMIC; REPLACEMENT; FLUSH; NULL;\n"
    "}\n"
    "enumeration(MemoryRequestType, default=\"MemoryRequestType_Default\") {\n"
    "  MEMORY_READ; MEMORY_WB; Default;\n"
    "}\n"
    "enumeration(HtmFailedInCacheReason, default=\"HtmFailedInCacheReason_NO_FAIL\") {\n"
    "  NO_FAIL; FAIL_SELF; FAIL_REMOTE; FAIL_OTHER;\n"
    "}\n"
    "enumeration(HtmCallbackMode, default=\"HtmCallbackMode_NULL\") {\n"
    "  HTM_CMD; LD_FAIL; ST_FAIL; NULL;\n"
    "}\n"
    "structure(RubyRequest, interface=\"Message\", external=\"yes\") {\n"
    "  Addr LineAddress; Addr PhysicalAddress; Addr ProgramCounter; RubyRequestType Type;\n"
    "  RubyAccessMode AccessMode; PrefetchBit Prefetch; int Size; int contextId;\n"
    "  WriteMask writeMask; DataBlock WTData; int wfid; uint64_t instSeqNum; bool isTlbi;\n"
    "  Addr tlbiTransactionUid; bool isGLCSet; bool isSLCSet; bool isSecure;\n"
    "  bool htmFromTransaction; int htmTransactionUid;\n"
    "}\n"
    "structure(MemoryMsg, interface=\"Message\", external=\"yes\") {\n"
    "  Addr addr; MemoryRequestType Type; MachineID Sender; MachineID OriginalRequestorMachId;\n"
    "  DataBlock DataBlk; MessageSizeType MessageSize; int Len;\n"
    "  PrefetchBit Prefetch; int Acks; bool ReadX; bool isGLCSet; bool isSLCSet;\n"
    "}\n"
    "structure(SequencerMsg, interface=\"Message\", external=\"yes\") {\n"
    "  Addr LineAddress; Addr PhysicalAddress; Addr ProgramCounter; SequencerRequestType Type;\n"
    "  RubyAccessMode AccessMode; DataBlock DataBlk; int Len; PrefetchBit Prefetch;\n"
    "  MessageSizeType MessageSize;\n"
    "}\n";
