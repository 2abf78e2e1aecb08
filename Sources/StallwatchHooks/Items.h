#pragma once

#include "StallwatchHooks.h"

/// An item that nobody else uses; NULL, and counted as lost, without room. Any thread: it waits for no other one. On Linux
/// only, with ``stallwatch_give_back_item``.
stallwatch_hooks_item *stallwatch_take_item(void);
void stallwatch_give_back_item(stallwatch_hooks_item *over);
