/* SPDX-License-Identifier: MIT */
/* What every protocol finds declared: the enumerations and messages of the runtime. */
#ifndef SLICC_PRELUDE_H
#define SLICC_PRELUDE_H

extern const char slicc_prelude[];

#endif
