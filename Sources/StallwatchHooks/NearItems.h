#pragma once

#include <stdint.h>

#include "StallwatchHooks.h"

/// An item for a thread that needs one again and again: mostly the same, so that threads do not meet in memory. NULL, and counted as lost, without room. Any thread. On Linux only.
stallwatch_hooks_item *stallwatch_take_near_item(uint64_t thread);
void stallwatch_give_back_near_item(stallwatch_hooks_item *over, uint64_t thread);
