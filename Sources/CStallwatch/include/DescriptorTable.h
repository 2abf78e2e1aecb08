#pragma once
#include <stdbool.h>

/// Gives the calling thread an empty descriptor table of its own. In the table that threads normally share, a
/// program that closes all descriptors it does not know, as daemons do, closes a library's too, and its next
/// files get their numbers. What this thread opens then has no number in the program, does not count against
/// its limit, and no child inherits it. False where the system refuses; the table is then shared as before.
bool stallwatch_own_descriptors(void);

/// Whether the calling thread has such a table: then nobody else can close what it opened.
bool stallwatch_owns_descriptors(void);
