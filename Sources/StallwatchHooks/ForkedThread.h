#pragma once

#include <sys/types.h>

/// In a child made by fork(), on its only thread, whose number was `old` in the parent: makes Swift's libraries see the
/// thread's new number. Does nothing to a program without them, and nothing on Apple's systems.
///
/// Swift's locks on Linux hold the number of the thread that owns them, and each library keeps that of a thread in a
/// thread-local variable from its first lock on. fork() copies the old number. As long as nobody else wants a lock that is
/// harmless; once a second thread does, the kernel finds that the lock belongs to another process, and both spin for ever.
/// The monitor brings such threads.
///
/// Their thread-local variables are these numbers, pointers and flags. Nothing tells which word is which, so one that holds
/// `old` by chance is changed too.
void stallwatch_renew_thread_number(pid_t old);
