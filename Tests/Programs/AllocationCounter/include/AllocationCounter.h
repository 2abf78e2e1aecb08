#pragma once
#include <stdint.h>

// Counts the allocations of each thread of the program that links this: its malloc takes the place of libc's, for every
// library of the process.

/// How many blocks the calling thread has asked for so far.
uint64_t allocations_of_this_thread(void);

/// Forks, runs `body` in the child, ends the child with exit(0), and returns the child's wait status, or -1 if it has
/// not ended after ten seconds (it is killed then).
int run_in_forked_child(void (*body)(void));
