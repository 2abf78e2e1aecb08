#pragma once

#include <stddef.h>

/// `stallwatch_hooks_register` of StallwatchHooks, whose header declares the listener.
typedef int (*stallwatch_hooks_register_function)(const void *listener);

/// The function that registers with this process's hooks; NULL when it has none. Preloaded hooks precede
/// linked ones: they see the same calls, and by their listener decide whether `record` brings in a second
/// monitor. Any thread.
stallwatch_hooks_register_function stallwatch_find_hooks_register(void);

/// The hooks' record of a valid CFRunLoopTimerRef, a `stallwatch_hooks_timer` of StallwatchHooks; NULL without
/// hooks, or for a timer that they have not seen. Any thread.
void *stallwatch_find_hooked_timer(const void *timer);

/// How many timers the hooks had no room for so far; 0 without hooks. Any thread.
size_t stallwatch_lost_hooked_timers(void);

/// The items of Dispatch's queues that the hooks have used so far, `stallwatch_hooks_item`s of StallwatchHooks, in memory
/// that stays; `count` gets how many. NULL and 0 without hooks. The first call is to come before watching begins: it takes
/// the loader's lock. Any thread.
const struct stallwatch_hooks_item *stallwatch_hooked_items(size_t *count);

/// How many items found no room there.
size_t stallwatch_lost_hooked_items(void);
