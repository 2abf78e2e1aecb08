#pragma once

#include "StallwatchHooks.h"

/// An item that nobody else uses; NULL, and counted as lost, without room. Any thread: it waits for no other one. On Linux
/// only, with ``stallwatch_give_back_item``.
stallwatch_hooks_item *stallwatch_take_item(void);
void stallwatch_give_back_item(stallwatch_hooks_item *over);
/// Counts as lost what gets no item, and returns NULL.
stallwatch_hooks_item *stallwatch_lose_unseen(void);
/// Gives back an item that nobody will see, and counts it as lost.
void stallwatch_lose_item(stallwatch_hooks_item *unseen);

/// Where the hooks keep the group of an item that leaves it by itself. Any thread that has the item.
void **stallwatch_group_of_item(const stallwatch_hooks_item *item);

/// Items by numbers, from 1 to less than 2^15.
uint64_t stallwatch_number_of_item(const stallwatch_hooks_item *item);
stallwatch_hooks_item *stallwatch_item_of_number(uint64_t number);
