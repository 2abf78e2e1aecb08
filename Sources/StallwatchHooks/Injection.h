#pragma once

/// Brings the monitor in, at the first call in a process that `record` started; afterwards, and in a copy of the hooks
/// that is linked into a program, does nothing. Other threads that come meanwhile wait. Any thread.
void stallwatch_inject_once(void);
