// Work on its way through Dispatch's queues: what is enqueued is wrapped, so that its begin and end show.
//
// The main queue, where no run loop serves it (under dispatchMain() and in programs with an async main, whose main actor it
// is), is served by one worker of Dispatch's after the other, and shows as a whole. Of every other queue the items show:
// blocks and functions of the program, and the jobs of Swift's runtime, which come to its pool by dispatch_async_f.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ActorWork.h"
#include "CallerSearch.h"
#include "Injection.h"
#include "Interposed.h"
#include "Items.h"
#include "OwnThread.h"
#include "Runtime.h"

#define EXPORTED __attribute__((visibility("default")))

typedef void (*work_function)(void *context);
typedef stallwatch_hooks_item item;

/// The start of every block (the Blocks ABI).
typedef struct {
  const void *isa;
  int flags, reserved;
  work_function invoke;
  const void *descriptor;
} block;

/// How many items of the main queue wait to be served.
static atomic_int pending;

/// Dispatch's functions after ours.
static struct {
  void (*async)(void *queue, void *block);
  void (*async_f)(void *queue, void *context, work_function work);
  void (*after)(uint64_t when, void *queue, void *block);
  void (*after_f)(uint64_t when, void *queue, void *context, work_function work);
  void (*barrier_async)(void *queue, void *block);
  void (*barrier_async_f)(void *queue, void *context, work_function work);
  void (*group_async)(void *group, void *queue, void *block);
  void (*group_async_f)(void *group, void *queue, void *context, work_function work);
  const char *(*label)(void *queue);
} dispatch;
static void *(*copy_block)(const void *block);
static void (*release_block)(const void *block);
/// Set last: while it is NULL, nothing is wrapped.
static _Atomic(const void *) main_queue;
/// What runs the blocks that Dispatch itself has made of others (dispatch_block_create, DispatchWorkItem). It works whoever
/// calls it: cancelling them, waiting for them and being notified of their end goes by the block itself, which stays the
/// same. But they may be barriers, which only Dispatch can see, so that those for concurrent queues are left alone.
static work_function special_invoke;
/// By its first word, which names its class, an object of Dispatch's shows whether it is a concurrent queue, or one of the
/// global ones, which serve several items at once.
static const void *concurrent_class, *global_class;
/// Whether queues are not what these files take them for: then nothing is wrapped, and what would be is counted as lost.
static atomic_bool is_broken;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_special_invoke(void) {
  static const unsigned long descriptor[2] = {0, sizeof(block)};
  enum { is_global = 1 << 28 };
  void *(*create)(unsigned long flags, const void *block);
  *(void **)&create = dlsym(RTLD_NEXT, "dispatch_block_create");
  static block nothing = {.flags = is_global, .descriptor = descriptor};
  nothing.isa = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  if (create == NULL || nothing.isa == NULL) return;
  block *made = create(0, &nothing);
  if (made == NULL) return;
  special_invoke = made->invoke;
  release_block(made);
}

/// Dispatch's own function of this name.
static void *onward(const char *name) { return stallwatch_find_onward("libdispatch.so", name); }

static const void *class_of(const void *object) { return *(const void *const *)object; }

/// Finds the classes of queues. False where it can, and they are not right: a queue has not the label that it was made with,
/// or serial ones cannot be told from others.
static bool find_classes(void) {
  void *(*create)(const char *label, const void *attributes);
  void *(*global)(intptr_t priority, uintptr_t flags);
  void (*release)(void *object);
  *(void **)&create = onward("dispatch_queue_create");
  *(void **)&global = onward("dispatch_get_global_queue");
  *(void **)&release = onward("dispatch_release");
  const void *concurrent = onward("_dispatch_queue_attr_concurrent");
  if (create == NULL || global == NULL || release == NULL || concurrent == NULL) return true;
  static const char name[] = "stallwatch";
  void *several = create(name, concurrent), *one = create(name, NULL);
  concurrent_class = class_of(several);
  global_class = class_of(global(0, 0));
  const char *label = dispatch.label(one);
  bool is_right = label != NULL && strcmp(label, name) == 0 && class_of(one) != concurrent_class &&
                  class_of(one) != global_class;
  release(several);
  release(one);
  return is_right;
}

static void find_dispatch(void) {
  *(void **)&dispatch.async = onward("dispatch_async");
  *(void **)&dispatch.async_f = onward("dispatch_async_f");
  *(void **)&dispatch.after = onward("dispatch_after");
  *(void **)&dispatch.after_f = onward("dispatch_after_f");
  *(void **)&dispatch.barrier_async = onward("dispatch_barrier_async");
  *(void **)&dispatch.barrier_async_f = onward("dispatch_barrier_async_f");
  *(void **)&dispatch.group_async = onward("dispatch_group_async");
  *(void **)&dispatch.group_async_f = onward("dispatch_group_async_f");
  *(void **)&dispatch.label = onward("dispatch_queue_get_label");
  *(void **)&copy_block = dlsym(RTLD_DEFAULT, "_Block_copy");
  *(void **)&release_block = dlsym(RTLD_DEFAULT, "_Block_release");
  if (copy_block == NULL || release_block == NULL) return;
  find_special_invoke();
  if (special_invoke == NULL || !stallwatch_has_swift_library()) return;
  if (!find_classes()) {
    atomic_store_explicit(&is_broken, true, memory_order_relaxed);
    return stallwatch_note_seam(
        "queues of its libdispatch have another layout than those that stallwatch knows, so that nothing on queues and actors "
        "is seen; build the program with the toolchain of stallwatch");
  }
  // Without knowing a concurrent queue, what is a barrier there would be taken for plain work.
  if (concurrent_class == NULL || global_class == NULL) return;
  atomic_store_explicit(&main_queue, dlsym(RTLD_DEFAULT, "_dispatch_main_q"), memory_order_release);
}

/// The main queue, once Dispatch is known; NULL where nothing is to be wrapped. Programs ask some hundred thousand times a
/// second.
static inline const void *known_main_queue(void) {
  const void *known = atomic_load_explicit(&main_queue, memory_order_acquire);
  if (known != NULL) return known;
  pthread_once(&once, find_dispatch);
  return atomic_load_explicit(&main_queue, memory_order_acquire);
}

// Reports know these two functions by their names, and leave out what is around them.

/// What Dispatch calls instead of the work of a queue: does it, and shows when it begins and ends.
static void stallwatch_serve_item(void *argument) {
  item *own = argument;
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  stallwatch_tell_will_begin(own, stallwatch_own_thread());
  stallwatch_begin_jobs();
  own->work(own->context);
  if (own->is_block) release_block(own->context);
  stallwatch_end_jobs();
  stallwatch_tell_did_end(own, false);
  stallwatch_give_back_item(own);
}

/// The same for the main queue.
static void stallwatch_serve_main(void *argument) {
  item *own = argument;
  work_function work = own->work;
  void *context = own->context;
  bool is_block = own->is_block;
  if (own->is_pending) atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
  stallwatch_give_back_item(own);
  // A run loop's callout for the main queue shows as that; what Dispatch served before is over.
  if (stallwatch_is_in_run()) {
    stallwatch_tell_did_serve(true);
    work(context);
    if (is_block) release_block(context);
    return;
  }
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  stallwatch_tell_will_serve(stallwatch_own_thread());
  stallwatch_begin_jobs();
  work(context);
  if (is_block) release_block(context);
  stallwatch_end_jobs();
  stallwatch_tell_did_serve(atomic_load_explicit(&pending, memory_order_relaxed) <= 0);
}

/// Whether a queue serves several items at once.
static bool is_pool(const void *queue) {
  const void *class = class_of(queue);
  return class == concurrent_class || class == global_class;
}

/// Work that is to be enqueued in place of the program's.
typedef struct {
  /// NULL: the program's own is to be enqueued.
  item *item;
  work_function serve;
} wrapped;

static const wrapped unwrapped = {NULL, NULL};

/// What Dispatch gets as it is because it is not known; counted as lost where it should be.
static wrapped unknown(void) {
  if (atomic_load_explicit(&is_broken, memory_order_relaxed)) (void)stallwatch_lose_unseen();
  return unwrapped;
}

/// Wraps work for a queue; if it `is_block`, that is released after it. `is_due` is false for delayed work, which does not
/// wait before its time.
static wrapped wrap(void *queue, work_function work, void *context, bool is_block, bool is_due) {
  const void *main = known_main_queue();
  if (main == NULL) return unknown();
  item *new = stallwatch_take_item();
  if (new == NULL) return unwrapped;
  new->work = work;
  new->context = context;
  new->is_block = is_block;
  new->queue = queue;
  new->is_pending = queue == main && is_due;
  if (queue == main) {
    if (is_due) atomic_fetch_add_explicit(&pending, 1, memory_order_relaxed);
    return (wrapped){new, stallwatch_serve_main};
  }
  stallwatch_tell_did_enqueue(
      new, dispatch.label(queue), is_pool(queue) ? stallwatch_hooks_pool : stallwatch_hooks_queue, is_due);
  return (wrapped){new, stallwatch_serve_item};
}

static wrapped wrap_block(void *queue, const block *work, bool is_due) {
  if (known_main_queue() == NULL) return unknown();
  if (work->invoke == special_invoke && is_pool(queue)) return unwrapped;
  // Copied before anybody can see the item. Without room for it, the copy is released.
  void *copy = copy_block(work);
  wrapped new = wrap(queue, work->invoke, copy, true, is_due);
  if (new.item == NULL) release_block(copy);
  return new;
}

EXPORTED void dispatch_async_f(void *queue, void *context, work_function work) {
  wrapped own = wrap(queue, work, context, false, true);
  if (own.item == NULL) return dispatch.async_f(queue, context, work);
  dispatch.async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_async(void *queue, void *work) {
  wrapped own = wrap_block(queue, work, true);
  if (own.item == NULL) return dispatch.async(queue, work);
  dispatch.async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_barrier_async_f(void *queue, void *context, work_function work) {
  wrapped own = wrap(queue, work, context, false, true);
  if (own.item == NULL) return dispatch.barrier_async_f(queue, context, work);
  dispatch.barrier_async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_barrier_async(void *queue, void *work) {
  wrapped own = wrap_block(queue, work, true);
  if (own.item == NULL) return dispatch.barrier_async(queue, work);
  dispatch.barrier_async_f(queue, own.item, own.serve);
}

EXPORTED void dispatch_group_async(void *group, void *queue, void *work) {
  wrapped own = wrap_block(queue, work, true);
  if (own.item == NULL) return dispatch.group_async(group, queue, work);
  dispatch.group_async_f(group, queue, own.item, own.serve);
}

EXPORTED void dispatch_group_async_f(void *group, void *queue, void *context, work_function work) {
  wrapped own = wrap(queue, work, context, false, true);
  if (own.item == NULL) return dispatch.group_async_f(group, queue, context, work);
  dispatch.group_async_f(group, queue, own.item, own.serve);
}

/// Dispatch drops what is to come at the end of time.
static const uint64_t never = UINT64_MAX;

EXPORTED void dispatch_after_f(uint64_t when, void *queue, void *context, work_function work) {
  wrapped own = when == never ? unwrapped : wrap(queue, work, context, false, false);
  if (own.item == NULL) return dispatch.after_f(when, queue, context, work);
  dispatch.after_f(when, queue, own.item, own.serve);
}

EXPORTED void dispatch_after(uint64_t when, void *queue, void *work) {
  wrapped own = when == never ? unwrapped : wrap_block(queue, work, false);
  if (own.item == NULL) return dispatch.after(when, queue, work);
  dispatch.after_f(when, queue, own.item, own.serve);
}

#endif
