" SPDX-License-Identifier: MIT
if exists("b:current_syntax")
  finish
endif

syn keyword sliccDeclaration protocol include global machine in_port out_port action transition
syn keyword sliccDeclaration structure external_type enumeration state_declaration
syn keyword sliccStatement peek stall_and_wait wakeup_port enqueue defer_enqueueing check_allocate
syn keyword sliccStatement check_next_cycle check_stop_slots check_on_cache_probe if else return
syn keyword sliccStatement static_cast is_valid is_invalid new const
syn keyword sliccType void
syn keyword sliccConstant true false OOD
syn keyword sliccImplied in_msg out_msg address cache_entry tbe
syn match sliccEnumerator "\<\h\w*:\ze\h\w*"
syn match sliccAttribute "\<\h\w*\ze=[^=]"
syn match sliccNumber "\<\(0x\x\+\|\d\+\)\>"
syn region sliccString start=+"+ end=+"\|$+
syn region sliccString start=+'+ end=+'\|$+
syn match sliccComment "//.*$"
syn region sliccComment start="/\*" end="\*/"
syn sync ccomment sliccComment

hi def link sliccDeclaration Structure
hi def link sliccStatement Statement
hi def link sliccType Type
hi def link sliccConstant Constant
hi def link sliccImplied Identifier
hi def link sliccEnumerator Type
hi def link sliccAttribute Identifier
hi def link sliccNumber Number
hi def link sliccString String
hi def link sliccComment Comment

let b:current_syntax = "slicc"
