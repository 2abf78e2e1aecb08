#pragma once

#include <stdint.h>

/// How many instructions of its own thread `body` takes, counted by stepping a copy of this process through it, one by
/// one: a few hundred thousand a second. The count is exact and needs no counter of the machine's; it includes about a
/// hundred instructions of the counting. -1: the system lets no process be stepped. No other thread may be running.
int64_t steps_of(void (*body)(const void *context), const void *context);
