// What StallwatchHooks tells about the run loops of this process, and to whom.
//
// CoreFoundation's names are interposed, so every loop and every mode is seen before its first run. Nothing here needs
// CoreFoundation's headers: a loop is a CFRunLoopRef, a mode a CFStringRef, an observer a CFRunLoopObserverRef, each
// passed as a bare pointer.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A timer of the process, from its making until it is invalidated or freed.
typedef struct stallwatch_hooks_timer {
  /// The CFRunLoopTimerRef.
  const void *timer;
  /// The return address in the code that made it, outside libFoundation and Swift's libraries; NULL: not known.
  const void *origin;
  /// Seconds between two due times; 0 for a one-shot.
  double interval;
  /// The loop that it was last added to, not retained: to be compared, not used. NULL before that.
  const void *loop;
  /// For the listener's own use. NULL when the timer is made, and when a listener registers.
  void *sight;
} stallwatch_hooks_timer;

/// What a listener is told. A member may be NULL. Not copied: it must stay where it is until the process ends, because
/// another thread may be reading it at any moment.
typedef struct stallwatch_hooks_listener {
  /// sizeof(stallwatch_hooks_listener) as the listener was built. Members that lie beyond it are never called, so a
  /// listener may be older than the hooks.
  size_t size;
  /// A loop is about to run in a mode, nested or not. Called on the loop's own thread, before the run's Entry.
  void (*will_run)(const void *loop, const void *mode);
  /// An observer was added to a mode of a loop. Called on the thread that added it, which may be another than the
  /// loop's. An addition to the common modes is told once for each mode that is common now, with CoreFoundation's lock
  /// on the loop held, and then once for the common modes themselves. Additions that a listener makes from inside a
  /// call are not told.
  void (*did_add_observer)(const void *loop, const void *mode, const void *observer);
  /// The process is about to end without its exit handlers, or to become another program, unless that fails. Called on
  /// the thread that does so, perhaps in a signal handler: only what is safe there may be done. Told by preloaded hooks
  /// alone, and only in the process that registered.
  void (*will_end)(void);
  /// A timer was made, or is there when the listener registers. Called on the thread that made it.
  void (*did_make_timer)(stallwatch_hooks_timer *timer);
  /// The program has given a timer another fire date. Any thread.
  void (*did_rearm_timer)(stallwatch_hooks_timer *timer);
  /// A timer's callout is about to begin, or has returned. On the loop's own thread. A timer that ends in its own callout
  /// is told to end before it is told to have returned.
  void (*will_fire_timer)(stallwatch_hooks_timer *timer);
  void (*did_fire_timer)(stallwatch_hooks_timer *timer);
  /// A timer is about to be invalidated or freed, and fires no more. Any thread, once.
  void (*will_end_timer)(stallwatch_hooks_timer *timer);
  /// A timer is about to be added to a mode of a loop; to the common modes: once for these, and once for each that is
  /// common, with CoreFoundation's lock on the loop held. Any thread. Additions before the listener registered are not told.
  void (*will_add_timer)(const void *loop, stallwatch_hooks_timer *timer, const void *mode);
  /// The process is about to be killed by its own call of abort(). As ``will_end`` in all else.
  void (*will_abort)(void);
} stallwatch_hooks_listener;

/// Registers the one listener. Returns 0, or -1 if another is there already. NULL unregisters; a call that has begun
/// may still be going on. Any thread. A child made by fork() starts with no listener.
__attribute__((visibility("default"))) int stallwatch_hooks_register(const stallwatch_hooks_listener *listener);

/// The hooks' sight of a CFRunLoopTimerRef that is valid; NULL when it was made before the hooks were loaded, or when
/// there was no room for it. Any thread.
__attribute__((visibility("default"))) stallwatch_hooks_timer *stallwatch_hooks_find_timer(const void *timer);

/// How many timers were made that found no room, so far.
__attribute__((visibility("default"))) size_t stallwatch_hooks_lost_timers(void);

#ifdef __cplusplus
}
#endif
