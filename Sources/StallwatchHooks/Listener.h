#pragma once

#include "StallwatchHooks.h"

/// The registered listener, or NULL.
const stallwatch_hooks_listener *stallwatch_listener(void);

/// Tells the listener, if it wants to know. Not from inside another call on the same thread.
void stallwatch_tell_will_run(const void *loop, const void *mode);
/// As above.
void stallwatch_tell_did_add_observer(const void *loop, const void *mode, const void *observer);
/// Tells the listener that the process ends. In a child made by vfork() too, where it does nothing.
void stallwatch_tell_will_end(void);
