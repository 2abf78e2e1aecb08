#define _GNU_SOURCE
#include "DispatchQueues.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "CallerSearch.h"
#include "Injection.h"
#include "Runtime.h"

stallwatch_dispatch stallwatch_known_dispatch;

/// Dispatch's own function of this name.
static void *onward(const char *name) { return stallwatch_find_onward("libdispatch.so", name); }

/// Finds the classes of queues. False where a concurrent queue cannot be recognised: its barriers would be taken for
/// plain work. Queues are broken where one lacks the label that it was made with, or serial ones cannot be told from
/// others.
static bool find_classes(stallwatch_dispatch *known) {
  void *(*create)(const char *label, const void *attributes);
  void *(*global)(intptr_t priority, uintptr_t flags);
  void (*release)(void *object);
  *(void **)&create = onward("dispatch_queue_create");
  *(void **)&global = onward("dispatch_get_global_queue");
  *(void **)&release = onward("dispatch_release");
  const void *concurrent = onward("_dispatch_queue_attr_concurrent");
  if (create == NULL || global == NULL || release == NULL || concurrent == NULL) return false;
  static const char name[] = "stallwatch";
  void *several = create(name, concurrent), *one = create(name, NULL);
  known->concurrent_class = stallwatch_class_of(several);
  known->global_class = stallwatch_class_of(global(0, 0));
  const char *label = known->label(one);
  known->is_broken = label == NULL || strcmp(label, name) != 0 || stallwatch_is_pool(one);
  release(several);
  release(one);
  return !known->is_broken;
}

static void find(void) {
  stallwatch_dispatch *known = &stallwatch_known_dispatch;
#define FIND(member) *(void **)&known->member = onward("dispatch_" #member)
  FIND(async);
  FIND(async_f);
  FIND(barrier_async);
  FIND(barrier_async_f);
  FIND(sync_f);
  FIND(barrier_sync_f);
  FIND(async_and_wait_f);
  FIND(barrier_async_and_wait_f);
  FIND(after);
  FIND(after_f);
  FIND(group_async);
  FIND(group_async_f);
  FIND(group_enter);
  FIND(group_leave);
  FIND(group_notify);
  FIND(group_notify_f);
  FIND(source_set_event_handler);
  FIND(source_set_event_handler_f);
  FIND(get_context);
  FIND(get_current_queue);
#undef FIND
  *(void **)&known->label = onward("dispatch_queue_get_label");
  if (stallwatch_learn_blocks() && stallwatch_has_swift_library() && find_classes(known))
    known->main_queue = dlsym(RTLD_DEFAULT, "_dispatch_main_q");
  if (known->is_broken)
    stallwatch_note_seam(
        "queues of its libdispatch have another layout than those that stallwatch knows, so that nothing on queues and actors "
        "is seen; build the program with the toolchain of stallwatch");
  atomic_store_explicit(&known->is_known, true, memory_order_release);
}

void stallwatch_find_dispatch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find);
}

#endif
