#pragma once

/// Brings the monitor in at the first call in a process that `record` started. Later calls do nothing, nor do
/// calls in a copy of the hooks linked into a program. Other threads that call meanwhile wait. Any thread.
void stallwatch_inject_once(void);
