// Dispatch's main queue, where no run loop serves it: under dispatchMain() and in programs with an async main, whose main
// actor it is. What is enqueued there is wrapped, so that its begin and end show. A worker of Dispatch's may serve it, a
// different one for each item, but only one at a time.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CallerSearch.h"
#include "Injection.h"
#include "Interposed.h"
#include "Runtime.h"

#define EXPORTED __attribute__((visibility("default")))

typedef void (*work_function)(void *context);

/// The start of every block (the Blocks ABI).
typedef struct {
  const void *isa;
  int flags, reserved;
  work_function invoke;
  const void *descriptor;
} block;

/// One piece of work on its way through the main queue.
typedef struct {
  work_function work;
  void *context;
  /// Whether it is among ``pending``.
  bool is_pending;
  /// The next free one, by its number; 0: none.
  _Atomic uint32_t next;
} item;

/// The most items at one time: 512 KB of address space, of which only touched pages are backed. Further ones are not seen,
/// and counted.
enum { capacity = 16384 };
/// From the second on: 0 stands for none.
static item items[capacity + 1];
/// The number of the first free item that was used before, and above it a count of changes, so that no thread takes an
/// item that another one took and gave back meanwhile.
static _Atomic uint64_t free_items;
/// How many items were ever used: pages of others are not touched.
static atomic_uint touched;
static atomic_size_t lost;
/// How many items wait to be served.
static atomic_int pending;

static item *take_item(void) {
  uint64_t head = atomic_load_explicit(&free_items, memory_order_acquire);
  while ((uint32_t)head != 0) {
    uint64_t next = ((head >> 32) + 1) << 32 | atomic_load_explicit(&items[(uint32_t)head].next, memory_order_relaxed);
    if (atomic_compare_exchange_weak_explicit(&free_items, &head, next, memory_order_acq_rel, memory_order_acquire))
      return &items[(uint32_t)head];
  }
  unsigned place = atomic_load_explicit(&touched, memory_order_relaxed);
  while (place < capacity)
    if (atomic_compare_exchange_weak(&touched, &place, place + 1)) return &items[place + 1];
  atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
  return NULL;
}

static void give_back(item *over) {
  uint64_t head = atomic_load_explicit(&free_items, memory_order_relaxed), now;
  do {
    atomic_store_explicit(&over->next, (uint32_t)head, memory_order_relaxed);
    now = ((head >> 32) + 1) << 32 | (uint32_t)(over - items);
  } while (!atomic_compare_exchange_weak_explicit(&free_items, &head, now, memory_order_acq_rel, memory_order_relaxed));
}

size_t stallwatch_hooks_lost_items(void) { return atomic_load_explicit(&lost, memory_order_relaxed); }

/// Dispatch's functions after ours.
static struct {
  void (*async)(void *queue, void *block);
  void (*async_f)(void *queue, void *context, work_function work);
  void (*after)(uint64_t when, void *queue, void *block);
  void (*after_f)(uint64_t when, void *queue, void *context, work_function work);
  void (*barrier_async)(void *queue, void *block);
  void (*group_async)(void *group, void *queue, void *block);
  void (*group_async_f)(void *group, void *queue, void *context, work_function work);
} dispatch;
static void *(*copy_block)(const void *block);
static void (*release_block)(const void *block);
static _Atomic(const void *) main_queue;
/// What runs the blocks that Dispatch itself has made of others (dispatch_block_create, DispatchWorkItem). Their identity
/// matters to cancel them and to wait for them, so they are left alone.
static work_function special_invoke;
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

/// Dispatch's own function of this name. A libdispatch loaded by dlopen(RTLD_LOCAL) does not follow us in the lookup order,
/// though what was loaded with it calls us.
static void *onward(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  return found != NULL ? found : stallwatch_find_in_library("libdispatch.so", name);
}

static void find_dispatch(void) {
  *(void **)&dispatch.async = onward("dispatch_async");
  *(void **)&dispatch.async_f = onward("dispatch_async_f");
  *(void **)&dispatch.after = onward("dispatch_after");
  *(void **)&dispatch.after_f = onward("dispatch_after_f");
  *(void **)&dispatch.barrier_async = onward("dispatch_barrier_async");
  *(void **)&dispatch.group_async = onward("dispatch_group_async");
  *(void **)&dispatch.group_async_f = onward("dispatch_group_async_f");
  *(void **)&copy_block = dlsym(RTLD_DEFAULT, "_Block_copy");
  *(void **)&release_block = dlsym(RTLD_DEFAULT, "_Block_release");
  if (copy_block == NULL || release_block == NULL) return;
  find_special_invoke();
  // Last: without it nothing is wrapped.
  if (special_invoke != NULL && stallwatch_has_swift_library())
    atomic_store_explicit(&main_queue, dlsym(RTLD_DEFAULT, "_dispatch_main_q"), memory_order_release);
}

/// Programs enqueue to other queues some hundred thousand times a second.
static inline bool is_main_queue(const void *queue) {
  const void *known = atomic_load_explicit(&main_queue, memory_order_acquire);
  if (known == NULL) {
    pthread_once(&once, find_dispatch);
    known = atomic_load_explicit(&main_queue, memory_order_acquire);
  }
  return queue == known && known != NULL;
}

/// The calling thread's number, asked for once. A forked child of a process that was watched is not watched.
static uint64_t own_thread(void) {
  static __thread uint64_t known __attribute__((tls_model("initial-exec")));
  if (known == 0) known = (uint64_t)syscall(SYS_gettid);
  return known;
}

/// What Dispatch calls instead of the work: does it, and shows when it begins and ends.
static void serve(void *argument) {
  item *own = argument;
  work_function work = own->work;
  void *context = own->context;
  if (own->is_pending) atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
  give_back(own);
  // A run loop's callout for the main queue shows as that; what Dispatch served before is over.
  if (stallwatch_is_in_run()) {
    stallwatch_tell_did_serve(true);
    return work(context);
  }
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  stallwatch_tell_will_serve(own_thread());
  work(context);
  stallwatch_tell_did_serve(atomic_load_explicit(&pending, memory_order_relaxed) <= 0);
}

static void call_block(void *argument) {
  block *work = argument;
  work->invoke(work);
  release_block(work);
}

/// Wraps work for the main queue; NULL for other queues, and without room.
static item *wrap(const void *queue, work_function work, void *context, bool is_pending) {
  if (!is_main_queue(queue)) return NULL;
  item *new = take_item();
  if (new == NULL) return NULL;
  new->work = work;
  new->context = context;
  new->is_pending = is_pending;
  if (is_pending) atomic_fetch_add_explicit(&pending, 1, memory_order_relaxed);
  return new;
}

static item *wrap_block(const void *queue, const block *work, bool is_pending) {
  if (!is_main_queue(queue) || work->invoke == special_invoke) return NULL;
  item *new = wrap(queue, call_block, NULL, is_pending);
  if (new != NULL) new->context = copy_block(work);
  return new;
}

EXPORTED void dispatch_async_f(void *queue, void *context, work_function work) {
  item *own = wrap(queue, work, context, true);
  if (own == NULL) return dispatch.async_f(queue, context, work);
  dispatch.async_f(queue, own, serve);
}

EXPORTED void dispatch_async(void *queue, void *work) {
  item *own = wrap_block(queue, work, true);
  if (own == NULL) return dispatch.async(queue, work);
  dispatch.async_f(queue, own, serve);
}

EXPORTED void dispatch_barrier_async(void *queue, void *work) {
  // The main queue is serial, so all that it runs is a barrier.
  item *own = wrap_block(queue, work, true);
  if (own == NULL) return dispatch.barrier_async(queue, work);
  dispatch.async_f(queue, own, serve);
}

EXPORTED void dispatch_group_async(void *group, void *queue, void *work) {
  item *own = wrap_block(queue, work, true);
  if (own == NULL) return dispatch.group_async(group, queue, work);
  dispatch.group_async_f(group, queue, own, serve);
}

EXPORTED void dispatch_group_async_f(void *group, void *queue, void *context, work_function work) {
  item *own = wrap(queue, work, context, true);
  if (own == NULL) return dispatch.group_async_f(group, queue, context, work);
  dispatch.group_async_f(group, queue, own, serve);
}

// Delayed work is not pending before its time.

EXPORTED void dispatch_after_f(uint64_t when, void *queue, void *context, work_function work) {
  item *own = wrap(queue, work, context, false);
  if (own == NULL) return dispatch.after_f(when, queue, context, work);
  dispatch.after_f(when, queue, own, serve);
}

EXPORTED void dispatch_after(uint64_t when, void *queue, void *work) {
  item *own = wrap_block(queue, work, false);
  if (own == NULL) return dispatch.after(when, queue, work);
  dispatch.after_f(when, queue, own, serve);
}

#endif
