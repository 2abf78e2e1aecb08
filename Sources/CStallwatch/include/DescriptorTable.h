#pragma once
#include <stdbool.h>

/// Gives the calling thread an empty table of descriptors of its own. Threads share one table as a rule, and then whatever
/// closes all descriptors that it does not know, as daemons do, closes those of a library too: the next files that the
/// program opens get their numbers. What is opened in a table of one's own has no number in the program, no limit of the
/// program's counts it, and no child inherits it. False where the system refuses: then the table is the program's as before.
bool stallwatch_own_descriptors(void);
