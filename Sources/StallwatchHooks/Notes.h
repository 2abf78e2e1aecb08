#pragma once

/// Appends one line to the file `path`: `WHAT pid PROGRAM DETAIL` with tabs between. `record` made the file and reads
/// it after the run. Whatever goes wrong is ignored: nothing is ever printed. NULL `path` does nothing.
void stallwatch_note(const char *path, const char *what, const char *detail);
