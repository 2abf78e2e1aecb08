#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "DispatchBlocks.h"

typedef void stallwatch_call_with_block(void *queue, void *block);
typedef void stallwatch_call_with_function(void *queue, void *context, stallwatch_work work);

/// Dispatch's functions after the hooks', and what is known of its queues. On Linux only.
typedef struct {
  // What nearly every call asks for comes first, in one line of the caches.
  /// Set last: whether the rest is known.
  atomic_bool is_known;
  /// Whether queues are not what the hooks take them for: then nothing is wrapped, and what would be is counted as lost.
  bool is_broken;
  /// NULL: nothing is to be wrapped.
  const void *main_queue;
  /// By its first word, which names its class, an object of Dispatch's shows whether it is a concurrent queue, or one of the
  /// global ones.
  const void *concurrent_class, *global_class;
  const char *(*label)(void *queue);
  stallwatch_call_with_function *async_f;
  stallwatch_call_with_block *async, *barrier_async;
  stallwatch_call_with_function *barrier_async_f, *sync_f, *barrier_sync_f, *async_and_wait_f,
      *barrier_async_and_wait_f;
  void (*after)(uint64_t when, void *queue, void *block);
  void (*after_f)(uint64_t when, void *queue, void *context, stallwatch_work work);
  void (*group_async)(void *group, void *queue, void *block);
  void (*group_async_f)(void *group, void *queue, void *context, stallwatch_work work);
  void (*group_enter)(void *group);
  void (*group_leave)(void *group);
  void (*group_notify)(void *group, void *queue, void *block);
  void (*group_notify_f)(void *group, void *queue, void *context, stallwatch_work work);
  void (*source_set_event_handler)(void *source, void *block);
  void (*source_set_event_handler_f)(void *source, stallwatch_work work);
  void *(*get_context)(void *object);
  void *(*get_current_queue)(void);
} __attribute__((aligned(64))) stallwatch_dispatch;

extern stallwatch_dispatch stallwatch_known_dispatch;
void stallwatch_find_dispatch(void);

/// Looks Dispatch up at the first call. Programs ask some hundred thousand times a second. Any thread.
static inline const stallwatch_dispatch *stallwatch_know_dispatch(void) {
  if (!atomic_load_explicit(&stallwatch_known_dispatch.is_known, memory_order_acquire)) stallwatch_find_dispatch();
  return &stallwatch_known_dispatch;
}

static inline const void *stallwatch_class_of(const void *object) { return *(const void *const *)object; }

/// Whether a queue is one of the global ones.
static inline bool stallwatch_is_global(const void *queue) {
  return stallwatch_class_of(queue) == stallwatch_known_dispatch.global_class;
}

/// Whether a queue serves several items at once.
static inline bool stallwatch_is_pool(const void *queue) {
  return stallwatch_class_of(queue) == stallwatch_known_dispatch.concurrent_class || stallwatch_is_global(queue);
}
