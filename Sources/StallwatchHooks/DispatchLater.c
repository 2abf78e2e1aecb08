// Work that Dispatch enqueues later: after a time, or at the end of a group.
//
// It waits for nobody until then, and may never come: a server under load has a hundred thousand timeouts under way,
// most of which are cancelled. So it has no item before it begins. What Dispatch is to call, and with what, goes by the
// function that it gets in place of the program's; nothing is kept for it.

#define _GNU_SOURCE
#include "DispatchLater.h"

#if defined(__linux__)

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "DispatchQueues.h"
#include "DispatchService.h"
#include "Items.h"

#define EXPORTED __attribute__((visibility("default")))

typedef stallwatch_work work_function;
typedef stallwatch_block block;

// MARK: Blocks

/// Also what the block alone kept goes within the item.
static void call_and_release_block(void *copy) {
  block *own = copy;
  own->invoke(own);
  stallwatch_release_block(own);
}

/// What Dispatch calls in place of a block, with a copy of that.
static void stallwatch_serve_later_block(void *copy) { stallwatch_serve_from_begin(call_and_release_block, copy); }

// MARK: Functions

/// The most functions of the program that are called later. Swift's runtime has one, which resumes what sleeps. Others
/// are not seen, and counted as lost.
enum { most_functions = 8 };
/// Set once each, from the first on.
static _Atomic(work_function) functions[most_functions];

typedef struct {
  work_function work;
  void *context;
} function_call;

static void call_function(void *argument) {
  const function_call *own = argument;
  own->work(own->context);
}

static inline __attribute__((always_inline)) void serve_function(int number, void *context) {
  function_call own = {atomic_load_explicit(&functions[number], memory_order_acquire), context};
  stallwatch_serve_from_begin(call_function, &own);
}

// What Dispatch calls in place of each function.
#define SERVES(number)                                                                                       \
  static void stallwatch_serve_later_##number(void *context) { serve_function(number, context); }
SERVES(0)
SERVES(1)
SERVES(2)
SERVES(3)
SERVES(4)
SERVES(5)
SERVES(6)
SERVES(7)

static const work_function served[most_functions] = {
    stallwatch_serve_later_0, stallwatch_serve_later_1, stallwatch_serve_later_2, stallwatch_serve_later_3,
    stallwatch_serve_later_4, stallwatch_serve_later_5, stallwatch_serve_later_6, stallwatch_serve_later_7,
};

/// What is to be called in place of a function; NULL without room.
static work_function in_place_of(work_function work) {
  for (int i = 0; i < most_functions; i++) {
    work_function known = atomic_load_explicit(&functions[i], memory_order_acquire);
    if (known == NULL && atomic_compare_exchange_strong(&functions[i], &known, work)) known = work;
    if (known == work) return served[i];
  }
  return NULL;
}

// MARK: What comes at once

__thread bool stallwatch_enqueues_later;

stallwatch_called stallwatch_called_later(work_function work, void *context) {
  if (work == stallwatch_serve_later_block) return (stallwatch_called){((block *)context)->invoke, context, true};
  for (int i = 0; i < most_functions; i++)
    if (work == served[i])
      return (stallwatch_called){atomic_load_explicit(&functions[i], memory_order_acquire), context, false};
  return (stallwatch_called){work, context, false};
}

static void enqueue_after(
    const stallwatch_dispatch *dispatch, uint64_t when, void *queue, void *context, work_function work) {
  stallwatch_enqueues_later = true;
  dispatch->after_f(when, queue, context, work);
  stallwatch_enqueues_later = false;
}

// MARK: Dispatch's functions

/// Whether what Dispatch is to call later can be shown; counts it as lost where it should be.
static bool shows(const stallwatch_dispatch *dispatch) {
  if (dispatch->main_queue != NULL && dispatch->get_current_queue != NULL) return true;
  if (dispatch->is_broken) (void)stallwatch_lose_unseen();
  return false;
}

/// What Dispatch is to call in place of a function; NULL: that itself.
static work_function later_function(const stallwatch_dispatch *dispatch, work_function work) {
  if (work == NULL || !shows(dispatch)) return NULL;
  work_function later = in_place_of(work);
  if (later == NULL) (void)stallwatch_lose_unseen();
  return later;
}

/// A copy of a block, for ``stallwatch_serve_later_block``; NULL: Dispatch is to get the block itself, as it does where
/// that is to be served as a barrier.
static void *later_block(const stallwatch_dispatch *dispatch, const void *queue, const block *work) {
  if (!shows(dispatch)) return NULL;
  stallwatch_block_kind kind = stallwatch_kind_of_block(work);
  bool may_be_barrier = kind == stallwatch_barrier_block || kind == stallwatch_unknown_block;
  return may_be_barrier && stallwatch_is_pool(queue) ? NULL : stallwatch_copy_block(work);
}

/// Dispatch drops what is to come at the end of time.
static const uint64_t never = UINT64_MAX;

EXPORTED void dispatch_after_f(uint64_t when, void *queue, void *context, work_function work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  work_function later = when == never ? NULL : later_function(dispatch, work);
  if (later == NULL) return dispatch->after_f(when, queue, context, work);
  enqueue_after(dispatch, when, queue, context, later);
}

EXPORTED void dispatch_after(uint64_t when, void *queue, void *work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  void *copy = when == never ? NULL : later_block(dispatch, queue, work);
  if (copy == NULL) return dispatch->after(when, queue, work);
  enqueue_after(dispatch, when, queue, copy, stallwatch_serve_later_block);
}

EXPORTED void dispatch_group_notify_f(void *group, void *queue, void *context, work_function work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  work_function later = later_function(dispatch, work);
  dispatch->group_notify_f(group, queue, context, later != NULL ? later : work);
}

EXPORTED void dispatch_group_notify(void *group, void *queue, void *work) {
  const stallwatch_dispatch *dispatch = stallwatch_know_dispatch();
  void *copy = later_block(dispatch, queue, work);
  if (copy == NULL) return dispatch->group_notify(group, queue, work);
  dispatch->group_notify_f(group, queue, copy, stallwatch_serve_later_block);
}

#endif
