#pragma once

#include <stdbool.h>

#include "StallwatchHooks.h"

/// The registered listener, or NULL.
const stallwatch_hooks_listener *stallwatch_listener(void);

/// Tells the listener, if it wants to know. Not from inside another call on the same thread.
void stallwatch_tell_will_run(const void *loop, const void *mode);
/// As above.
void stallwatch_tell_did_add_observer(const void *loop, const void *mode, const void *observer);
/// As above, of a timer.
void stallwatch_tell_did_make_timer(stallwatch_hooks_timer *timer);
void stallwatch_tell_will_add_timer(const void *loop, stallwatch_hooks_timer *timer, const void *mode);
void stallwatch_tell_did_rearm_timer(stallwatch_hooks_timer *timer);
void stallwatch_tell_will_end_timer(stallwatch_hooks_timer *timer);
/// Returns whether the listener was told, and is to be told that the callout has returned.
bool stallwatch_tell_will_fire_timer(stallwatch_hooks_timer *timer);
void stallwatch_tell_did_fire_timer(stallwatch_hooks_timer *timer);

/// Calls `body` for every timer that there is.
void stallwatch_for_each_timer(void (*body)(stallwatch_hooks_timer *timer));
/// Makes every timer's `sight` NULL.
void stallwatch_forget_sights(void);

/// Tells the listener that the process ends. In a child made by vfork() too, where it does nothing.
void stallwatch_tell_will_end(void);
/// As above, of a process that is about to be killed by abort().
void stallwatch_tell_will_abort(void);
