# SPDX-License-Identifier: MIT
# Puts a file into a C source as bytes: cmake -DINPUT=… -DOUTPUT=… -DNAME=… -P embed.cmake
# The assembler reads them: as an array in C they would keep the compiler busy for seconds.
file(SIZE ${INPUT} size)
file(SHA256 ${INPUT} hash)
file(WRITE ${OUTPUT} "/* ${hash} */
#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
__asm__(\".pushsection .rodata\\n\"
        \".globl ${NAME}\\n\"
        \".hidden ${NAME}\\n\"
        \"${NAME}: .incbin \\\"${INPUT}\\\"\\n\"
        \".popsection\\n\");
const size_t ${NAME}_size = ${size};
")
