#pragma once
#include <stdint.h>

#include "CycleCounter.h"
#include "DescriptorTable.h"
#include "HooksDoor.h"
#include "SafeMemory.h"
#include "SignalCapture.h"
#include "StackWalk.h"
#include "ThreadSight.h"

// The C that must be C: calls that Swift cannot make.

/// Waits while `*word` is `expected`, until woken or until CLOCK_MONOTONIC reaches `deadline_ns` (0: no deadline).
/// Returns at once if `*word` differs. May return early without a reason.
void stallwatch_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns);

/// Wakes the thread that waits on `word`, if there is one. One system call; async-signal-safe.
void stallwatch_wake(uint32_t *word);

/// The operating system's number of the calling thread.
uint64_t stallwatch_thread_id(void);

/// Names the calling thread, for debuggers and process listings; cut to 15 characters on Linux.
void stallwatch_name_thread(const char *name);

/// Writes the calling thread's name, cut to 15 bytes and a zero, into `name`.
void stallwatch_thread_name(char name[16]);

/// Asks for timers that are as exact as the kernel can make them, for the calling thread only.
void stallwatch_exact_timers(void);

/// Asks the scheduler for short turns of the calling thread, which then comes first when it wakes beside threads with longer
/// ones: on a busy machine a watchdog would else wait for the end of another's turn, some 3 ms. Its share of the processor
/// stays what it was. Linux 6.12 and later do so without privileges; elsewhere nothing changes.
void stallwatch_short_turns(void);

/// Has the calling thread never take the processor from another when it wakes (SCHED_BATCH): it waits for a free one, or its
/// turn. Its share stays what it was. Elsewhere than on Linux nothing changes.
void stallwatch_interrupt_nobody(void);

/// Gives the calling thread ten times the share of a processor that the program's threads have, by 10 steps of niceness, or
/// takes that back: for a thread of the monitor's that has fallen behind, until it has caught up. Where the process may not
/// (it needs CAP_SYS_NICE or RLIMIT_NICE), and elsewhere than on Linux, nothing changes. A system call only at a change.
void stallwatch_come_first(bool first);

/// How many bytes stallwatch_reserve_heap() reserves. Where hundreds of loops end at one time (`tools/storms`), the heaps of
/// the watchdog and the writer then hardly grow.
#define STALLWATCH_HEAP_RESERVE (4u << 20)

/// Makes the calling thread's heap STALLWATCH_HEAP_RESERVE bytes larger at once; of these only what is used is backed by
/// memory. glibc would enlarge it page by page, and lock the process's address space each time: threads of the program that
/// begin, end or allocate then wait. Elsewhere than with glibc nothing changes. Once, by a thread of the monitor's.
void stallwatch_reserve_heap(void);
