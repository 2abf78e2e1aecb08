#pragma once
#include <stdint.h>

/// An observer's callback that does nothing; a `CFRunLoopObserverCallBack`.
void bare_observe_nothing(void *observer, unsigned long activity, void *info);

/// One that reads the monotonic clock and keeps what it read; `info` is a `uint64_t *`.
void bare_observe_clock(void *observer, unsigned long activity, void *info);

/// Begins to count the calling thread's instructions outside the kernel. Returns a descriptor, or -1 where the machine
/// does not count, or does not let this process.
int instructions_open(void);

/// What has been counted so far; 0 with a descriptor of -1.
uint64_t instructions_read(int descriptor);
