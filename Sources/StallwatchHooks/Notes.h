#pragma once

/// Appends one line to a file of `record`'s, which reads it after the run: `WHAT pid PROGRAM DETAIL` with tabs between.
/// `place` is the file's path; or, where the file has no name, the path of its descriptor in `record`, a tab, and what that
/// leads to. Whatever goes wrong is ignored: nothing is ever printed. NULL `place` does nothing.
void stallwatch_note(const char *place, const char *what, const char *detail);
