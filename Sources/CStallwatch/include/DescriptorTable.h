#pragma once
#include <stdbool.h>

/// Gives the calling thread an empty descriptor table of its own. In the table that threads normally share, a
/// program that closes all descriptors it does not know, as daemons do, closes a library's too, and its next
/// files get their numbers. What this thread opens then has no number in the program, does not count against
/// its limit, and no child inherits it. False where the system refuses; the table is then shared as before.
bool stallwatch_own_descriptors(void);

/// Whether the calling thread has such a table: then nobody else can close what it opened.
bool stallwatch_owns_descriptors(void);

/// Moves a file that was just opened to a number that the program hardly uses, and closes the old one. A listener at
/// malloc, such as heaptrack, writes to a descriptor of its own on whatever thread calls malloc. In a table of our own
/// that number would be the store's, had the store's file kept the lowest free one. In a shared table the file only keeps
/// clear of 0, 1 and 2, to which others print. Returns the new number, or -1 with `errno`.
int stallwatch_set_apart(int descriptor);
