#pragma once

#include <sys/types.h>

/// Makes Swift's libraries see the new thread ID in a child made by fork(). Called on the child's only
/// thread, whose ID was `old` in the parent. Does nothing in a program without these libraries, or on Apple's
/// systems.
///
/// Swift's locks on Linux hold the ID of their owner, and each library caches a thread's ID in a thread-local
/// variable from its first lock on. fork() copies the old ID. That is harmless until a second thread wants
/// such a lock: the kernel then finds that the lock belongs to another process, and both threads spin for
/// ever. The monitor brings such threads.
///
/// The libraries' thread-local variables are these IDs, pointers and flags. Nothing tells which word is
/// which, so this also changes a word that holds `old` by chance.
void stallwatch_renew_thread_number(pid_t old);
