// Work that its caller waits for: it gets its turn in a queue and is served there, mostly on the caller's own thread.
//
// Programs lock by such calls, so what is added to one has to be small: an item that is kept near its thread, and three
// looks at the clock, as for any other item. The monitor is not brought in by one: the caller may be anywhere, also inside
// what the monitor needs for its start.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "DispatchQueues.h"
#include "MainQueue.h"
#include "NearItems.h"
#include "OwnThread.h"
#include "Runtime.h"

#define EXPORTED __attribute__((visibility("default")))

/// A call, on its stack.
typedef struct {
  /// NULL for the main queue, which shows as a whole.
  stallwatch_hooks_item *item;
  stallwatch_work work;
  void *context;
} turn;

// The names of these two do not begin as those of functions that Dispatch calls of its own accord: what is around them is
// the program's.

/// What Dispatch calls instead of the work, on whatever thread.
static void stallwatch_take_turn(void *argument) {
  turn *own = argument;
  stallwatch_notify_will_begin(own->item, stallwatch_own_thread());
  own->work(own->context);
  stallwatch_notify_did_end(own->item, false);
}

/// The same for the main queue.
static void stallwatch_take_main_turn(void *argument) {
  turn *own = argument;
  bool shows = stallwatch_begin_main(true);
  own->work(own->context);
  if (shows) stallwatch_end_main();
}

/// Waits for the work's turn by `call`, where it can be shown; false: the program's own call is still to be made. `caller`
/// is where that returns to.
static inline __attribute__((always_inline)) bool waits(
    const stallwatch_dispatch *dispatch, stallwatch_call_with_function *call, void *queue, void *context,
    stallwatch_work work, const void *caller) {
  if (dispatch->main_queue == NULL) return false;
  turn own = {.work = work, .context = context};
  if (queue == dispatch->main_queue) {
    stallwatch_wait_for_main();
    call(queue, &own, stallwatch_take_main_turn);
    return true;
  }
  // Nothing waits in a global queue by such a call, or for one.
  if (stallwatch_is_global(queue)) return false;
  uint64_t thread = stallwatch_own_thread();
  own.item = stallwatch_take_near_item(thread);
  if (own.item == NULL) return false;
  own.item->work = work;
  own.item->context = (void *)caller;
  own.item->is_block = false;
  own.item->waits_for_turn = true;
  own.item->queue = queue;
  stallwatch_notify_will_wait_for_turn(
      own.item, dispatch->label(queue), stallwatch_is_pool(queue) ? stallwatch_hooks_pool : stallwatch_hooks_queue,
      thread);
  call(queue, &own, stallwatch_take_turn);
  stallwatch_give_back_near_item(own.item, thread);
  return true;
}

/// As above, for a block.
static inline __attribute__((always_inline)) bool waits_by_block(
    const stallwatch_dispatch *dispatch, stallwatch_call_with_function *call,
    stallwatch_call_with_function *call_as_barrier, void *queue, stallwatch_block *block, const void *caller) {
  if (dispatch->main_queue == NULL) return false;
  stallwatch_block_kind kind = stallwatch_kind_of_block(block);
  if (kind == stallwatch_unknown_block && stallwatch_is_pool(queue)) return false;
  if (kind == stallwatch_barrier_block) call = call_as_barrier;
  return waits(dispatch, call, queue, block, block->invoke, caller);
}

/// Sets `next` to Dispatch's own function. Nobody waits for another thread here that looks Dispatch up: a caller may hold the
/// loader's lock, which that one needs.
#define ONWARD(type, name)                                                                                   \
  static _Atomic(type *) found;                                                                              \
  type *next = atomic_load_explicit(&found, memory_order_relaxed);                                           \
  if (next == NULL) {                                                                                        \
    next = (type *)stallwatch_find_onward("libdispatch.so", #name);                                          \
    atomic_store_explicit(&found, next, memory_order_relaxed);                                               \
  }

#define WAITS_BY_FUNCTION(name)                                                                              \
  EXPORTED void name(void *queue, void *context, stallwatch_work work) {                                     \
    ONWARD(stallwatch_call_with_function, name)                                                              \
    if (stallwatch_listener() == NULL) return next(queue, context, work);                                    \
    if (!waits(stallwatch_know_dispatch(), next, queue, context, work, __builtin_return_address(0)))         \
      next(queue, context, work);                                                                            \
  }

/// `call` is Dispatch's call with a function, `barrier` the one by which that is made as a barrier.
#define WAITS_BY_BLOCK(name, call, barrier)                                                                  \
  EXPORTED void name(void *queue, void *block) {                                                             \
    ONWARD(stallwatch_call_with_block, name)                                                                 \
    if (stallwatch_listener() == NULL) return next(queue, block);                                            \
    const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();                                        \
    const void *caller = __builtin_return_address(0);                                                        \
    if (!waits_by_block(dispatch, dispatch->call, dispatch->barrier, queue, block, caller))                  \
      next(queue, block);                                                                                    \
  }

WAITS_BY_FUNCTION(dispatch_sync_f)
WAITS_BY_FUNCTION(dispatch_barrier_sync_f)
WAITS_BY_FUNCTION(dispatch_async_and_wait_f)
WAITS_BY_FUNCTION(dispatch_barrier_async_and_wait_f)
WAITS_BY_BLOCK(dispatch_sync, sync_f, barrier_sync_f)
WAITS_BY_BLOCK(dispatch_barrier_sync, barrier_sync_f, barrier_sync_f)
WAITS_BY_BLOCK(dispatch_async_and_wait, async_and_wait_f, barrier_async_and_wait_f)
WAITS_BY_BLOCK(dispatch_barrier_async_and_wait, barrier_async_and_wait_f, barrier_async_and_wait_f)

#endif
