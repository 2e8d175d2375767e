" SPDX-License-Identifier: MIT
if exists("b:current_syntax")
  finish
endif

syn match litmusArchitecture "\%1l^\S\+"
syn match litmusCondition "\~\?\<\(exists\|forall\|locations\|filter\|final\|not\|true\|false\)\>"
syn match litmusThread "\<P\d\+\>"
syn match litmusRegister "\<P\?\d\+:\w\+\|%\w\+"
syn match litmusType "\<u\?int\(8\|16\|32\|64\)\?\(_t\)\?\>"
syn match litmusNumber "[$#]\?\<\(0x\x\+\|\d\+\)\>"
syn region litmusString start=+"+ end=+"+
syn region litmusComment start="(\*" end="\*)" contains=litmusComment

hi def link litmusArchitecture PreProc
hi def link litmusCondition Statement
hi def link litmusThread Function
hi def link litmusRegister Identifier
hi def link litmusType Type
hi def link litmusNumber Number
hi def link litmusString String
hi def link litmusComment Comment

let b:current_syntax = "litmus"
