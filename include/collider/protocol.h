/* SPDX-License-Identifier: MIT */
/*
 * What compiled SLICC protocols are made of: the types and inline operations that generated code
 * uses, and the description of a protocol that a plug-in exports as `col_protocol_entry`. The
 * simulator (src/protocol/simulate) includes the same header, so both sides agree by construction.
 * A plug-in built against another SL_ABI is refused.
 *
 * The build joins the parts into one text, which the library contains: plug-ins are compiled
 * against exactly that text. Names follow SLICC: a message buffer, a TBE table or a net destination
 * means what it means there.
 */
#ifndef COLLIDER_PROTOCOL_H
#define COLLIDER_PROTOCOL_H

// clang-format off
#include "collider/protocol/types.h"
#include "collider/protocol/description.h"
#include "collider/protocol/system.h"
#include "collider/protocol/error.h"
#include "collider/protocol/buffer.h"
#include "collider/protocol/destination.h"
#include "collider/protocol/table.h"
#include "collider/protocol/cache.h"
#include "collider/protocol/data.h"
#include "collider/protocol/transaction.h"
#include "collider/protocol/transition.h"
// clang-format on

#endif
