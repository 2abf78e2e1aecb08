// Work that shows from its begin on: when it was enqueued cannot be seen, or nobody waited for it.

#define _GNU_SOURCE
#include "DispatchService.h"

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ActorWork.h"
#include "DispatchQueues.h"
#include "Injection.h"
#include "Interposed.h"
#include "Listener.h"
#include "MainQueue.h"
#include "NearItems.h"
#include "OwnThread.h"

/// How the labels of the monitor's own queues begin, which nobody wants to see.
static const char monitor[] = "stallwatch.";

/// An item for what the calling thread is about to serve of its queue; NULL without room, or where the monitor serves
/// itself. Nobody asks what an item is to call that has not waited.
static stallwatch_hooks_item *item_for(void *queue, uint64_t thread) {
  const char *label = stallwatch_known_dispatch.label(queue);
  if (label != NULL && strncmp(label, monitor, sizeof monitor - 1) == 0) return NULL;
  stallwatch_hooks_item *new = stallwatch_take_near_item(thread);
  if (new == NULL) return NULL;
  new->queue = queue;
  stallwatch_notify_did_enqueue(
      new, label, stallwatch_is_pool(queue) ? stallwatch_hooks_pool : stallwatch_hooks_queue, false);
  stallwatch_notify_will_begin(new, thread);
  return new;
}

// Reports know this function by its name, and leave out what is around it.
void stallwatch_serve_from_begin(stallwatch_work call, void *argument) {
  if (stallwatch_listener() == NULL && !stallwatch_is_in_run()) stallwatch_inject_once();
  if (stallwatch_listener() == NULL) return call(argument);
  void *queue = stallwatch_known_dispatch.get_current_queue();
  if (queue == stallwatch_known_dispatch.main_queue) {
    if (!stallwatch_begin_main(false)) return call(argument);
    stallwatch_begin_jobs();
    call(argument);
    stallwatch_end_jobs();
    return stallwatch_end_main();
  }
  uint64_t thread = stallwatch_own_thread();
  stallwatch_hooks_item *item = item_for(queue, thread);
  stallwatch_begin_jobs();
  call(argument);
  stallwatch_end_jobs();
  if (item == NULL) return;
  stallwatch_notify_did_end(item, false);
  stallwatch_give_back_near_item(item, thread);
}

#endif
