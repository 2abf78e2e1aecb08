#pragma once

#include <stdint.h>

/// The calling thread's number, asked for once in each thread. A forked child of a process that was watched is not watched.
/// On Linux only.
uint64_t stallwatch_own_thread(void);
