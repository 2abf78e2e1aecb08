#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Reads the counter that the processor runs at a constant rate: x86-64's time stamp counter, arm64's virtual
/// counter; 0 elsewhere. 8 to 10 ns on x86-64, half of a read of the clock (tools/bench/run others). Not
/// ordered with the instructions around it, so it may be some nanoseconds early or late.
static inline uint64_t stallwatch_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return 0;
#endif
}

/// Whether the processor declares that its counter runs at one rate in every power state.
bool stallwatch_counter_is_constant(void);
