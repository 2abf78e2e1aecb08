#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Copies `length` bytes of this process's memory at `address` into `into`, as far as they are readable, and returns how
/// many were copied. Never faults: what another thread has unmapped meanwhile is simply not copied. May wait for the
/// kernel's lock on the address space, so never on a watched thread. No allocation; errno may change.
///
/// Reads through /proc/self/mem, and through process_vm_readv where that cannot be opened and no seccomp filter is in force.
size_t stallwatch_copy_memory(uint64_t address, void *into, size_t length);

/// Keeps the calling thread's way of reading open until ``stallwatch_end_reading``: for many copies in a row.
void stallwatch_begin_reading(void);
/// Gives it back.
void stallwatch_end_reading(void);

/// Whether a filter of system calls, such as seccomp's, decides about the calling thread's; also true where that cannot be
/// found out. A filter may kill for a call that it does not expect. Some microseconds.
bool stallwatch_may_have_filter(void);
