#include "MainQueue.h"

#if defined(__linux__)

#include <stdatomic.h>

#include "Interposed.h"
#include "Listener.h"
#include "OwnThread.h"

/// How much waits in the main queue to be served.
static atomic_int pending;

void stallwatch_wait_for_main(void) { atomic_fetch_add_explicit(&pending, 1, memory_order_relaxed); }

bool stallwatch_begin_main(bool was_pending) {
  if (was_pending) atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
  // A run loop's callout for the main queue shows as that; what Dispatch served before is over.
  if (stallwatch_is_in_run()) {
    stallwatch_notify_did_serve(true);
    return false;
  }
  stallwatch_notify_will_serve(stallwatch_own_thread());
  return true;
}

void stallwatch_end_main(void) {
  stallwatch_notify_did_serve(atomic_load_explicit(&pending, memory_order_relaxed) <= 0);
}

#endif
