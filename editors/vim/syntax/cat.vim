" SPDX-License-Identifier: MIT
if exists("b:current_syntax")
  finish
endif

syn keyword catStatement let rec and when subset as fun in include variant begin end procedure
syn keyword catStatement call enum debug match with forall from do try if then else catdep
syn keyword catStatement instructions default not
syn keyword catCheck acyclic irreflexive empty flag assert show unshow undefined_unless
syn match catTag "'\h[-.A-Za-z0-9_]*"
syn match catNumber "\<\d\+\>"
syn region catString start=+"+ end=+"+
syn match catComment "//.*$"
syn region catComment start="(\*" end="\*)" contains=catComment

hi def link catStatement Statement
hi def link catCheck Keyword
hi def link catTag Constant
hi def link catNumber Number
hi def link catString String
hi def link catComment Comment

let b:current_syntax = "cat"
