#pragma once

/// Brackets what Dispatch calls the calling thread for: jobs of Swift's runtime, perhaps. The end notes that the thread has
/// left the default actor that it served, if it served one. Outside of these, no thread is shown as one that serves an actor: a
/// task that completes leaves its actor without a call, so that it might seem to be served for as long as the thread lives.
void stallwatch_begin_jobs(void);
void stallwatch_end_jobs(void);
