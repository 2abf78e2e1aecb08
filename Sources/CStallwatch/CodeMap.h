#pragma once
#include <stddef.h>
#include <stdint.h>

#include "StackWalk.h"

/// The range that holds an address; NULL where none does.
static inline const stallwatch_code_range *find_code(const stallwatch_code_map *code, uint64_t address) {
  size_t low = 0, high = code->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const stallwatch_code_range *range = &code->ranges[middle];
    if (address < range->start) high = middle;
    else if (address >= range->end) low = middle + 1;
    else return range;
  }
  return NULL;
}

/// Drops the signature that arm64 processors may put into a return address's upper bits.
static inline uint64_t plain_address(uint64_t address) {
#if defined(__aarch64__)
  return address & (((uint64_t)1 << 48) - 1);
#else
  return address;
#endif
}
