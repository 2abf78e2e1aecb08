#pragma once

#include <stddef.h>

/// `stallwatch_hooks_register` of StallwatchHooks, whose header says what a listener is.
typedef int (*stallwatch_hooks_register_function)(const void *listener);

/// How to register with the hooks of this process, or NULL when it has none. Preloaded hooks come before linked ones:
/// they see the same calls, and decide by their listener whether `record` brings in a second monitor. Any thread.
stallwatch_hooks_register_function stallwatch_find_hooks_register(void);

/// The hooks' sight of a valid CFRunLoopTimerRef, a `stallwatch_hooks_timer` of StallwatchHooks; NULL without hooks, or
/// where they have none of it. Any thread.
void *stallwatch_find_hooked_timer(const void *timer);

/// How many timers the hooks had no room for, so far. Any thread.
size_t stallwatch_lost_hooked_timers(void);
