#pragma once

#include <stdbool.h>

/// Brings the monitor in at the first call in a process that `record` started. Later calls do nothing, nor do
/// calls in a copy of the hooks linked into a program. Other threads that call meanwhile wait. Any thread.
void stallwatch_inject_once(void);
/// Whether the calling thread is bringing it in. For the library that `record` preloads.
bool stallwatch_is_injecting(void);

/// Leaves a note that a seam of the hooks is switched off, with the reason: a constant text. At once, by system calls; or as
/// the process ends, with none now. Does nothing without `record`.
void stallwatch_note_seam(const char *reason);
void stallwatch_note_seam_at_end(const char *reason);
