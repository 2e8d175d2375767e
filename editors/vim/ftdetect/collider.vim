" SPDX-License-Identifier: MIT
au BufRead,BufNewFile *.sm,*.slicc setfiletype slicc
au BufRead,BufNewFile *.litmus setfiletype litmus
au BufRead,BufNewFile *.cat setfiletype cat
