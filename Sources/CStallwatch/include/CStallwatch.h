#pragma once
#include <stdint.h>

#include "CycleCounter.h"
#include "DescriptorTable.h"
#include "HooksDoor.h"
#include "KeptFile.h"
#include "LastingCode.h"
#include "ProgramFile.h"
#include "RunningSample.h"
#include "SafeMemory.h"
#include "SignalCapture.h"
#include "StackTrail.h"
#include "StackWalk.h"
#include "ThreadSnapshot.h"

// Calls that Swift cannot make.

/// Waits while `*word` is `expected`, until woken or until CLOCK_MONOTONIC reaches `deadline_ns` (0: no
/// deadline). Returns at once if `*word` differs. May return early for no reason.
void stallwatch_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns);

/// Wakes one thread that waits on `word`, if any. One system call; async-signal-safe.
void stallwatch_wake(uint32_t *word);

/// The operating system's ID of the calling thread.
uint64_t stallwatch_thread_id(void);

/// Names the calling thread, for debuggers and process listings; cut to 15 characters on Linux.
void stallwatch_name_thread(const char *name);

/// Writes the calling thread's name into `name`, cut to 15 bytes and a zero.
void stallwatch_thread_name(char name[16]);

/// Makes the calling thread's timers as exact as the kernel can.
void stallwatch_exact_timers(void);

/// Asks the scheduler for short turns of the calling thread, which then precedes threads with longer turns
/// when it wakes. Otherwise a watchdog on a busy machine would wait for the end of another thread's turn,
/// some 3 ms. Its share of the processor stays the same. With false, its turns are as long as those of other
/// threads again: one that it wakes then waits for the end of its turn. Linux 6.12 and later grant this
/// without privileges; elsewhere nothing changes. Makes system calls only at a change.
void stallwatch_short_turns(bool shall_be_short);

/// Makes the calling thread never take the processor from another when it wakes (SCHED_BATCH): it waits for a
/// free one, or for its turn. Its share stays the same. Changes nothing except on Linux.
void stallwatch_interrupt_nobody(void);

/// Gives the calling thread ten times the program's threads' share of a processor, by 10 steps of niceness,
/// or takes that back: for a thread of the monitor that has fallen behind. Without the right (CAP_SYS_NICE or
/// RLIMIT_NICE), and elsewhere than on Linux, nothing changes. Makes system calls only at a change.
void stallwatch_come_first(bool first);

/// How many bytes stallwatch_reserve_heap() reserves. The heaps of the watchdog and the writer then hardly
/// grow even where hundreds of loops end at one time (`tools/judge/storms`).
#define STALLWATCH_HEAP_RESERVE (8u << 20)

/// Enlarges the calling thread's heap by STALLWATCH_HEAP_RESERVE bytes at once; memory backs only what is
/// used. glibc would do so page by page, and lock the process's address space each time, while threads of the
/// program that begin, end or allocate wait. Changes nothing without glibc. Once, by a thread of the monitor.
void stallwatch_reserve_heap(void);

/// Gives back the pages behind what is free of the calling thread's reserve, in large pieces; the address space stays,
/// so that nothing is locked but for reading. After work that took much memory for a moment. Makes a system call for
/// each piece, of which there are a few hundred at most. Changes nothing without glibc, or without a reserve.
void stallwatch_give_back_heap(void);

/// Joins what is free of the calling thread's heap, so that more of it can be given back: malloc keeps some hundred
/// free pieces for each thread, wherever they lie, and only a thread's end takes them from it. So a thread that
/// inherits the caller's signal mask frees them and ends; takes some 0.1 ms. Changes nothing without glibc, without
/// a reserve, and where a filter of system calls came since.
void stallwatch_gather_heap(void);
