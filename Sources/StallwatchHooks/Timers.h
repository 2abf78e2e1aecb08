#pragma once

#include "StallwatchHooks.h"

/// CFRunLoopTimerCallBack.
typedef void (*timer_callout)(const void *timer, void *info);

/// CFRunLoopTimerContext.
typedef struct {
  long version;
  void *info;
  const void *(*retain)(const void *info);
  void (*release)(const void *info);
  const void *(*describe)(const void *info);
} timer_context;

/// A timer with the callout and context that the program made it with. Begins with what the listener sees.
typedef struct timer_record timer_record;

/// A record for a timer that is about to be made by the caller of the function whose frame is given; NULL, and counted,
/// when there is no room. Any thread.
timer_record *stallwatch_take_timer(
    timer_callout callout, const timer_context *context, double interval, const void *frame);
/// The context that makes CoreFoundation call us.
timer_context stallwatch_timer_context(timer_record *record);
/// The timer was made; NULL: it was not.
void stallwatch_timer_was_made(timer_record *record, const void *timer);
/// The timer is about to be added to a mode of a loop.
void stallwatch_timer_is_added(timer_record *record, const void *loop, const void *mode);
/// The timer is about to be invalidated. Tells the listener, once.
void stallwatch_timer_ends(timer_record *record);

/// Our callout for every timer.
void stallwatch_timer_fires(const void *timer, void *info);
/// The record in a context, if it is one of ours.
timer_record *stallwatch_timer_in_context(const timer_context *context);
/// Puts the program's own context in the place of ours.
void stallwatch_restore_context(timer_context *context);
