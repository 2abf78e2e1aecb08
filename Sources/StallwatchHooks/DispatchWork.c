// Work on its way through Dispatch's queues: what is enqueued is wrapped, so that its begin and end show.
//
// The main queue, where no run loop serves it (under dispatchMain() and in programs with an async main, whose main actor it
// is), is served by one worker of Dispatch's after the other, and shows as a whole. Of every other queue the items show:
// blocks and functions of the program, and the jobs of Swift's runtime, which come to its pool by dispatch_async_f.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ActorWork.h"
#include "DispatchBlocks.h"
#include "DispatchLater.h"
#include "DispatchQueues.h"
#include "Injection.h"
#include "Interposed.h"
#include "Items.h"
#include "KnownLanes.h"
#include "MainQueue.h"
#include "OwnThread.h"

#define EXPORTED __attribute__((visibility("default")))

typedef stallwatch_work work_function;
typedef stallwatch_block block;
typedef stallwatch_hooks_item item;

/// Whether nobody ever frees a queue: a global one, or one of those that the runtime of Swift makes for its pool
/// (stdlib/public/Concurrency/DispatchGlobalExecutor.cpp).
static bool stays(const void *queue, const char *label) {
  return stallwatch_is_global(queue) || (label != NULL && strcmp(label, "Swift global concurrent queue") == 0);
}

static void notify_did_enqueue(const stallwatch_dispatch *dispatch, item *own, bool is_due) {
  // The hooks only compare queues otherwise.
  void *queue = (void *)own->queue;
  bool is_pool = stallwatch_is_pool(queue);
  if (is_pool) own->lane = stallwatch_known_lane(queue);
  bool is_known = own->lane != 0;
  const char *label = dispatch->label(queue);
  stallwatch_notify_did_enqueue(own, label, is_pool ? stallwatch_hooks_pool : stallwatch_hooks_queue, is_due);
  if (is_pool && !is_known && stays(queue, label)) stallwatch_keep_lane(queue, own->lane);
}

// Reports know these functions by their names, and leave out what is around them.

/// What Dispatch calls instead of the work of a queue: does it, and shows when it begins and ends.
static void stallwatch_serve_item(void *argument) {
  item *own = argument;
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  if (own->came_before) notify_did_enqueue(stallwatch_know_dispatch(), own, false);
  stallwatch_notify_will_begin(own, stallwatch_own_thread());
  stallwatch_begin_jobs();
  // Read before: afterwards the caches may have lost it.
  void *block = own->is_block ? own->context : NULL;
  own->work(own->context);
  if (block != NULL) stallwatch_release_block(block);
  stallwatch_end_jobs();
  stallwatch_notify_did_end(own, false);
  stallwatch_give_back_item(own);
}

/// The same for an item that was enqueued outside of its group.
static void stallwatch_serve_in_group(void *argument) {
  void *group = *stallwatch_group_of_item(argument);
  stallwatch_serve_item(argument);
  stallwatch_known_dispatch.group_leave(group);
}

/// The same for the main queue.
static void stallwatch_serve_main(void *argument) {
  item *own = argument;
  work_function work = own->work;
  void *context = own->context;
  bool is_block = own->is_block;
  stallwatch_give_back_item(own);
  if (stallwatch_listener() == NULL && !stallwatch_is_in_run()) stallwatch_inject_once();
  bool shows = stallwatch_begin_main(true);
  if (shows) stallwatch_begin_jobs();
  work(context);
  if (is_block) stallwatch_release_block(context);
  if (!shows) return;
  stallwatch_end_jobs();
  stallwatch_end_main();
}

/// Work that is to be enqueued in place of the program's.
typedef struct {
  /// NULL: the program's own is to be enqueued.
  item *item;
  work_function serve;
} wrapped;

static const wrapped unwrapped = {NULL, NULL};

/// What Dispatch gets as it is because it is not known; counted as lost where it should be.
static wrapped unknown(const stallwatch_dispatch *dispatch) {
  if (dispatch->is_broken) (void)stallwatch_lose_unseen();
  return unwrapped;
}

/// Wraps work for a queue; if it `is_block`, that is released after it.
static wrapped wrap(
    const stallwatch_dispatch *dispatch, void *queue, work_function work, void *context, bool is_block) {
  if (dispatch->main_queue == NULL) return unknown(dispatch);
  item *new = stallwatch_take_item();
  if (new == NULL) return unwrapped;
  new->work = work;
  new->context = context;
  new->is_block = is_block;
  new->queue = queue;
  if (queue == dispatch->main_queue) {
    stallwatch_wait_for_main();
    return (wrapped){new, stallwatch_serve_main};
  }
  new->came_before = stallwatch_listener() == NULL;
  if (new->came_before) new->waiting_since = stallwatch_hooks_waits_from_before;
  notify_did_enqueue(dispatch, new, true);
  return (wrapped){new, stallwatch_serve_item};
}

static wrapped wrap_block(const stallwatch_dispatch *dispatch, void *queue, const block *work) {
  // Copied before anybody can see the item. Without room for it, the copy is released.
  void *copy = stallwatch_copy_block(work);
  wrapped new = wrap(dispatch, queue, work->invoke, copy, true);
  if (new.item == NULL) stallwatch_release_block(copy);
  return new;
}

/// What a block that is to be enqueued is in this queue: only in a pool it matters whether it is a barrier.
static stallwatch_block_kind kind_in(const stallwatch_dispatch *dispatch, const void *queue, const block *work) {
  if (dispatch->main_queue == NULL) return stallwatch_unknown_block;
  stallwatch_block_kind kind = stallwatch_kind_of_block(work);
  return kind == stallwatch_plain_block || stallwatch_is_pool(queue) ? kind : stallwatch_item_block;
}

EXPORTED void dispatch_async_f(void *queue, void *context, work_function work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  stallwatch_called called = stallwatch_called_by(work, context);
  wrapped own = wrap(dispatch, queue, called.work, called.context, called.is_block);
  if (own.item == NULL) return dispatch->async_f(queue, context, work);
  dispatch->async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_async(void *queue, void *work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  stallwatch_block_kind kind = kind_in(dispatch, queue, work);
  wrapped own = kind == stallwatch_unknown_block ? unknown(dispatch) : wrap_block(dispatch, queue, work);
  if (own.item == NULL) return dispatch->async(queue, work);
  if (kind == stallwatch_barrier_block) return dispatch->barrier_async_f(queue, own.item, own.serve);
  dispatch->async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_barrier_async_f(void *queue, void *context, work_function work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  wrapped own = wrap(dispatch, queue, work, context, false);
  if (own.item == NULL) return dispatch->barrier_async_f(queue, context, work);
  dispatch->barrier_async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_barrier_async(void *queue, void *work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  wrapped own = dispatch->main_queue == NULL ? unknown(dispatch) : wrap_block(dispatch, queue, work);
  if (own.item == NULL) return dispatch->barrier_async(queue, work);
  dispatch->barrier_async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_group_async(void *group, void *queue, void *work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  stallwatch_block_kind kind = kind_in(dispatch, queue, work);
  wrapped own = kind == stallwatch_unknown_block ? unknown(dispatch) : wrap_block(dispatch, queue, work);
  if (own.item == NULL) return dispatch->group_async(group, queue, work);
  if (kind == stallwatch_barrier_block) {
    // Dispatch has no call for it. It does the same itself (_dispatch_continuation_group_async, src/inline_internal.h).
    dispatch->group_enter(group);
    *stallwatch_group_of_item(own.item) = group;
    return dispatch->barrier_async_f(queue, own.item, stallwatch_serve_in_group);
  }
  dispatch->group_async_f(group, queue, own.item, own.serve);
}

EXPORTED void dispatch_group_async_f(void *group, void *queue, void *context, work_function work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  wrapped own = wrap(dispatch, queue, work, context, false);
  if (own.item == NULL) return dispatch->group_async_f(group, queue, context, work);
  dispatch->group_async_f(group, queue, own.item, own.serve);
}

#endif
