#pragma once

#include <stdint.h>

/// How many instructions of its own thread `body` takes, counted by stepping a copy of this process through it, one by
/// one: a few hundred thousand a second. The count is exact and needs no counter of the machine's; it includes about a
/// hundred instructions of the counting. -1: the system lets no process be stepped. No other thread may be running.
int64_t steps_of(void (*body)(const void *context), const void *context);

/// Counts the calling thread's instructions outside the kernel between marks, by stepping it from a process of its own
/// while the other threads go on. Calls `body`, which adds 1 to `*mark` wherever a piece begins, and stores in
/// `counts[i]` how many instructions there were between its marks i and i + 1: of `capacity` pieces at most. Returns
/// how many, or -1 where the system lets no process be stepped.
int64_t steps_between_marks(void (*body)(volatile uint64_t *mark, const void *context), const void *context,
                            uint64_t *counts, uint64_t capacity);
