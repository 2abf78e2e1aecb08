#include "KnownLanes.h"

#if defined(__linux__)

#include <stdatomic.h>

/// What was kept last in each place, above the number of its lane. Addresses have 47 bits.
enum { places = 256, lane_bits = 16 };
static _Atomic uint64_t kept[places];

/// Classes and global queues are at least 32 bytes long.
static _Atomic uint64_t *place_of(uint64_t owner) { return &kept[(owner >> 5) % places]; }

uint32_t stallwatch_known_lane(const void *owner) {
  uint64_t address = (uintptr_t)owner, found = atomic_load_explicit(place_of(address), memory_order_relaxed);
  return found >> lane_bits == address ? (uint32_t)(found & ((1 << lane_bits) - 1)) : 0;
}

void stallwatch_keep_lane(const void *owner, uint32_t lane) {
  uint64_t address = (uintptr_t)owner;
  if (lane == 0 || lane >> lane_bits != 0) return;
  atomic_store_explicit(place_of(address), address << lane_bits | lane, memory_order_relaxed);
}

void stallwatch_forget_lanes(void) {
  for (int i = 0; i < places; i++) atomic_store_explicit(&kept[i], 0, memory_order_relaxed);
}

#else

void stallwatch_forget_lanes(void) {}

#endif
