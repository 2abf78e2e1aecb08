#include "CycleCounter.h"

#if defined(__x86_64__)
#include <cpuid.h>

// Leaf 0x80000007, EDX bit 8, "invariant TSC": Linux's constant_tsc and nonstop_tsc.
bool stallwatch_counter_is_constant(void) {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && (edx >> 8 & 1);
}
#elif defined(__aarch64__)
// The architecture defines a generic timer of constant rate.
bool stallwatch_counter_is_constant(void) { return true; }
#else
bool stallwatch_counter_is_constant(void) { return false; }
#endif
