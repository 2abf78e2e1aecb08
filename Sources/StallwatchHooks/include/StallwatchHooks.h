// What StallwatchHooks shows a listener of the run loops and event loops of this process.
//
// It interposes CoreFoundation's names, and so sees every loop and mode before its first run. It needs none
// of CoreFoundation's headers: a loop is a CFRunLoopRef, a mode a CFStringRef, an observer a
// CFRunLoopObserverRef, each passed as a bare pointer.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A timer of the process, from its making until it is invalidated or freed.
typedef struct stallwatch_hooks_timer {
  /// The CFRunLoopTimerRef.
  const void *timer;
  /// The return address in the code that made it, outside libFoundation and Swift's libraries; NULL: unknown.
  const void *origin;
  /// Seconds between two due times; 0 for a one-shot.
  double interval;
  /// The loop it was last added to, not retained: for comparison only. NULL before that.
  const void *loop;
  /// For the listener's own use. NULL when the timer is made, and when a listener registers.
  void *tag;
} stallwatch_hooks_timer;

/// What an item waits in.
typedef enum stallwatch_hooks_item_kind {
  stallwatch_hooks_queue = 0,
  /// A queue of Dispatch's that serves several items at once.
  stallwatch_hooks_pool = 1,
  /// A default actor of Swift's runtime, of which the items are tasks.
  stallwatch_hooks_actor = 2,
} stallwatch_hooks_item_kind;

/// Work that waits in a queue of Dispatch's or for an actor, or is served, on Linux. It lies in one table, at a place that
/// another item takes later.
typedef struct stallwatch_hooks_item {
  /// The function that is to be called, and what with; for a task that asked for an actor, where it is to go on.
  void (*work)(void *context);
  void *context;
  /// The queue or actor, not retained: for comparison only.
  const void *queue;
  // For the listener's own use: since when it waits and is served, which the hooks clear after its end, as they do the lane;
  // the number of the thread that serves it, where that thread's control block lies, and which lane it belongs to, 0: none.
  // The hooks give the items of a global queue, and those of actors of one class, the lane that the listener has set for the
  // first.
  uint64_t waiting_since;
  uint64_t served_since;
  uint64_t thread;
  uint64_t thread_pointer;
  uint32_t lane;
  /// Whether a thread waits for the work to be done. The context is where that one's code goes on then.
  uint8_t waits_for_turn;
  /// Whether the work is that of a block, which is the context.
  uint8_t is_block;
  /// For the hooks' own use: whether it was enqueued while no listener was registered.
  uint8_t came_before;
} stallwatch_hooks_item;

/// Since when an item waits that was enqueued before the listener registered. It has no lane before it begins, but it waits
/// behind what is served in the same queue.
enum { stallwatch_hooks_waits_from_before = 1 };

/// A listener's functions, each of which may be NULL. Not copied: it must stay in place until the process
/// ends, because another thread may be reading it at any moment.
typedef struct stallwatch_hooks_listener {
  /// sizeof(stallwatch_hooks_listener) when the listener was built. The hooks never call members beyond it,
  /// so a listener may be older than the hooks.
  size_t size;
  /// A loop is about to run in a mode, nested or not. Called on the loop's thread, before the run's Entry.
  void (*will_run)(const void *loop, const void *mode);
  /// An observer was added to a mode of a loop. Called on the thread that added it, which may not be the
  /// loop's. An addition to the common modes causes a call for each mode that is common now, with
  /// CoreFoundation's lock on the loop held, and then one for the common modes themselves. A listener's own
  /// additions from inside a call cause none.
  void (*did_add_observer)(const void *loop, const void *mode, const void *observer);
  /// The process is about to end without its exit handlers, or to become another program, unless that fails.
  /// Called on the thread that does so, perhaps in a signal handler, so only async-signal-safe work is
  /// allowed. Only preloaded hooks call it, and only in the process that registered.
  void (*will_end)(void);
  /// A timer was made, or exists when the listener registers. On the thread that made it, or that registers.
  void (*did_make_timer)(stallwatch_hooks_timer *timer);
  /// The program has given a timer another fire date. Any thread.
  void (*did_rearm_timer)(stallwatch_hooks_timer *timer);
  /// A timer's callout is about to begin, or has returned. On the loop's own thread. If a timer ends in its
  /// own callout, its end is reported before the return.
  void (*will_fire_timer)(stallwatch_hooks_timer *timer);
  void (*did_fire_timer)(stallwatch_hooks_timer *timer);
  /// A timer is about to be invalidated or freed, and fires no more. Any thread, once.
  void (*will_end_timer)(stallwatch_hooks_timer *timer);
  /// A timer is about to be added to a mode of a loop. For the common modes: one call for these, and one for
  /// each mode that is common, with CoreFoundation's lock on the loop held. Any thread. Not called for
  /// additions before the listener registered.
  void (*will_add_timer)(const void *loop, stallwatch_hooks_timer *timer, const void *mode);
  /// The process is about to be killed by its own call of abort(). Otherwise like ``will_end``.
  void (*will_abort)(void);
  /// The calling thread serves an event loop, and is about to ask for events; `waits` is false where it does not wait for
  /// any. With ``did_wait`` on Linux only.
  void (*will_wait)(bool waits);
  /// The calling thread's wait is over. Not called where it did not wait.
  void (*did_wait)(void);
  /// The calling thread is about to serve an item of Dispatch's main queue, which no run loop serves. `thread` is the
  /// system's number of the thread. With ``did_serve`` on Linux only.
  void (*will_serve)(uint64_t thread);
  /// It has served the item; `waits` says that no other one is in the queue. Not always on the same thread as before.
  void (*did_serve)(bool waits);
  /// The calling thread is about to enqueue work for a queue other than the main one. `label` is the queue's, perhaps NULL,
  /// or the name of an actor's class; `is_due` is false for delayed work, and for an item of an actor. Items that were
  /// enqueued before the listener registered show as delayed work right before they begin. With all that follow on Linux
  /// only.
  void (*did_enqueue)(stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, bool is_due);
  /// The calling thread, with that number, is about to serve the item.
  void (*will_begin)(stallwatch_hooks_item *item, uint64_t thread);
  /// It has served the item; `was_asked` says that it began with ``may_begin`` or ``did_hop``. Not called for one that ends
  /// its thread.
  void (*did_end)(stallwatch_hooks_item *item, bool was_asked);
  /// A task on the calling thread, with that number, asks for an actor, and is served from now on if nobody else is;
  /// otherwise ``must_wait`` says so at once.
  void (*may_begin)(stallwatch_hooks_item *item, uint64_t thread);
  /// The calling thread has served the item, as for ``did_end``; and the item stands for what it asks for next, as for
  /// ``may_begin``: the actor `next`, whose lane is known.
  void (*did_hop)(stallwatch_hooks_item *item, bool was_asked, const void *next, uint32_t lane);
  /// The item has not begun, and waits since ``may_begin`` or ``did_hop``.
  void (*must_wait)(stallwatch_hooks_item *item);
  /// The calling thread, with that number, is about to wait until the item's work is done, as for ``did_enqueue``. That is
  /// mostly served at once, and by the same thread.
  void (*will_wait_for_turn)(
      stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, uint64_t thread);
} stallwatch_hooks_listener;

/// Registers the one listener. Returns 0, or -1 if there is one already. NULL unregisters; a call that has
/// begun may still go on. Any thread. A child made by fork() starts with no listener.
__attribute__((visibility("default"))) int stallwatch_hooks_register(const stallwatch_hooks_listener *listener);

/// The hooks' record of a valid CFRunLoopTimerRef; NULL when it was made before the hooks were loaded, or when
/// there was no room for it. Any thread.
__attribute__((visibility("default"))) stallwatch_hooks_timer *stallwatch_hooks_find_timer(const void *timer);

/// How many timers found no room so far. Any thread.
__attribute__((visibility("default"))) size_t stallwatch_hooks_lost_timers(void);

/// All items that were ever used, in memory that stays; `count` gets how many. Any thread.
__attribute__((visibility("default"))) const stallwatch_hooks_item *stallwatch_hooks_items(size_t *count);

/// How many items found no room so far. Any thread.
__attribute__((visibility("default"))) size_t stallwatch_hooks_lost_items(void);

#ifdef __cplusplus
}
#endif
