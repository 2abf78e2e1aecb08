#pragma once
#include <stddef.h>
#include <stdint.h>

/// Copies `length` bytes of this process's memory at `address` into `into`, as far as they are readable, and returns how
/// many were copied. Never faults: what another thread has unmapped meanwhile is simply not copied. One system call,
/// no lock, no allocation; async-signal-safe; errno may change.
size_t stallwatch_copy_memory(uint64_t address, void *into, size_t length);
