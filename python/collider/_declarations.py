# SPDX-License-Identifier: MIT
"""The C API in ctypes. Written by python/declare.py from include/collider; do not edit."""
# flake8: noqa
from ctypes import *

VERSION = "1.0.0"

COL_OK = 0
COL_BAD_INPUT = 2
COL_FAILURE = 3
COL_WORD_BYTES = 8
COL_NARROW_BYTES = 4
COL_NARROW_VALUE_BITS = 20
COL_MAX_THREADS = 65536
COL_MAX_LOCATIONS = 16777216
COL_LOAD = 0
COL_AWAIT = 1
COL_STORE = 2
COL_SWAP = 3
COL_ADD = 4
COL_FENCE = 5
COL_FLUSH = 6
COL_DELAY = 7
COL_FETCH = 8
COL_DMA_READ = 9
COL_DMA_WRITE = 10
COL_PREFETCH = 11
COL_CONDITIONAL = 12
COL_KIND_COUNT = 13
COL_ACQUIRE = 1
COL_RELEASE = 2
COL_NO_DEPENDENCY = 0
COL_ADDRESS = 1
COL_DATA = 2
COL_CONTROL = 3
COL_DEPENDENCY_COUNT = 4
COL_READ_READ = 1
COL_READ_WRITE = 2
COL_WRITE_READ = 4
COL_WRITE_WRITE = 8
COL_FULL_FENCE = 15
COL_MAX_LEVELS = 8
COL_TRUE_SHARING = 0
COL_MIXED_SHARING = 1
COL_FALSE_SHARING = 2
COL_SHARING_COUNT = 3
COL_MAX_TEMPLATES = 32
COL_CATEGORIES = 4
COL_LOAD_PERFORMED = 0
COL_STORE_PERFORMED = 1
COL_TRANSITION = 2
COL_EVICTION = 3
COL_PROTOCOL_ERROR = 4
COL_DEADLOCK = 5
COL_INVARIANT_BROKEN = 6
COL_MESSAGE_SENT = 7
COL_MESSAGE_RECEIVED = 8
COL_OPERATION_ISSUED = 9
COL_LOAD_BOUND = 10
COL_LOAD_SQUASHED = 11
COL_STORE_MERGED = 12
COL_VALUE_RETURNED = 13
COL_FINAL_VALUE = 14
COL_OUTPUT = 15
COL_WAIT = 16
COL_PLACED = 17
COL_POINT = 18
COL_EVENT_KINDS = 19
COL_FROM_UNKNOWN = 0
COL_FROM_STORE_BUFFER = 1
COL_FROM_PRIVATE_CACHE = 2
COL_FROM_OTHER_CORE = 3
COL_FROM_SHARED_LEVEL = 4
COL_FROM_MEMORY = 5
COL_SC = 0
COL_TSO = 1
COL_PSO = 2
COL_WMO = 3
COL_ARMV8 = 4
COL_RVWMO = 5
COL_MODEL_COUNT = 6
COL_PROGRAM_ORDER = 0
COL_FENCED = 1
COL_ACQUIRED = 2
COL_RELEASED = 3
COL_DEPENDENT = 4
COL_ATOMIC = 5
COL_TIMED = 6
COL_SAME_LOCATION = 7
COL_READS_FROM = 8
COL_COHERENCE = 9
COL_FROM_READ = 10
COL_RELATION_COUNT = 11
COL_NO_MENTION = 4294967295
COL_WORDS = 0
COL_DOT = 1
COL_SVG = 2
COL_VIOLATION_FORMAT_COUNT = 3
COL_NO_TIME = -1
COL_INITIAL = 4294967295
COL_NOT_SAID = 4294967294
COL_NEVER_STORED = 4294967293
COL_UNFINISHED = 4294967292
COL_ALLOWED = 0
COL_FORBIDDEN = 1
COL_UNDECIDED = 2
COL_OBSERVE_RF = 0
COL_OBSERVE_CO = 1
COL_OBSERVE_CORF = 2
COL_OBSERVATION_COUNT = 3
COL_LAST_INSTANCE = 0
COL_ALL_INSTANCES = 1
COL_DUV_VERSION = 6
COL_NEEDS_LOADS = 1
COL_NEEDS_STORES = 2
COL_NEEDS_ATOMICS = 4
COL_NEEDS_FLUSHES = 8
COL_NEEDS_FENCES = 16
COL_NEEDS_OTHERS = 32
COL_NEEDS_FETCHES = 64
COL_NEEDS_DMA = 128
COL_NEEDS_PREFETCHES = 256
COL_TAKEN_HERE = 32768
COL_NEEDS_REPLACEMENT = 65536
COL_SHOWS_EVENTS = 0
COL_SHOWS_READS = 1
COL_SHOWS_COUNT = 2
COL_RUN_COMPLETE = 0
COL_RUN_PROTOCOL_ERROR = 1
COL_RUN_DEADLOCK = 2
COL_RUN_INVARIANT = 3
COL_RUN_STOPPED = 4
COL_RUN_CRASHED = 5
COL_RUN_TIMED_OUT = 6
COL_RUN_STARVED = 7
COL_RUN_END_COUNT = 8
COL_DUV_LIMIT = 60
COL_STRUCTURAL = 0
COL_FUNCTIONAL = 1
COL_METRIC_COUNT = 2
COL_CUMULATIVE = 0
COL_OWN = 1
COL_SCOPE_COUNT = 2
COL_ALL_MACHINES = 4294967295
COL_KEY_VALUES = 16
COL_ENGINE_VERSION = 1
COL_PASS = 0
COL_VIOLATION = 1
COL_PROTOCOL_WRONG = 2
COL_DEADLOCKED = 3
COL_STARVED = 4
COL_CRASHED = 5
COL_INCOMPLETE = 6
COL_UNJUDGED = 7
COL_OUTCOME_COUNT = 8
COL_ENDED_BY_TESTS = 0
COL_ENDED_BY_TIME = 1
COL_ENDED_BY_CYCLES = 2
COL_ENDED_BY_COVERAGE = 3
COL_ENDED_BY_ENGINE = 4
COL_ENDED_BY_PROGRAMS = 5
COL_ENDED_BY_ERROR = 6
COL_ENDED_BY_SIGNAL = 7
COL_ENDED_BY_FAILURE = 8
COL_ENDING_COUNT = 9
COL_MOST_KINDS = 64
COL_FINAL = 4294967295
COL_MOST_OUTCOMES = 1024
COL_MOST_SEEN = 64
COL_SHOWN_BY_OUTCOME = 0
COL_SHOWN_BY_READS = 1
COL_SHOWN_BY_FINALS = 2
COL_SHOWN_BY_ORDER = 3
COL_SHOWN_UNDECIDED = 4
COL_EVIDENCE_COUNT = 5
COL_NUMBERS = 0
COL_REALS = 1
COL_TEXTS = 2

class col_problem(Structure): pass
class col_operation(Structure): pass
class col_program(Structure): pass
class col_kind_traits(Structure): pass
class col_hash(Structure): pass
class col_cache_level(Structure): pass
class col_geometry(Structure): pass
class col_addressing(Structure): pass
class col_instruction_mix(Structure): pass
class col_category_mix(Structure): pass
class col_generation(Structure): pass
class col_link(Structure): pass
class col_chain(Structure): pass
class col_generated(Structure): pass
class col_generator(Structure): pass
class _col_event_0(Union): pass
class _col_event_1(Union): pass
class _col_event_2(Union): pass
class _col_event_3(Union): pass
class _col_event_4(Union): pass
class col_event(Structure): pass
class col_observer(Structure): pass
class col_mention(Structure): pass
class col_step(Structure): pass
class col_violation(Structure): pass
class col_checker(Structure): pass
class col_trace(Structure): pass
class col_trace_file(Structure): pass
class col_trace_settings(Structure): pass
class col_recorder(Structure): pass
class col_signature(Structure): pass
class col_witness_results(Structure): pass
class col_witness(Structure): pass
class col_duv_machine(Structure): pass
class col_duv_point(Structure): pass
class col_duv_names(Structure): pass
class col_duv_cell(Structure): pass
class col_duv_source(Structure): pass
class col_duv_description(Structure): pass
class col_duv_settings(Structure): pass
class col_run(Structure): pass
class col_duv_interface(Structure): pass
class col_duv(Structure): pass
class col_covered(Structure): pass
class col_gain(Structure): pass
class col_coverage(Structure): pass
class col_here(Structure): pass
class col_point_facts(Structure): pass
class col_location_coverage(Structure): pass
class col_quartiles(Structure): pass
class col_range(Structure): pass
class col_engine_settings(Structure): pass
class col_point(Structure): pass
class col_feedback(Structure): pass
class col_engine(Structure): pass
class col_request(Structure): pass
class col_learning(Structure): pass
class col_engine_space(Structure): pass
class col_engine_interface(Structure): pass
class col_setting(Structure): pass
class col_progress(Structure): pass
class col_episode(Structure): pass
class col_episode_settings(Structure): pass
class col_curve_point(Structure): pass
class col_watched(Structure): pass
class col_fingerprint(Structure): pass
class col_failure(Structure): pass
class col_failure_kind(Structure): pass
class col_seen(Structure): pass
class col_seen_outcome(Structure): pass
class col_given(Structure): pass
class col_size(Structure): pass
class col_shrink_progress(Structure): pass
class col_shrink_settings(Structure): pass
class col_shrunk(Structure): pass
class col_store(Structure): pass
class col_column(Structure): pass
class col_table(Structure): pass


col_problem._fields_ = [
    ("file", c_char * 256),
    ("line", c_uint32),
    ("column", c_uint32),
    ("message", c_char * 512),
]
col_operation._fields_ = [
    ("location", c_uint32),
    ("value", c_uint32),
    ("distance", c_uint32),
    ("kind", c_uint8),
    ("order", c_uint8),
    ("dependency", c_uint8),
    ("fence", c_uint8),
]
col_program._fields_ = [
    ("thread_count", c_uint32),
    ("location_count", c_uint32),
    ("thread_start", POINTER(c_uint32)),
    ("operations", POINTER(col_operation)),
    ("addresses", POINTER(c_uint64)),
    ("is_narrow", c_bool),
    ("thread_capacity", c_size_t),
    ("operation_capacity", c_size_t),
    ("location_capacity", c_size_t),
]
col_kind_traits._fields_ = [
    ("name", c_char_p),
    ("reads", c_bool),
    ("writes", c_bool),
    ("located", c_bool),
    ("dma", c_bool),
    ("fails", c_bool),
]
col_hash._fields_ = [
    ("high", c_uint64),
    ("low", c_uint64),
]
col_cache_level._fields_ = [
    ("name", c_char * 16),
    ("index_low", c_uint32),
    ("index_bits", c_uint32),
    ("ways", c_uint32),
]
col_geometry._fields_ = [
    ("block_bits", c_uint32),
    ("level_count", c_uint32),
    ("levels", col_cache_level * 8),
]
col_addressing._fields_ = [
    ("geometry", col_geometry),
    ("base", c_uint64),
    ("space_bits", c_uint32),
    ("alignment_bits", c_uint32),
    ("sharing", c_int),
    ("sets", c_uint32),
    ("largest", c_uint32),
]
col_instruction_mix._fields_ = [
    ("weights", c_double * 32),
]
col_category_mix._fields_ = [
    ("weights", c_double * 4),
    ("loads", c_double),
    ("extras", c_double * 32),
]
col_generation._fields_ = [
    ("chained", c_bool),
    ("threads", c_uint32),
    ("operations", c_uint32),
    ("locations", c_uint32),
    ("lengths", POINTER(c_uint32)),
    ("random_lengths", c_bool),
    ("exact_fences", c_bool),
    ("instructions", col_instruction_mix),
    ("categories", col_category_mix),
    ("addressing", col_addressing),
]
col_link._fields_ = [
    ("operation", c_uint32),
    ("between", c_bool),
]
col_chain._fields_ = [
    ("first", c_uint32),
    ("count", c_uint32),
    ("category", c_uint8),
]
col_generated._fields_ = [
    ("chain_counts", c_uint64 * 4),
    ("fillers", c_uint32),
    ("set_count", c_uint32),
    ("set_of", POINTER(c_uint32)),
    ("chains", POINTER(col_chain)),
    ("links", POINTER(col_link)),
    ("chain_total", c_size_t),
]
_col_event_0._fields_ = [
    ("operation", c_uint32),
    ("location", c_uint32),
]
_col_event_1._fields_ = [
    ("word", c_uint64),
    ("number", c_uint64),
]
_col_event_2._fields_ = [
    ("state", c_uint32),
    ("to_machine", c_uint32),
]
_col_event_3._fields_ = [
    ("event", c_uint32),
    ("to_controller", c_uint32),
]
_col_event_4._fields_ = [
    ("next_state", c_uint32),
    ("after", c_uint32),
]
col_event._anonymous_ = ('_col_event_0', '_col_event_1', '_col_event_2', '_col_event_3', '_col_event_4')
col_event._fields_ = [
    ("kind", c_int),
    ("cycle", c_uint64),
    ("core", c_uint32),
    ("_col_event_0", _col_event_0),
    ("_col_event_1", _col_event_1),
    ("overwritten", c_uint64),
    ("read", c_uint64),
    ("source", c_int),
    ("machine", c_uint32),
    ("controller", c_uint32),
    ("_col_event_2", _col_event_2),
    ("_col_event_3", _col_event_3),
    ("_col_event_4", _col_event_4),
    ("block", c_uint64),
    ("message", c_char_p),
]
col_observer._fields_ = [
    ("context", c_void_p),
    ("notice", CFUNCTYPE(None, c_void_p, POINTER(col_event))),
    ("kinds", c_uint32),
]
col_mention._fields_ = [
    ("operation", c_uint32),
    ("thread", c_uint32),
    ("place", c_uint32),
    ("line", c_uint32),
    ("thread_name", c_uint64),
    ("text", c_char * 160),
]
col_step._fields_ = [
    ("from", c_uint32),
    ("to", c_uint32),
    ("relation", c_int),
    ("note", c_uint32),
]
col_violation._fields_ = [
    ("reason", c_char * 512),
    ("mentions", POINTER(col_mention)),
    ("steps", POINTER(col_step)),
    ("mention_count", c_uint32),
    ("step_count", c_uint32),
    ("mention_capacity", c_size_t),
    ("step_capacity", c_size_t),
    ("is_cut", c_bool),
]
col_trace._fields_ = [
    ("program", col_program),
    ("source", POINTER(c_uint32)),
    ("read", POINTER(c_uint64)),
    ("written", POINTER(c_uint64)),
    ("line", POINTER(c_uint32)),
    ("replaced", POINTER(c_uint32)),
    ("replaced_value", POINTER(c_uint64)),
    ("unfinished_count", c_uint32),
    ("begin", POINTER(c_int64)),
    ("end", POINTER(c_int64)),
    ("thread_names", POINTER(c_uint64)),
    ("location_names", POINTER(c_uint64)),
    ("bits", POINTER(c_uint8)),
    ("final", POINTER(c_uint32)),
    ("final_value", POINTER(c_uint64)),
    ("events", POINTER(col_event)),
    ("event_count", c_size_t),
    ("complete", c_bool),
    ("capacities", c_size_t * 16),
]
col_trace_settings._fields_ = [
    ("model", c_int),
    ("ignore_times", c_bool),
    ("budget", c_double),
]
col_signature._fields_ = [
    ("sum", c_uint64),
    ("identity", c_uint64),
]
col_witness_results._fields_ = [
    ("instances", c_uint32),
    ("distinct", c_uint32 * 3),
    ("outcomes", c_uint32),
    ("signatures", POINTER(col_signature) * 3),
    ("events", c_uint32),
    ("conflicts", c_uint64),
    ("nondeterminism", c_double),
    ("event_nondeterminism", POINTER(c_uint32)),
    ("fit_count", c_uint32),
    ("fit_locations", POINTER(c_uint32)),
    ("is_fit", POINTER(c_bool)),
]
col_duv_machine._fields_ = [
    ("name", c_char_p),
    ("controllers", c_uint32),
    ("is_private", c_bool),
    ("first_point", c_uint32),
    ("point_count", c_uint32),
]
col_duv_point._fields_ = [
    ("state", c_char_p),
    ("event", c_char_p),
    ("reachable", c_bool),
]
col_duv_names._fields_ = [
    ("state_count", c_uint32),
    ("event_count", c_uint32),
    ("states", POINTER(c_char_p)),
    ("events", POINTER(c_char_p)),
    ("empty", POINTER(c_bool)),
]
col_duv_cell._fields_ = [
    ("machine", c_uint32),
    ("state", c_uint32),
    ("event", c_uint32),
]
col_duv_source._fields_ = [
    ("file", c_char_p),
    ("line", c_uint32),
]
col_duv_description._fields_ = [
    ("name", c_char_p),
    ("cores", c_uint32),
    ("model", c_int),
    ("geometry", col_geometry),
    ("machine_count", c_uint32),
    ("point_count", c_uint32),
    ("machines", POINTER(col_duv_machine)),
    ("points", POINTER(col_duv_point)),
    ("reachable_known", c_bool),
    ("shows", c_int),
    ("varies", c_bool),
    ("is_narrow", c_bool),
    ("is_single", c_bool),
    ("merges", c_bool),
    ("fetches", c_bool),
    ("prefetches", c_bool),
    ("conditionals", c_bool),
    ("dma", c_bool),
    ("draws", c_bool),
    ("executes", c_bool),
    ("boots", c_bool),
    ("refuses", c_uint32),
    ("least_operations", c_uint32),
    ("most_operations", c_uint32),
    ("instances", c_uint32),
    ("packs", c_bool),
    ("window", c_uint64),
    ("names", POINTER(col_duv_names)),
    ("edited", POINTER(col_duv_cell)),
    ("edited_count", c_uint32),
    ("needs", POINTER(c_uint32)),
    ("sources", POINTER(col_duv_source)),
]
col_duv_settings._fields_ = [
    ("cores", c_uint32),
    ("options", c_char_p),
    ("error", c_char_p),
    ("mutant", c_uint32),
    ("name", c_char_p),
    ("own_process", c_bool),
    ("reads_only", c_bool),
    ("waves", c_char_p),
]
col_run._fields_ = [
    ("end", c_int),
    ("cycles", c_uint64),
    ("operations", c_uint64),
    ("message", c_char * 512),
]
col_duv_interface._fields_ = [
    ("version", c_uint32),
    ("name", c_char_p),
    ("own_process", c_bool),
    ("open", CFUNCTYPE(c_int, POINTER(c_void_p), POINTER(col_duv_settings), POINTER(col_problem))),
    ("close", CFUNCTYPE(None, c_void_p)),
    ("describe", CFUNCTYPE(POINTER(col_duv_description), c_void_p)),
    ("load", CFUNCTYPE(c_int, c_void_p, POINTER(col_program), POINTER(col_problem))),
    ("run", CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(col_observer), POINTER(c_int), POINTER(col_run), POINTER(col_problem))),
    ("collect", CFUNCTYPE(None, c_void_p, POINTER(c_uint64))),
]
col_covered._fields_ = [
    ("covered", c_uint32),
    ("total", c_uint32),
    ("fraction", c_double),
    ("reachable_known", c_bool),
    ("reached", c_uint32),
    ("reachable", c_uint32),
    ("reached_fraction", c_double),
    ("unexpected", c_uint32),
]
col_gain._fields_ = [
    ("points", c_uint32 * 2),
]
col_here._fields_ = [
    ("known", c_bool),
    ("covered", c_uint32),
    ("total", c_uint32),
    ("fraction", c_double),
]
col_point_facts._fields_ = [
    ("machine", c_char_p),
    ("state", c_char_p),
    ("event", c_char_p),
    ("machine_number", c_uint32),
    ("hits", c_uint64),
    ("counts", c_bool),
    ("reachable", c_bool),
    ("unmet", c_uint32),
    ("file", c_char_p),
    ("line", c_uint32),
]
col_quartiles._fields_ = [
    ("low", c_double),
    ("median", c_double),
    ("high", c_double),
]
col_range._fields_ = [
    ("least", c_uint32),
    ("most", c_uint32),
]
col_engine_settings._fields_ = [
    ("threads", c_uint32),
    ("operations", col_range),
    ("locations", col_range),
    ("sets", c_uint32),
    ("mix", c_char_p),
    ("options", c_char_p),
    ("repeat", c_bool),
    ("cycles", c_uint64),
    ("seconds", c_double),
    ("geometry", col_geometry),
    ("seed", c_uint64),
    ("fetches", c_bool),
    ("dma", c_bool),
    ("packs", c_bool),
    ("instances", c_uint32),
    ("draws", c_bool),
    ("keys", c_uint32),
    ("drawn", CFUNCTYPE(None, c_void_p, c_uint32, POINTER(c_uint8))),
    ("context", c_void_p),
]
col_point._fields_ = [
    ("operations", c_uint32),
    ("locations", c_uint32),
    ("sets", c_uint32),
]
col_feedback._fields_ = [
    ("tests", c_uint64),
    ("covered", c_uint64),
    ("total", c_uint64),
    ("own_covered", c_uint64),
    ("gained", c_uint64),
    ("cycles", c_uint64),
    ("operations", c_uint64),
    ("seconds", c_double),
    ("hits", POINTER(c_uint64)),
    ("witness", POINTER(col_witness_results)),
]
col_request._fields_ = [
    ("instances", c_uint32),
    ("is_configured", c_bool),
    ("configuration", c_uint32),
]
col_learning._fields_ = [
    ("test", c_uint64),
    ("action", c_uint32),
    ("is_random", c_bool),
    ("is_trained", c_bool),
    ("epsilon", c_double),
    ("reward", c_double),
    ("loss", c_double),
    ("point", col_point),
    ("action_count", c_uint32),
    ("action_names", POINTER(c_char_p)),
    ("values", POINTER(c_float)),
]
col_engine_space._fields_ = [
    ("points", POINTER(col_point)),
    ("count", c_uint32),
]
col_engine_interface._fields_ = [
    ("version", c_uint32),
    ("name", c_char_p),
    ("summary", c_char_p),
    ("chained", c_bool),
    ("biased", c_bool),
    ("watches", c_bool),
    ("open", CFUNCTYPE(c_int, POINTER(c_void_p), POINTER(col_engine_settings), POINTER(col_engine_space), POINTER(col_problem))),
    ("close", CFUNCTYPE(None, c_void_p)),
    ("next", CFUNCTYPE(c_int, c_void_p, POINTER(col_feedback), POINTER(col_program), POINTER(col_point), POINTER(col_problem))),
    ("save", CFUNCTYPE(c_size_t, c_void_p, c_void_p, c_size_t)),
    ("restore", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(col_problem))),
]
col_setting._fields_ = [
    ("design", col_duv_settings),
    ("model", c_int),
    ("model_file", c_char_p),
    ("model_include", c_char_p),
    ("model_text", c_char_p),
    ("limit", c_double),
    ("judging", c_double),
]
col_progress._fields_ = [
    ("tests", c_uint64),
    ("instances", c_uint64),
    ("operations", c_uint64),
    ("cycles", c_uint64),
    ("seconds", c_double),
    ("point", col_point),
    ("coverage", POINTER(col_coverage)),
]
col_episode_settings._fields_ = [
    ("setting", col_setting),
    ("engine", c_char_p),
    ("operations", col_range),
    ("locations", col_range),
    ("sets", c_uint32),
    ("mix", c_char_p),
    ("engine_options", c_char_p),
    ("repeat", c_bool),
    ("instances", c_uint32),
    ("jobs", c_uint32),
    ("has_operations", c_bool),
    ("has_locations", c_bool),
    ("has_instances", c_bool),
    ("tests", c_uint64),
    ("cycles", c_uint64),
    ("seconds", c_double),
    ("until_coverage", c_double),
    ("metric", c_int),
    ("keep_going", c_bool),
    ("watches", c_bool),
    ("programs", POINTER(c_char_p)),
    ("program_count", c_uint32),
    ("seed", c_uint64),
    ("folder", c_char_p),
    ("waves", c_bool),
    ("keeps_smallest", c_bool),
    ("keep", c_uint32),
    ("save", c_char_p),
    ("save_every", c_double),
    ("resume", c_char_p),
    ("learning_log", c_char_p),
    ("begun", CFUNCTYPE(c_int, c_void_p, POINTER(col_episode), POINTER(col_problem))),
    ("progress", CFUNCTYPE(None, c_void_p, POINTER(col_progress))),
    ("context", c_void_p),
    ("stop", POINTER(c_int)),
]
col_curve_point._fields_ = [
    ("seconds", c_double),
    ("tests", c_uint64),
    ("operations", c_uint64),
    ("cycles", c_uint64),
    ("structural", c_uint32),
    ("functional", c_uint32),
]
col_watched._fields_ = [
    ("tests", c_uint64),
    ("distinct", c_uint64 * 3),
    ("outcomes", c_uint64),
    ("nondeterminism", c_double),
]
col_fingerprint._fields_ = [
    ("hash", c_char * 17),
    ("text", c_char * 384),
]
col_failure._fields_ = [
    ("outcome", c_int),
    ("instance", c_uint32),
    ("test", c_uint64),
    ("seed", c_uint64),
    ("seconds", c_double),
    ("cycles", c_uint64),
    ("operations", c_uint32),
    ("reason", c_char * 512),
    ("folder", c_char * 1024),
    ("shown_again", c_bool),
    ("shown", c_uint64),
    ("runs", c_uint64),
    ("fingerprint", col_fingerprint),
]
col_failure_kind._fields_ = [
    ("count", c_uint64),
    ("smallest", col_failure),
]
col_seen._fields_ = [
    ("thread", c_uint32),
    ("operation", c_uint32),
    ("location", c_uint32),
    ("word", c_uint64),
]
col_seen_outcome._fields_ = [
    ("count", c_uint64),
    ("hash", c_uint64 * 2),
    ("seen", POINTER(col_seen)),
    ("seen_count", c_uint32),
]
col_given._fields_ = [
    ("path", POINTER(c_char)),
    ("threads", c_uint32),
    ("operations", c_uint32),
    ("locations", c_uint32),
    ("tests", c_uint64),
    ("instances", c_uint64),
    ("failing", c_uint64),
    ("passed", c_uint64),
    ("others", c_uint64),
    ("outcomes", POINTER(col_seen_outcome)),
    ("outcome_count", c_size_t),
    ("outcome_capacity", c_size_t),
]
col_episode._fields_ = [
    ("outcome", c_int),
    ("ending", c_int),
    ("design", c_char * 64),
    ("cores", c_uint32),
    ("model", c_int),
    ("model_name", c_char * 64),
    ("tests", c_uint64),
    ("instances", c_uint64),
    ("operations", c_uint64),
    ("cycles", c_uint64),
    ("undecided", c_uint64),
    ("test_operations", col_range),
    ("test_instances", c_uint32),
    ("most_jobs", c_uint32),
    ("seconds", c_double),
    ("coverage", POINTER(col_coverage)),
    ("curve", POINTER(col_curve_point)),
    ("curve_count", c_size_t),
    ("curve_capacity", c_size_t),
    ("watched", col_watched),
    ("failure", col_failure),
    ("failures", c_uint64),
    ("failing_cycles", c_uint64),
    ("failing_seconds", c_double),
    ("kinds", POINTER(col_failure_kind)),
    ("kind_count", c_size_t),
    ("kind_capacity", c_size_t),
    ("given", POINTER(col_given)),
    ("given_count", c_size_t),
    ("given_capacity", c_size_t),
]
col_size._fields_ = [
    ("threads", c_uint32),
    ("operations", c_uint32),
    ("locations", c_uint32),
    ("delays", c_uint32),
]
col_shrink_progress._fields_ = [
    ("seconds", c_double),
    ("trials", c_uint64),
    ("instances", c_uint64),
    ("size", col_size),
]
col_shrink_settings._fields_ = [
    ("folder", c_char_p),
    ("allow_code", c_bool),
    ("out", c_char_p),
    ("seconds", c_double),
    ("seeds", c_uint32),
    ("jobs", c_uint32),
    ("seed", c_uint64),
    ("progress", CFUNCTYPE(None, c_void_p, POINTER(col_shrink_progress))),
    ("context", c_void_p),
    ("stop", POINTER(c_int)),
]
col_shrunk._fields_ = [
    ("from", col_size),
    ("to", col_size),
    ("outcome", c_int),
    ("evidence", c_int),
    ("seed", c_uint64),
    ("failing", c_uint32),
    ("tried", c_uint32),
    ("minimal", c_bool),
    ("seconds", c_double),
    ("trials", c_uint64),
    ("instances", c_uint64),
    ("reason", c_char * 512),
    ("folder", c_char * 1024),
]
col_column._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("numbers", POINTER(c_uint64)),
    ("reals", POINTER(c_double)),
    ("texts", POINTER(c_char_p)),
    ("is_there", POINTER(c_bool)),
]
col_table._fields_ = [
    ("row_count", c_size_t),
    ("column_count", c_uint32),
    ("columns", POINTER(col_column)),
]

FUNCTIONS = {
    "col_problem_text": (c_char_p, [POINTER(col_problem), POINTER(c_char), c_size_t]),
    "col_text_free": (None, [POINTER(c_char)]),
    "col_version": (c_char_p, []),
    "col_program_shape": (c_int, [POINTER(col_program), c_uint32, POINTER(c_uint32), c_uint32, POINTER(col_problem)]),
    "col_program_free": (None, [POINTER(col_program)]),
    "col_program_operations": (c_uint32, [POINTER(col_program)]),
    "col_program_thread_of": (c_uint32, [POINTER(col_program), c_uint32]),
    "col_program_equal": (c_bool, [POINTER(col_program), POINTER(col_program)]),
    "col_program_check": (c_int, [POINTER(col_program), POINTER(col_problem)]),
    "col_program_hash": (col_hash, [POINTER(col_program)]),
    "col_program_word_bytes": (c_uint32, [POINTER(col_program)]),
    "col_program_operand": (c_uint64, [POINTER(col_program), POINTER(col_operation)]),
    "col_program_from_memory": (c_uint64, [POINTER(col_program), c_uint64]),
    "col_program_to_memory": (c_uint64, [POINTER(col_program), c_uint64]),
    "col_program_read": (c_int, [POINTER(col_program), c_char_p, c_size_t, c_char_p, POINTER(col_problem)]),
    "col_program_read_file": (c_int, [POINTER(col_program), c_char_p, POINTER(col_problem)]),
    "col_program_write": (c_int, [POINTER(col_program), POINTER(POINTER(c_char)), POINTER(c_size_t), POINTER(col_problem)]),
    "col_program_write_file": (c_int, [POINTER(col_program), c_char_p, POINTER(col_problem)]),
    "col_addressing_bias": (None, [POINTER(col_addressing), c_uint32]),
    "col_instruction_mix_parse": (c_int, [c_char_p, POINTER(col_instruction_mix), POINTER(col_problem)]),
    "col_category_mix_parse": (c_int, [c_char_p, POINTER(col_category_mix), POINTER(col_problem)]),
    "col_generation_default": (None, [POINTER(col_generation)]),
    "col_generator_new": (POINTER(col_generator), []),
    "col_generator_free": (None, [POINTER(col_generator)]),
    "col_generator_keep_chains": (None, [POINTER(col_generator), c_bool]),
    "col_generate": (c_int, [POINTER(col_generator), POINTER(col_generation), c_uint64, c_uint64, POINTER(col_program), POINTER(col_problem)]),
    "col_generator_last": (POINTER(col_generated), [POINTER(col_generator)]),
    "col_violation_write_file": (c_int, [POINTER(col_violation), c_int, c_char_p, POINTER(col_problem)]),
    "col_violation_write": (c_int, [POINTER(col_violation), c_int, POINTER(POINTER(c_char)), POINTER(c_size_t), POINTER(col_problem)]),
    "col_violation_free": (None, [POINTER(col_violation)]),
    "col_checker_new": (c_int, [POINTER(POINTER(col_checker)), c_int, POINTER(col_problem)]),
    "col_checker_free": (None, [POINTER(col_checker)]),
    "col_checker_load": (c_int, [POINTER(col_checker), POINTER(col_program), POINTER(col_problem)]),
    "col_checker_restart": (None, [POINTER(col_checker)]),
    "col_checker_notice": (c_bool, [POINTER(col_checker), POINTER(col_event)]),
    "col_checker_observer": (col_observer, [POINTER(col_checker)]),
    "col_checker_finish": (c_bool, [POINTER(col_checker), c_bool]),
    "col_checker_violation": (POINTER(col_violation), [POINTER(col_checker)]),
    "col_checker_bytes": (c_size_t, [POINTER(col_checker)]),
    "col_trace_free": (None, [POINTER(col_trace)]),
    "col_trace_read": (c_int, [POINTER(col_trace), c_char_p, c_size_t, c_char_p, POINTER(col_problem)]),
    "col_trace_open": (c_int, [POINTER(POINTER(col_trace_file)), c_char_p, POINTER(col_problem)]),
    "col_trace_close": (None, [POINTER(col_trace_file)]),
    "col_trace_next": (c_int, [POINTER(col_trace_file), POINTER(col_trace), POINTER(c_bool), POINTER(col_problem)]),
    "col_trace_write_file": (c_int, [POINTER(col_trace), c_char_p, POINTER(col_problem)]),
    "col_trace_name": (None, [POINTER(col_trace), POINTER(col_violation)]),
    "col_trace_check": (c_int, [POINTER(col_trace), POINTER(col_trace_settings), POINTER(c_int), POINTER(col_violation), POINTER(col_problem)]),
    "col_recorder_new": (c_int, [POINTER(POINTER(col_recorder)), POINTER(col_problem)]),
    "col_recorder_free": (None, [POINTER(col_recorder)]),
    "col_recorder_load": (c_int, [POINTER(col_recorder), POINTER(col_program), POINTER(col_problem)]),
    "col_recorder_restart": (None, [POINTER(col_recorder)]),
    "col_recorder_notice": (None, [POINTER(col_recorder), POINTER(col_event)]),
    "col_recorder_observer": (col_observer, [POINTER(col_recorder)]),
    "col_recorder_finish": (None, [POINTER(col_recorder), c_bool]),
    "col_recorder_write_file": (c_int, [POINTER(col_recorder), c_char_p, POINTER(col_problem)]),
    "col_witness_new": (c_int, [POINTER(POINTER(col_witness)), POINTER(col_problem)]),
    "col_witness_free": (None, [POINTER(col_witness)]),
    "col_witness_load": (c_int, [POINTER(col_witness), POINTER(col_program), c_uint32, POINTER(col_problem)]),
    "col_witness_begin": (c_int, [POINTER(col_witness), POINTER(col_problem)]),
    "col_witness_notice": (None, [POINTER(col_witness), POINTER(col_event)]),
    "col_witness_observer": (col_observer, [POINTER(col_witness)]),
    "col_witness_end": (None, [POINTER(col_witness)]),
    "col_witness_results_of": (POINTER(col_witness_results), [POINTER(col_witness)]),
    "col_witness_signatures": (POINTER(col_signature), [POINTER(col_witness), c_int, c_int]),
    "col_witness_values": (c_uint32, [POINTER(col_witness), c_int, c_int, c_uint32, POINTER(c_uint64), c_uint32]),
    "col_witness_bytes": (c_size_t, [POINTER(col_witness)]),
    "col_duv_functional": (c_uint32, [POINTER(col_duv_description), c_uint32, c_uint32, c_uint32]),
    "col_duv_functional_count": (c_uint32, [POINTER(col_duv_description)]),
    "col_duv_open": (c_int, [POINTER(POINTER(col_duv)), c_char_p, POINTER(col_duv_settings), POINTER(col_problem)]),
    "col_duv_open_interface": (c_int, [POINTER(POINTER(col_duv)), POINTER(col_duv_interface), POINTER(col_duv_settings), POINTER(col_problem)]),
    "col_duv_close": (None, [POINTER(col_duv)]),
    "col_duv_describe": (POINTER(col_duv_description), [POINTER(col_duv)]),
    "col_duv_load": (c_int, [POINTER(col_duv), POINTER(col_program), POINTER(col_problem)]),
    "col_duv_run": (c_int, [POINTER(col_duv), c_uint64, POINTER(col_observer), POINTER(c_int), POINTER(col_run), POINTER(col_problem)]),
    "col_duv_collect": (None, [POINTER(col_duv), POINTER(c_uint64)]),
    "col_duv_limit": (None, [POINTER(col_duv), c_double]),
    "col_duv_interrupt": (None, [POINTER(col_duv), POINTER(c_int)]),
    "col_coverage_new": (c_int, [POINTER(POINTER(col_coverage)), POINTER(col_duv_description), POINTER(col_problem)]),
    "col_coverage_free": (None, [POINTER(col_coverage)]),
    "col_coverage_begin": (None, [POINTER(col_coverage)]),
    "col_coverage_add": (col_gain, [POINTER(col_coverage), POINTER(c_uint64)]),
    "col_coverage_bring": (None, [POINTER(col_coverage), c_uint32]),
    "col_coverage_brought": (c_uint32, [POINTER(col_coverage)]),
    "col_coverage_of": (col_covered, [POINTER(col_coverage), c_int, c_int, c_uint32]),
    "col_coverage_here": (col_here, [POINTER(col_coverage), c_int, c_uint32]),
    "col_coverage_known_here": (col_here, [POINTER(col_coverage), c_int, c_uint32]),
    "col_coverage_point": (c_bool, [POINTER(col_coverage), c_uint32, POINTER(col_point_facts)]),
    "col_coverage_level": (c_char_p, [POINTER(col_coverage), c_uint32]),
    "col_coverage_design": (c_char_p, [POINTER(col_coverage), POINTER(c_uint32)]),
    "col_coverage_machine": (c_char_p, [POINTER(col_coverage), c_uint32]),
    "col_coverage_has": (c_bool, [POINTER(col_coverage), c_int, c_int, c_uint32]),
    "col_coverage_hits": (POINTER(c_uint64), [POINTER(col_coverage), c_int]),
    "col_coverage_own_hits": (POINTER(c_uint64), [POINTER(col_coverage)]),
    "col_coverage_order": (POINTER(c_uint32), [POINTER(col_coverage), c_int, POINTER(c_uint32)]),
    "col_coverage_points": (col_hash, [POINTER(col_coverage)]),
    "col_coverage_merge": (c_int, [POINTER(col_coverage), POINTER(col_coverage), POINTER(col_gain), POINTER(col_problem)]),
    "col_coverage_read": (c_int, [POINTER(col_coverage), c_char_p, c_size_t, c_char_p, POINTER(col_problem)]),
    "col_coverage_read_file": (c_int, [POINTER(col_coverage), c_char_p, POINTER(col_problem)]),
    "col_coverage_write_file": (c_int, [POINTER(col_coverage), c_char_p, POINTER(col_problem)]),
    "col_location_coverage_new": (c_int, [POINTER(POINTER(col_location_coverage)), POINTER(col_duv_description), POINTER(col_problem)]),
    "col_location_coverage_free": (None, [POINTER(col_location_coverage)]),
    "col_location_coverage_begin": (c_int, [POINTER(col_location_coverage), c_uint32, POINTER(col_problem)]),
    "col_location_coverage_load": (c_int, [POINTER(col_location_coverage), POINTER(col_program), POINTER(col_problem)]),
    "col_location_coverage_observer": (col_observer, [POINTER(col_location_coverage)]),
    "col_location_coverage_distribution": (POINTER(c_uint64), [POINTER(col_location_coverage), c_uint32]),
    "col_location_coverage_unknown": (c_uint64, [POINTER(col_location_coverage)]),
    "col_quartiles_of": (col_quartiles, [POINTER(c_uint64), c_uint32]),
    "col_engine_summary": (c_char_p, [c_char_p]),
    "col_engine_watches": (c_bool, [c_char_p]),
    "col_engine_new": (c_int, [POINTER(POINTER(col_engine)), c_char_p, POINTER(col_engine_settings), POINTER(col_problem)]),
    "col_engine_free": (None, [POINTER(col_engine)]),
    "col_engine_next": (c_int, [POINTER(col_engine), POINTER(col_feedback), POINTER(col_program), POINTER(col_point), POINTER(col_problem)]),
    "col_engine_request": (col_request, [POINTER(col_engine)]),
    "col_engine_learning": (POINTER(col_learning), [POINTER(col_engine)]),
    "col_engine_save": (c_int, [POINTER(col_engine), POINTER(col_feedback), c_char_p, POINTER(col_problem)]),
    "col_engine_restore": (c_int, [POINTER(col_engine), c_char_p, POINTER(col_problem)]),
    "col_random": (c_uint64, [POINTER(c_uint64)]),
    "col_episode_default": (None, [POINTER(col_episode_settings)]),
    "col_episode_set": (c_int, [POINTER(col_episode_settings), c_char_p, c_char_p, POINTER(col_problem)]),
    "col_episode_run": (c_int, [POINTER(col_episode_settings), POINTER(col_episode), POINTER(col_problem)]),
    "col_episode_free": (None, [POINTER(col_episode)]),
    "col_episode_write": (c_int, [POINTER(col_episode_settings), POINTER(col_episode), c_char_p, POINTER(col_problem)]),
    "col_episode_record": (c_int, [POINTER(col_episode_settings), POINTER(col_episode), POINTER(POINTER(c_char)), POINTER(c_size_t), POINTER(col_problem)]),
    "col_replay": (c_int, [c_char_p, c_bool, POINTER(col_failure), POINTER(col_failure), POINTER(col_violation), POINTER(col_problem)]),
    "col_shrink_default": (None, [POINTER(col_shrink_settings)]),
    "col_shrink": (c_int, [POINTER(col_shrink_settings), POINTER(col_shrunk), POINTER(col_problem)]),
    "col_store_open": (c_int, [POINTER(POINTER(col_store)), c_char_p, POINTER(col_problem)]),
    "col_store_close": (None, [POINTER(col_store)]),
    "col_store_read": (c_int, [POINTER(col_store), c_char_p, c_char_p, POINTER(POINTER(col_table)), POINTER(col_problem)]),
    "col_table_free": (None, [POINTER(col_table)]),
}

VARIABLES = {
    "col_kinds": col_kind_traits * 13,
    "col_models": c_char_p * 7,
    "col_relations": c_char_p * 11,
    "col_observations": c_char_p * 4,
    "col_shows_names": c_char_p * 2,
    "col_run_ends": c_char_p * 8,
    "col_metrics": c_char_p * 3,
    "col_engines": POINTER(c_char_p),
    "col_outcomes": c_char_p * 9,
    "col_endings": c_char_p * 10,
    "col_evidences": c_char_p * 5,
    "col_store_tables": POINTER(c_char_p),
}
