#include "Items.h"

#if defined(__linux__)

#include <stdatomic.h>

/// The most items at one time: 1 MB of address space, of which only touched pages are backed. Further ones are not seen,
/// and counted.
enum { capacity = 16384 };
/// From the second on: 0 stands for none.
static stallwatch_hooks_item items[capacity + 1];
/// The groups of the few that need to be known: pages of others are not touched.
static void *groups[capacity + 1];
/// The number of the first free item that was used before, and above it a count of changes, so that no thread takes an
/// item that another one took and gave back meanwhile.
static _Atomic uint64_t free_items;
/// How many items were ever used: pages of others are not touched.
static atomic_uint touched;
static atomic_size_t lost;

/// The number of the free item after a free one, 0: none. It lies in the item, of which nobody reads that word until it is
/// taken, and whoever takes it writes it anyway: a table would be one more line for the caches to hand from thread to thread.
static uintptr_t *next(uint32_t number) { return (uintptr_t *)&items[number].context; }

stallwatch_hooks_item *stallwatch_lose_unseen(void) {
  atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
  return NULL;
}

stallwatch_hooks_item *stallwatch_take_item(void) {
  uint64_t head = atomic_load_explicit(&free_items, memory_order_acquire);
  while ((uint32_t)head != 0) {
    // Another thread may have taken the item meanwhile, and use the word: then the exchange fails.
    uint64_t after = __atomic_load_n(next((uint32_t)head), __ATOMIC_RELAXED) & UINT32_MAX;
    uint64_t rest = ((head >> 32) + 1) << 32 | after;
    if (atomic_compare_exchange_weak_explicit(&free_items, &head, rest, memory_order_acq_rel, memory_order_acquire))
      return &items[(uint32_t)head];
  }
  unsigned place = atomic_load_explicit(&touched, memory_order_relaxed);
  while (place < capacity)
    if (atomic_compare_exchange_weak(&touched, &place, place + 1)) return &items[place + 1];
  return stallwatch_lose_unseen();
}

void stallwatch_give_back_item(stallwatch_hooks_item *over) {
  over->waiting_since = over->served_since = over->lane = 0;
  uint32_t number = (uint32_t)(over - items);
  uint64_t head = atomic_load_explicit(&free_items, memory_order_relaxed), now;
  do {
    __atomic_store_n(next(number), head & UINT32_MAX, __ATOMIC_RELAXED);
    now = ((head >> 32) + 1) << 32 | number;
  } while (!atomic_compare_exchange_weak_explicit(&free_items, &head, now, memory_order_acq_rel, memory_order_relaxed));
}

void stallwatch_lose_item(stallwatch_hooks_item *unseen) {
  stallwatch_give_back_item(unseen);
  (void)stallwatch_lose_unseen();
}

uint64_t stallwatch_number_of_item(const stallwatch_hooks_item *item) { return (uint64_t)(item - items); }

void **stallwatch_group_of_item(const stallwatch_hooks_item *item) { return &groups[item - items]; }

stallwatch_hooks_item *stallwatch_item_of_number(uint64_t number) { return &items[number]; }

const stallwatch_hooks_item *stallwatch_hooks_items(size_t *count) {
  *count = atomic_load_explicit(&touched, memory_order_acquire);
  return &items[1];
}

size_t stallwatch_hooks_lost_items(void) { return atomic_load_explicit(&lost, memory_order_relaxed); }

#else

const stallwatch_hooks_item *stallwatch_hooks_items(size_t *count) {
  *count = 0;
  return NULL;
}

size_t stallwatch_hooks_lost_items(void) { return 0; }

#endif
