// What sources call on a queue: their handlers of events, each of which is replaced by a block around it.
//
// A handler is a block that Dispatch copies when it is set, calls at each event, and releases when it is replaced or the
// source is cancelled. Ours is copied and released with it, and holds the program's by its own copy; nothing is made for an
// event. When an event was enqueued cannot be seen, only how long its handler is served.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ActorWork.h"
#include "CallerSearch.h"
#include "DispatchQueues.h"
#include "Items.h"
#include "MainQueue.h"
#include "NearItems.h"
#include "OwnThread.h"

#define EXPORTED __attribute__((visibility("default")))

/// A block of ours around a handler.
typedef struct {
  stallwatch_block header;
  /// The program's block; NULL: its function.
  stallwatch_block *block;
  // Called with the source's context.
  stallwatch_work function;
  void *source;
} handler;

/// What a block says of itself (the Blocks ABI).
typedef struct {
  unsigned long reserved, size;
  void (*copy)(void *made, const void *from);
  void (*dispose)(const void *block);
} descriptor;

static void copy_handler(void *made, const void *from) {
  handler *own = made;
  own->block = ((const handler *)from)->block;
  if (own->block != NULL) own->block = stallwatch_copy_block(own->block);
}

static void dispose_of_handler(const void *block) {
  const handler *own = block;
  if (own->block != NULL) stallwatch_release_block(own->block);
}

/// Calls the program's handler. It may replace itself, so that nothing of `own` is there after it.
static void call(const handler *own) {
  if (own->block != NULL) return own->block->invoke(own->block);
  own->function(stallwatch_known_dispatch.get_context(own->source));
}

/// How the labels of the monitor's own queues begin, which nobody wants to see.
static const char monitor[] = "stallwatch.";

/// An item for what the calling thread is about to serve of its queue; NULL without room, or where the monitor serves itself.
/// Nobody asks what an item is to call that has not waited.
static stallwatch_hooks_item *item_for(void *queue, uint64_t thread) {
  const char *label = stallwatch_known_dispatch.label(queue);
  if (label != NULL && strncmp(label, monitor, sizeof monitor - 1) == 0) return NULL;
  stallwatch_hooks_item *new = stallwatch_take_near_item(thread);
  if (new == NULL) return NULL;
  new->queue = queue;
  stallwatch_tell_did_enqueue(
      new, label, stallwatch_is_pool(queue) ? stallwatch_hooks_pool : stallwatch_hooks_queue, false);
  stallwatch_tell_will_begin(new, thread);
  return new;
}

// Reports know this function by its name, and leave out what is around it.
static void stallwatch_serve_event(void *block) {
  const handler *own = block;
  if (stallwatch_listener() == NULL) return call(own);
  void *queue = stallwatch_known_dispatch.get_current_queue();
  if (queue == stallwatch_known_dispatch.main_queue) {
    if (!stallwatch_begin_main(false)) return call(own);
    stallwatch_begin_jobs();
    call(own);
    stallwatch_end_jobs();
    return stallwatch_end_main();
  }
  uint64_t thread = stallwatch_own_thread();
  stallwatch_hooks_item *item = item_for(queue, thread);
  stallwatch_begin_jobs();
  call(own);
  stallwatch_end_jobs();
  if (item == NULL) return;
  stallwatch_tell_did_end(item, false);
  stallwatch_give_back_near_item(item, thread);
}

/// A block around a handler, on the stack of who sets it; Dispatch copies it.
static handler around(stallwatch_block *block, stallwatch_work function, void *source) {
  // BLOCK_HAS_COPY_DISPOSE
  enum { has_copy_dispose = 1 << 25 };
  static const descriptor own = {0, sizeof(handler), copy_handler, dispose_of_handler};
  return (handler){
      .header = {stallwatch_stack_block(), has_copy_dispose, 0, stallwatch_serve_event, &own},
      .block = block,
      .function = function,
      .source = source,
  };
}

/// Whether a handler that `caller` sets is to be replaced. Dispatch has sources of its own, and every run of a run loop one
/// for its timeout, which are not the program's.
static bool wraps(const stallwatch_dispatch *dispatch, const void *handler, const void *caller) {
  return handler != NULL && dispatch->main_queue != NULL && dispatch->get_current_queue != NULL &&
         dispatch->get_context != NULL && stallwatch_stack_block() != NULL && !stallwatch_lies_in_system(caller);
}

EXPORTED void dispatch_source_set_event_handler(void *source, void *block) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  if (!wraps(dispatch, block, __builtin_return_address(0))) return dispatch->source_set_event_handler(source, block);
  handler own = around(block, NULL, source);
  dispatch->source_set_event_handler(source, &own);
}

EXPORTED void dispatch_source_set_event_handler_f(void *source, stallwatch_work function) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  if (!wraps(dispatch, (const void *)function, __builtin_return_address(0)))
    return dispatch->source_set_event_handler_f(source, function);
  handler own = around(NULL, function, source);
  dispatch->source_set_event_handler(source, &own);
}

#endif
