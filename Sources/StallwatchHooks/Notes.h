#pragma once

/// Appends a line to a file that `record` reads after the run: `WHAT pid PROGRAM DETAIL` with tabs between.
/// `place` is the file's path; or, for a nameless file, the path of its descriptor in `record`, a tab, and
/// that link's target. Ignores all errors and never prints. NULL `place` does nothing.
void stallwatch_note(const char *place, const char *what, const char *detail);
