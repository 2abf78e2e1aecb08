// How a listener registers: what it has missed is shown to it now.

#include "KnownLanes.h"
#include "Listener.h"
#include "Timers.h"

int stallwatch_hooks_register(const stallwatch_hooks_listener *listener) {
  if (listener == NULL) {
    stallwatch_unset_listener();
    return 0;
  }
  // The tags and lanes are an earlier listener's; the present one, if there is one, needs its own.
  if (stallwatch_listener() != NULL) return -1;
  stallwatch_clear_tags();
  stallwatch_forget_lanes();
  if (!stallwatch_set_listener(listener)) return -1;
  // The listener may hear twice of a timer that another thread makes now; by then it has set its tag.
  stallwatch_for_each_timer(stallwatch_notify_did_make_timer);
  return 0;
}
