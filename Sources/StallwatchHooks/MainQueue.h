#pragma once

#include <stdbool.h>

// Dispatch's main queue, which shows as a whole. On Linux only.

/// Something waits in the main queue from now on. Any thread.
void stallwatch_wait_for_main(void);

/// The calling thread is about to serve what waited in the main queue, if it `was_pending`. Returns whether that shows, and
/// ``stallwatch_end_main`` is to follow.
bool stallwatch_begin_main(bool was_pending);
void stallwatch_end_main(void);
