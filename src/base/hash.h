/* SPDX-License-Identifier: MIT */
/* XXH3, compiled once (in hash.c) and under names of our own: its state lies on our stacks, so
 * hashing cannot fail, and no other version of the library meets a state that it does not know. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_NAMESPACE base_
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#endif
