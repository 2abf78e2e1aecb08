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

/// A timer with the program's callout and context. Begins with what the listener sees.
typedef struct timer_record timer_record;

/// Takes a record for a timer that is about to be made; `frame` is the frame of the function that makes it.
/// NULL, and counted, when there is no room. Any thread.
timer_record *stallwatch_take_timer(
    timer_callout callout, const timer_context *context, double interval, const void *frame);
/// The context that makes CoreFoundation call us.
timer_context stallwatch_timer_context(timer_record *record);
/// Call after making the timer; `timer` is NULL if that failed.
void stallwatch_timer_was_made(timer_record *record, const void *timer);
/// Call before the timer is added to a mode of a loop.
void stallwatch_timer_is_added(timer_record *record, const void *loop, const void *mode);
/// Call before the timer is invalidated. Calls the listener, once.
void stallwatch_timer_ends(timer_record *record);

/// Our callout for every timer.
void stallwatch_timer_fires(const void *timer, void *info);
/// The record in a context; NULL if it is not one of ours.
timer_record *stallwatch_timer_in_context(const timer_context *context);
/// Replaces our context by the program's own.
void stallwatch_restore_context(timer_context *context);

/// Calls `body` for every timer that exists.
void stallwatch_for_each_timer(void (*body)(stallwatch_hooks_timer *timer));
/// Sets every timer's `tag` to NULL.
void stallwatch_clear_tags(void);
