#include "NearItems.h"

#if defined(__linux__)

#include <stdatomic.h>
#include <stddef.h>

#include "Items.h"

/// How many items are kept near threads at most; threads whose numbers differ by a multiple share a place.
enum { places = 64 };

/// Each in a line of the cache of its own.
typedef struct {
  atomic_bool is_taken;
  /// The same for good, from the first thread on that has taken the place.
  _Atomic(stallwatch_hooks_item *) item;
} __attribute__((aligned(64))) place;

static place kept[places];

stallwatch_hooks_item *stallwatch_take_near_item(uint64_t thread) {
  place *own = &kept[thread % places];
  if (atomic_load_explicit(&own->is_taken, memory_order_relaxed) ||
      atomic_exchange_explicit(&own->is_taken, true, memory_order_acquire))
    return stallwatch_take_item();
  stallwatch_hooks_item *item = atomic_load_explicit(&own->item, memory_order_relaxed);
  if (item != NULL) return item;
  item = stallwatch_take_item();
  atomic_store_explicit(&own->item, item, memory_order_relaxed);
  if (item == NULL) atomic_store_explicit(&own->is_taken, false, memory_order_release);
  return item;
}

void stallwatch_give_back_near_item(stallwatch_hooks_item *over, uint64_t thread) {
  over->waiting_since = over->served_since = over->lane = 0;
  over->waits_for_turn = false;
  place *own = &kept[thread % places];
  if (atomic_load_explicit(&own->item, memory_order_relaxed) != over) return stallwatch_give_back_item(over);
  atomic_store_explicit(&own->is_taken, false, memory_order_release);
}

#endif
