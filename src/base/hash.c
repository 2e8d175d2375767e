/* SPDX-License-Identifier: MIT */
#define XXH_IMPLEMENTATION
#include "base/hash.h"
