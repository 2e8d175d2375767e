/* SPDX-License-Identifier: MIT */
/* The table of externals: see emit_protocol.h. Rows of one object stand together. */
#include "protocol/slicc/emit_protocol.h"

#include <stddef.h>
#include <string.h>

static const slicc_external table[] = {
    /* Time. One tick is one cycle. */
    {"", "clockEdge", 0, "Tick", "$s->now"},
    {"", "clockEdge", 1, "Tick", "($s->now + (sl_cycles)($1))"},
    {"", "curCycle", 0, "Cycles", "$s->now"},
    {"", "cyclesToTicks", 1, "Tick", "((sl_cycles)($1))"},
    {"", "ticksToCycles", 1, "Cycles", "((sl_cycles)($1))"},
    {"", "intToCycles", 1, "Cycles", "(sl_cycles)($1)"},
    {"", "intToTick", 1, "Tick", "(sl_cycles)($1)"},
    {"", "Cycles", 1, "Cycles", "(sl_cycles)($1)"},
    {"", "zero_time", 0, "Cycles", "((sl_cycles)0)"},
    {"", "curTick", 0, "Tick", "$s->now"},
    {"", "get_time", 0, "Cycles", "$s->now"},
    /* Machines and addresses. */
    {"", "mapAddressToMachine", 2, "MachineID", "sl_map_address($c, $1, (uint32_t)$2)"},
    {"", "map_Address_to_Directory", 1, "MachineID",
     "sl_map_address($c, $1, (uint32_t)sm_value_MachineType_Directory)"},
    {"", "map_Address_to_DirectoryNode", 1, "NodeID",
     "(int64_t)sl_machine_number(sl_map_address($c, $1, "
     "(uint32_t)sm_value_MachineType_Directory))"},
    {"", "mapAddressToRange", 4, "MachineID", "sl_map_range($c, $1, (uint32_t)$2, $3, $4)"},
    {"", "mapAddressToRange", 5, "MachineID", "sl_map_range($c, $1, (uint32_t)$2, $3, $4)"},
    {"", "mapAddressToDownstreamMachine", 1, "MachineID", "sl_map_downstream($c, $1)"},
    {"", "mapAddressToDownstreamMachine", 2, "MachineID",
     "sl_map_downstream_of($c, $1, (uint32_t)$2)"},
    {"", "machineIDToNodeID", 1, "NodeID", "(int64_t)sl_machine_number($1)"},
    {"", "machineIDToVersion", 1, "NodeID", "(int64_t)sl_machine_number($1)"},
    {"", "machineIDToMachineType", 1, "MachineType", "(int32_t)sl_machine_type($1)"},
    {"", "ConvertMachToGenericMach", 1, "MachineType", "((int32_t)($1))"},
    {"", "createMachineID", 2, "MachineID", "sl_machine_named((uint32_t)$1, $2)"},
    {"", "machineCount", 1, "int", "(int64_t)sl_count($s, (uint32_t)$1)"},
    {"", "intToID", 1, "NodeID", "((int64_t)($1))"},
    {"", "IDToInt", 1, "int", "((int64_t)($1))"},
    {"", "max_tokens", 0, "int", "(int64_t)$s->tokens"},
    {"", "makeLineAddress", 1, "Addr", "sl_line($1)"},
    {"", "makeNextStrideAddress", 2, "Addr",
     "((sl_address)($1) + (sl_address)($2) * SL_BLOCK_BYTES)"},
    {"", "getOffset", 1, "int", "(int64_t)($1 & (SL_BLOCK_BYTES - 1))"},
    {"", "bitSelect", 3, "Addr", "sl_bit_select($1, $2, $3)"},
    {"", "maskLowOrderBits", 2, "Addr", "((sl_address)($1) >> (($2) & 63) << (($2) & 63))"},
    {"", "addressToInt", 1, "int", "(int64_t)($1)"},
    {"", "intToAddress", 1, "Addr", "(sl_address)($1)"},
    {"", "addressOffset", 1, "int", "(int64_t)($1 & (SL_BLOCK_BYTES - 1))"},
    {"", "map_Address_to_DMA", 1, "MachineID",
     "sl_machine_make((uint32_t)sm_value_MachineType_DMA, 0)"},
    {"", "addressOffset", 2, "int", "(int64_t)((sl_address)($1) - (sl_address)($2))"},
    {"", "mod", 2, "int", "sl_remainder($c, $1, $2)"},
    {"", "getBlockSizeBits", 0, "int", "(int64_t)SL_BLOCK_BITS"},
    {"", "getBlockSizeBytes", 0, "int", "(int64_t)SL_BLOCK_BYTES"},
    /* Waiting. */
    {"", "wakeUpBuffers", 1, "void", "sl_wake_buffers($c, $1, false)"},
    {"", "wakeUpBuffer", 2, "void", "sl_wake_buffers($c, $2, false)"},
    {"", "wakeUpAllBuffers", 1, "void", "sl_wake_buffers($c, $1, false)"},
    {"", "wakeUpAllBuffers", 0, "void", "sl_wake_buffers($c, 0, true)"},
    {"", "dequeueMemRespQueue", 0, "void", "sl_dequeue(sl_memory_queue($c))"},
    {"", "queueMemoryRead", 3, "void", "sl_memory_access($c, SL_MEMORY_READ, $1, $2, $3, NULL)"},
    {"", "queueMemoryWrite", 4, "void", "sl_memory_access($c, SL_MEMORY_WB, $1, $2, $3, $4)"},
    {"", "queueMemoryWritePartial", 5, "void",
     "sl_memory_access($c, SL_MEMORY_WB, $1, $2, $3, $4)"},
    {"", "stallPort", 0, "void", "sl_wake_later($c, 1)"},
    {"", "scheduleEvent", 1, "void", "sl_wake_later($c, $1)"},
    {"", "curTransitionEvent", 0, "Event", "((int32_t)($c)->event)"},
    {"", "curTransitionNextState", 0, "State",
     "((int32_t)($c)->cells[($c)->state * ($c)->event_count + ($c)->event].next)"},
    {"", "incomingTransactionStart", -1, "void", ""},
    {"", "incomingTransactionEnd", -1, "void", ""},
    {"", "outgoingTransactionStart", -1, "void", ""},
    {"", "outgoingTransactionEnd", -1, "void", ""},
    {"", "getRequestorID", 1, "RequestorID", "((int64_t)($1))"},
    {"", "isWriteRequest", 1, "bool", "sl_is_type($1, SL_WRITE_TYPES)"},
    {"", "isDataReadRequest", 1, "bool", "sl_is_type($1, SL_DATA_READ_TYPES)"},
    {"", "isReadRequest", 1, "bool", "sl_is_type($1, SL_READ_TYPES)"},
    {"", "isHtmCmdRequest", 1, "bool", "sl_is_type($1, SL_TRANSACTION_TYPES)"},
    {"", "isTlbiRequest", 1, "bool", "sl_is_type($1, SL_TLB_TYPES)"},
    {"", "blockOnQueue", 2, "void", ""},
    {"", "unblock", 1, "void", ""},
    {"", "isBlocked", 1, "bool", "false"},
    {"", "checkResourceAvailable", -1, "bool", "true"},
    {"", "recordRequestType", -1, "void", ""},
    {"", "profileMsgDelay", -1, "void", ""},
    {"", "profileRequest", -1, "void", ""},
    {"", "profile_miss", -1, "void", ""},

    {"NetDest", "add", 1, "void", "sl_dest_add($s, $0, $1)"},
    {"NetDest", "remove", 1, "void", "sl_dest_remove($s, $0, $1)"},
    {"NetDest", "addNetDest", 1, "void", "sl_dest_add_all($s, $0, $1)"},
    {"NetDest", "removeNetDest", 1, "void", "sl_dest_remove_all($s, $0, $1)"},
    {"NetDest", "setNetDest", 2, "void", "sl_dest_set($s, $0, (uint32_t)$1, $2)"},
    {"NetDest", "clear", 0, "void", "sl_dest_clear($s, $0)"},
    {"NetDest", "broadcast", 0, "void", "sl_dest_everyone($s, $0)"},
    {"NetDest", "broadcast", 1, "void", "sl_dest_broadcast($s, $0, (uint32_t)$1)"},
    {"NetDest", "count", 0, "int", "(int64_t)sl_dest_count($s, $0)"},
    {"NetDest", "isElement", 1, "bool", "sl_dest_has($s, $0, $1)"},
    {"NetDest", "isEmpty", 0, "bool", "(sl_dest_count($s, $0) == 0)"},
    {"NetDest", "isSuperset", 1, "bool", "sl_dest_covers($s, $0, $1)"},
    {"NetDest", "intersectionIsEmpty", 1, "bool", "sl_dest_disjoint($s, $0, $1)"},
    {"NetDest", "smallestElement", 0, "MachineID", "sl_dest_smallest($s, $0)"},
    {"NetDest", "smallestElement", 1, "MachineID", "sl_dest_smallest_of($s, $0, (uint32_t)$1)"},
    {"NetDest", "setSize", -1, "void", ""},

    {"Set", "add", 1, "void", "sl_set_add($c, $0, $1)"},
    {"Set", "remove", 1, "void", "sl_set_remove($s, $0, $1)"},
    {"Set", "isElement", 1, "bool", "sl_set_has($s, $0, $1)"},
    {"Set", "addSet", 1, "void", "sl_dest_add_all($s, $0, $1)"},
    {"Set", "removeSet", 1, "void", "sl_dest_remove_all($s, $0, $1)"},
    {"Set", "clear", 0, "void", "sl_dest_clear($s, $0)"},
    {"Set", "count", 0, "int", "(int64_t)sl_dest_count($s, $0)"},
    {"Set", "isEmpty", 0, "bool", "(sl_dest_count($s, $0) == 0)"},
    {"Set", "isSuperset", 1, "bool", "sl_dest_covers($s, $0, $1)"},
    {"Set", "smallestElement", 0, "NodeID", "(int64_t)sl_set_smallest($s, $0)"},
    {"Set", "setSize", -1, "void", ""},

    {"DataBlock", "clear", 0, "void", "sl_data_clear($0)"},
    {"DataBlock", "copyPartial", 3, "void", "sl_data_copy_part($c, $0, $1, $2, $3)"},

    {"DataBlock", "copyPartial", 2, "void", "sl_data_copy_mask($0, $1, $2)"},
    {"DataBlock", "atomicPartial", -1, "void", "sl_data_atomic($0, $1, $2)"},
    {"DataBlock", "numAtomicLogEntries", 0, "int", "((int64_t)0)"},
    {"DataBlock", "clearAtomicLogEntries", 0, "void", ""},

    {"WriteMask", "clear", 0, "void", "sl_mask_fill($0, false)"},
    {"WriteMask", "fillMask", 0, "void", "sl_mask_fill($0, true)"},
    {"WriteMask", "isEmpty", 0, "bool", "(sl_mask_count($c, $0, 0) == 0)"},
    {"WriteMask", "isFull", 0, "bool", "(sl_mask_count($c, $0, 0) == SL_BLOCK_BYTES)"},
    {"WriteMask", "containsMask", 1, "bool", "sl_mask_covers($0, $1)"},
    {"WriteMask", "isOverlap", 1, "bool", "sl_mask_meets($0, $1)"},
    {"WriteMask", "andMask", 1, "void", "sl_mask_and($0, $1)"},
    {"WriteMask", "orMask", 1, "void", "sl_mask_or($0, $1)"},
    {"WriteMask", "setInvertedMask", 1, "void", "sl_mask_invert($0, $1)"},
    {"WriteMask", "setMask", 2, "void", "sl_mask_set($c, $0, $1, $2, true)"},
    {"WriteMask", "setMask", 3, "void", "sl_mask_set($c, $0, $1, $2, $3)"},
    {"WriteMask", "getMask", 2, "bool", "sl_mask_has($c, $0, $1, $2)"},
    {"WriteMask", "test", 1, "bool", "sl_mask_has($c, $0, $1, 1)"},
    {"WriteMask", "firstBitSet", 1, "int", "sl_mask_first($c, $0, $1, 0)"},
    {"WriteMask", "firstBitSet", 2, "int", "sl_mask_first($c, $0, $1, $2)"},
    {"WriteMask", "count", 0, "int", "sl_mask_count($c, $0, 0)"},
    {"WriteMask", "count", 1, "int", "sl_mask_count($c, $0, $1)"},

    {"TriggerQueue", "push", 1, "void", "sl_triggers_push($c, $0, $1, true)"},
    {"TriggerQueue", "pushNB", 1, "void", "sl_triggers_push($c, $0, $1, false)"},
    {"TriggerQueue", "pushFront", 1, "void", "sl_triggers_push_front($c, $0, $1, true)"},
    {"TriggerQueue", "pushFrontNB", 1, "void", "sl_triggers_push_front($c, $0, $1, false)"},
    {"TriggerQueue", "front", 0, "template", "sl_triggers_front($c, $0)"},
    {"TriggerQueue", "next", 0, "template", "sl_triggers_front($c, $0)"},
    {"TriggerQueue", "back", 0, "template", "sl_triggers_back($c, $0)"},
    {"TriggerQueue", "frontNB", 0, "bool", "sl_triggers_front_nb($c, $0)"},
    {"TriggerQueue", "backNB", 0, "bool", "sl_triggers_back_nb($c, $0)"},
    {"TriggerQueue", "empty", 0, "bool", "(($0)->count == 0)"},
    {"TriggerQueue", "pop", 0, "void", "sl_triggers_pop($c, $0)"},

    {"ExpectedMap", "clear", 1, "void", "sl_expected_clear($0, $1)"},
    {"ExpectedMap", "addExpectedRespType", 1, "void", "sl_expected_add($c, &($0)->responses, $1)"},
    {"ExpectedMap", "addExpectedDataType", 1, "void", "sl_expected_add($c, &($0)->data, $1)"},
    {"ExpectedMap", "setExpectedCount", 1, "void", "(void)(($0)->total = ($1))"},
    {"ExpectedMap", "addExpectedCount", 1, "void",
     "(void)(($0)->total = (int64_t)((uint64_t)($0)->total + (uint64_t)($1)))"},
    {"ExpectedMap", "hasExpected", 0, "bool", "(sl_expected_left($0) != 0)"},
    {"ExpectedMap", "hasReceivedResp", 0, "bool", "(($0)->responses.received != 0)"},
    {"ExpectedMap", "hasReceivedData", 0, "bool", "(($0)->data.received != 0)"},
    {"ExpectedMap", "expected", 0, "int", "sl_expected_left($0)"},
    {"ExpectedMap", "received", 0, "int", "sl_expected_received($0)"},
    {"ExpectedMap", "receiveResp", 1, "bool", "sl_expected_response($c, $0, $1)"},
    {"ExpectedMap", "receiveData", 1, "bool", "sl_expected_data($c, $0, $1)"},
    {"ExpectedMap", "receivedRespType", 1, "bool", "sl_expected_saw($c, &($0)->responses, $1)"},
    {"ExpectedMap", "receivedDataType", 1, "bool", "sl_expected_saw($c, &($0)->data, $1)"},

    {"TBEStorage", "size", 0, "int", "((int64_t)($0)->used)"},
    {"TBEStorage", "capacity", 0, "int", "((int64_t)($0)->capacity)"},
    {"TBEStorage", "reserved", 0, "int", "((int64_t)($0)->reserved)"},
    {"TBEStorage", "slotsAvailable", 0, "int", "sl_storage_free($0)"},
    {"TBEStorage", "areNSlotsAvailable", -1, "bool", "(sl_storage_free($0) >= ($1))"},
    {"TBEStorage", "incrementReserved", 0, "void", "sl_storage_reserve($c, $0, 1)"},
    {"TBEStorage", "decrementReserved", 0, "void", "sl_storage_reserve($c, $0, -1)"},
    {"TBEStorage", "addEntryToNewSlot", 0, "int", "sl_storage_take($c, $0)"},
    {"TBEStorage", "addEntryToSlot", 1, "void", "sl_storage_change($c, $0, $1, 1)"},
    {"TBEStorage", "removeEntryFromSlot", 1, "void", "sl_storage_change($c, $0, $1, -1)"},

    {"RubyRequest", "getRequestPtr", 0, "RequestPtr", "((void)($0), (uint64_t)0)"},

    {"CacheMemory", "lookup", 1, "AbstractCacheEntry", "sl_cache_lookup($0, $1)"},
    {"CacheMemory", "isTagPresent", 1, "bool", "sl_cache_holds($0, $1)"},
    {"CacheMemory", "cacheAvail", 1, "bool", "sl_cache_has_room($0, $1)"},
    {"CacheMemory", "cacheProbe", 1, "Addr", "sl_cache_probe($0, $1)"},
    {"CacheMemory", "findOther", 2, "Addr", "sl_cache_find_other($0, (uint32_t)$1, $2)"},
    {"CacheMemory", "deallocate", 1, "void", "sl_cache_deallocate($0, $1)"},
    {"CacheMemory", "getNullEntry", 0, "AbstractCacheEntry", "NULL"},
    {"CacheMemory", "getTagLatency", 0, "Cycles", "$0->tag_latency"},
    {"CacheMemory", "getDataLatency", 0, "Cycles", "$0->data_latency"},
    {"CacheMemory", "checkResourceAvailable", -1, "bool", "true"},
    {"CacheMemory", "recordRequestType", -1, "void", ""},
    {"CacheMemory", "profileMiss", 1, "void", ""},
    {"CacheMemory", "profileGenericRequest", -1, "void", ""},
    {"CacheMemory", "profileDemandHit", -1, "void", ""},
    {"CacheMemory", "profileDemandMiss", -1, "void", ""},
    {"CacheMemory", "profilePrefetchHit", -1, "void", ""},
    {"CacheMemory", "profilePrefetchMiss", -1, "void", ""},

    /* As gem5's, it is asked by any address within the block. */
    {"DirectoryMemory", "lookup", 1, "AbstractCacheEntry", "sl_table_lookup($0, sl_line($1))"},
    {"DirectoryMemory", "isPresent", 1, "bool", "true"},
    {"DirectoryMemory", "deallocate", 1, "void", "sl_table_deallocate($0, sl_line($1))"},
    {"DirectoryMemory", "invalidateBlock", 1, "void", ""}, /* of sparse memory alone */
    {"DirectoryMemory", "recordRequestType", -1, "void", ""},

    {"PerfectCacheMemory", "isTagPresent", 1, "bool", "(sl_table_lookup($0, $1) != NULL)"},
    {"PerfectCacheMemory", "deallocate", 1, "void", "sl_table_deallocate($0, $1)"},

    {"TBETable", "lookup", 1, "record", "sl_table_lookup($0, $1)"},
    {"TBETable", "isPresent", 1, "bool", "(sl_table_lookup($0, $1) != NULL)"},
    {"TBETable", "deallocate", 1, "void", "sl_table_deallocate($0, $1)"},
    {"TBETable", "getNullEntry", 0, "record", "NULL"},
    {"TBETable", "areNSlotsAvailable", -1, "bool", "sl_table_has_room($0)"},

    {"TimerTable", "isReady", -1, "bool", "sl_timer_is_ready($0)"},
    {"TimerTable", "nextAddress", 0, "Addr", "sl_timer_next($0)"},
    {"TimerTable", "readyAddress", 0, "Addr", "sl_timer_next($0)"},
    {"TimerTable", "set", 2, "void", "sl_timer_set($0, $1, $2)"},
    /* Until 2015 a timer was given a delay, not a time (slicc_external_older). */
    {"TimerTable", "set in", 2, "void", "sl_timer_set($0, $1, $s->now + (sl_cycles)($2))"},
    {"TimerTable", "unset", 1, "void", "sl_timer_unset($0, $1)"},
    {"TimerTable", "isSet", 1, "bool", "sl_timer_is_set($0, $1)"},

    {"PersistentTable", "persistentRequestLock", 3, "void",
     "sl_persistent_lock($0, $1, $2, $3 == sm_value_AccessType_Write)"},
    {"PersistentTable", "persistentRequestUnlock", 2, "void", "sl_persistent_unlock($0, $1, $2)"},
    {"PersistentTable", "okToIssueStarving", 2, "bool", "sl_persistent_may_issue($0, $1, $2)"},
    {"PersistentTable", "findSmallest", 1, "MachineID", "sl_persistent_smallest($0, $1)"},
    {"PersistentTable", "typeOfSmallest", 1, "AccessType",
     "(sl_persistent_writes($0, $1) ? sm_value_AccessType_Write : sm_value_AccessType_Read)"},
    {"PersistentTable", "markEntries", 1, "void", "sl_persistent_mark($0, $1)"},
    {"PersistentTable", "isLocked", 1, "bool", "(sl_persistent_find($0, $1) != NULL)"},
    {"PersistentTable", "countStarvingForAddress", 1, "int",
     "(int64_t)sl_persistent_count($0, $1)"},
    {"PersistentTable", "countReadStarvingForAddress", 1, "int",
     "(int64_t)sl_persistent_readers($0, $1)"},

    {"MessageBuffer", "isReady", -1, "bool", "sl_is_ready($0)"},
    {"MessageBuffer", "dequeue", -1, "Tick", "sl_dequeue($0)"},
    {"MessageBuffer", "dequeue_getDelayCycles", 0, "Tick", "sl_dequeue($0)"},
    {"MessageBuffer", "recycle", 2, "void", "sl_recycle($0, $2)"},
    {"MessageBuffer", "recycle", 0, "void", "sl_recycle($0, 10)"},
    {"MessageBuffer", "isEmpty", 0, "bool", "($0->count == 0)"},
    {"MessageBuffer", "getSize", -1, "int", "(int64_t)$0->count"},
    {"MessageBuffer", "areNSlotsAvailable", -1, "bool", "sl_has_room($0, (uint32_t)$1)"},
    {"MessageBuffer", "isStallMapEmpty", 0, "bool", "($0->waiting_count == 0)"},
    {"MessageBuffer", "getStallMapSize", 0, "int", "(int64_t)$0->waiting_count"},
    {"MessageBuffer", "hasStalledMsg", 1, "bool", "sl_has_waiting($0, $1)"},

    {"Sequencer", "readCallback", 2, "void",
     "$s->services->load_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "readCallback", 3, "void",
     "$s->services->load_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "readCallback", -1, "void",
     "$s->services->load_done($c, $1, $2, $3, (uint32_t)$4)"},
    {"Sequencer", "writeCallback", 2, "void",
     "$s->services->store_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "writeCallback", 3, "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "writeCallback", -1, "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)$4)"},
    /* Until 2012: who sent the data comes before it (slicc_external_older). */
    {"Sequencer", "readCallback from", -1, "void",
     "$s->services->load_done($c, $1, $3, (uint32_t)$2 != $c->machine->type, (uint32_t)$2)"},
    {"Sequencer", "writeCallback from", -1, "void",
     "$s->services->store_done($c, $1, $3, (uint32_t)$2 != $c->machine->type, (uint32_t)$2)"},
    {"Sequencer", "writeCallbackScFail", 2, "void", "$s->services->store_failed($c, $1)"},
    {"Sequencer", "atomicCallback", 2, "void",
     "$s->services->store_done($c, $1, $2, false, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "atomicCallback", 3, "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)sm_value_MachineType_NULL)"},
    {"Sequencer", "atomicCallback", -1, "void",
     "$s->services->store_done($c, $1, $2, $3, (uint32_t)$4)"},
    {"Sequencer", "writeUniqueCallback", 2, "void", "$s->services->store_through($c, $1, $2)"},
    {"Sequencer", "unaddressedCallback", -1, "void", "sl_refuse_tlb_invalidation($c)"},
    {"Sequencer", "evictionCallback", 1, "void", "$s->services->evicted($c, $1)"},
    {"Sequencer", "llscCheckMonitor", 1, "bool", "$s->services->is_linked($c, $1)"},
    {"Sequencer", "llscClearLocalMonitor", -1, "void", ""},
    {"Sequencer", "invalidateSC", -1, "void", ""},
    {"Sequencer", "checkCoherence", -1, "void", ""},
    {"Sequencer", "recordRequestType", -1, "void", ""},
    {"Sequencer", "invL1Callback", -1, "void", ""},

    {"DMASequencer", "dataCallback", 2, "void", "$s->services->dma_read_done($c, $2, $1)"},
    {"DMASequencer", "ackCallback", 1, "void", "$s->services->dma_write_done($c, $1)"},
    /* Releases until 2017 had one access under way, and did not name it. */
    {"DMASequencer", "dataCallback", 1, "void", "$s->services->dma_read_done($c, $c->address, $1)"},
    {"DMASequencer", "ackCallback", 0, "void", "$s->services->dma_write_done($c, $c->address)"},
    {"DMASequencer", "recordRequestType", -1, "void", ""},
    /* No transaction ever begins: what would begin or end one is refused. */
    {"Sequencer", "htmCallback", -1, "void", "sl_refuse_transaction($c)"},
    {"CacheMemory", "htmAbortTransaction", 0, "void", "sl_refuse_transaction($c)"},
    {"CacheMemory", "htmCommitTransaction", 0, "void", "sl_refuse_transaction($c)"},
    {"AbstractCacheEntry", "getInHtmReadSet", 0, "bool", "false"},
    {"AbstractCacheEntry", "getInHtmWriteSet", 0, "bool", "false"},
    {"AbstractCacheEntry", "setInHtmReadSet", 1, "void", "sl_refuse_transaction($c)"},
    {"AbstractCacheEntry", "setInHtmWriteSet", 1, "void", "sl_refuse_transaction($c)"},

    {"AbstractCacheEntry", "changePermission", 1, "void",
     "sl_change_permission($c, $0, (uint32_t)$1)"},
};

const slicc_external *slicc_external_find(const char *object, const char *name,
                                          uint32_t arguments) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].object, object) == 0 && strcmp(table[i].name, name) == 0 &&
            (table[i].arguments < 0 || table[i].arguments == (int)arguments))
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

bool slicc_external_exists(const char *object, const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].object, object) == 0 && strcmp(table[i].name, name) == 0)
            return true;
    return false;
}

int slicc_object_is_idle(const char *type) {
    static const char *const idle[] = {"RubyPrefetcher", "RubyPrefetcherProxy", "Prefetcher",
                                       "prefetch::Base", "GPUCoalescer",        "VIPERCoalescer"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++)
        if (strcmp(idle[i], type) == 0)
            return 1;
    return 0;
}

/*
 * The prelude, in SLICC. Names are those that SLICC protocols use; order matters where
 * include/collider/protocol/message.h has constants for values (the generated code checks it).
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
