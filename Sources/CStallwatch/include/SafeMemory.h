#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Copies up to `length` bytes of this process's memory at `address` into `into`, as far as they are
/// readable, and returns how many. Never faults: memory that another thread has unmapped is simply not
/// copied. May wait for the kernel's lock on the address space, so never on a watched thread. No allocation;
/// errno may change.
///
/// Reads through /proc/self/mem; if that cannot be opened and no filter applies, by process_vm_readv.
size_t stallwatch_copy_memory(uint64_t address, void *into, size_t length);

/// Keeps the calling thread's way of reading open until ``stallwatch_end_reading``, for many copies in a row. Both may be
/// called in pairs within such a pair.
void stallwatch_begin_reading(void);
/// Closes it, if it is the end of the outermost pair.
void stallwatch_end_reading(void);

/// Keeps the calling thread's way of reading open between looks, or ends that: while threads are held, the monitor looks
/// again and again. See stallwatch_kept_file for what that means to the program.
void stallwatch_keep_reading(bool keeps);

/// Makes the calling thread copy another process's memory instead of its own, until
/// ``stallwatch_end_reading_process``. False, with the reason in errno, where the kernel does not allow it. A process that
/// becomes another program meanwhile has no memory to copy.
bool stallwatch_begin_reading_process(uint64_t process);
void stallwatch_end_reading_process(void);

/// Whether a filter of system calls, such as seccomp's, applies to the calling thread; also true where that
/// is unknown. A filter may kill for an unexpected call. Takes some microseconds.
bool stallwatch_may_have_filter(void);

/// How many filters of system calls are in force for the calling thread; -1 where the kernel does not say.
int stallwatch_filters(void);
