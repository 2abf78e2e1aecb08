#pragma once

#include <stdint.h>

// The lanes that the listener has set for the first items of what stays for good: a class of actors, a global queue.

/// The lane of the items of `owner`; 0: not known. Any thread. On Linux only, with ``stallwatch_keep_lane``.
uint32_t stallwatch_known_lane(const void *owner);
void stallwatch_keep_lane(const void *owner, uint32_t lane);

/// Forgets all of them: another listener has lanes of its own.
void stallwatch_forget_lanes(void);
