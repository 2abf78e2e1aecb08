#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "StallwatchHooks.h"

/// Makes this the listener. False when there is one already.
bool stallwatch_set_listener(const stallwatch_hooks_listener *listener);
/// Leaves the process without a listener. A call that has begun may still go on.
void stallwatch_unset_listener(void);
/// The registered listener, or NULL.
const stallwatch_hooks_listener *stallwatch_listener(void);

/// Calls the listener, if it wants this call. Does nothing inside another call on the same thread.
void stallwatch_notify_will_run(const void *loop, const void *mode);
/// As above.
void stallwatch_notify_did_add_observer(const void *loop, const void *mode, const void *observer);
/// As above, for a timer.
void stallwatch_notify_did_make_timer(stallwatch_hooks_timer *timer);
void stallwatch_notify_will_add_timer(const void *loop, stallwatch_hooks_timer *timer, const void *mode);
void stallwatch_notify_did_rearm_timer(stallwatch_hooks_timer *timer);
void stallwatch_notify_will_end_timer(stallwatch_hooks_timer *timer);
/// As above. Returns whether it called the listener, which then also wants the callout's end.
bool stallwatch_notify_will_fire_timer(stallwatch_hooks_timer *timer);
void stallwatch_notify_did_fire_timer(stallwatch_hooks_timer *timer);

/// As above, for an event loop.
void stallwatch_notify_will_wait(bool waits);
void stallwatch_notify_did_wait(void);
/// As above, for the main queue.
void stallwatch_notify_will_serve(uint64_t thread);
void stallwatch_notify_did_serve(bool waits);
/// As above, for items of other queues.
void stallwatch_notify_did_enqueue(
    stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, bool is_due);
void stallwatch_notify_will_wait_for_turn(
    stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, uint64_t thread);
void stallwatch_notify_will_begin(stallwatch_hooks_item *item, uint64_t thread);
void stallwatch_notify_did_end(stallwatch_hooks_item *item, bool was_asked);
void stallwatch_notify_may_begin(stallwatch_hooks_item *item, uint64_t thread);
/// As above. Returns whether it called the listener.
bool stallwatch_notify_did_hop(stallwatch_hooks_item *item, bool was_asked, const void *next, uint32_t lane);
void stallwatch_notify_must_wait(stallwatch_hooks_item *item);

/// Calls the listener at the end of the process. Does nothing in a child made by vfork().
void stallwatch_notify_will_end(void);
/// As above, in a process that abort() is about to kill.
void stallwatch_notify_will_abort(void);
