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

#include "CallerSearch.h"
#include "DispatchQueues.h"
#include "DispatchService.h"

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
static void call(void *block) {
  const handler *own = block;
  if (own->block != NULL) return own->block->invoke(own->block);
  own->function(stallwatch_known_dispatch.get_context(own->source));
}

// Reports know functions by names that begin so, and leave out what is around them.
static void stallwatch_serve_event(void *block) { stallwatch_serve_from_begin(call, block); }

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
