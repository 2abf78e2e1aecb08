#pragma once

/// Brackets what Dispatch calls the calling thread for: jobs of Swift's runtime, perhaps. The end notes that the thread has
/// left the default actor that it served, if it served one. Outside of these, no actor's item is shown on a thread: a task
/// that completes leaves its actor without a call, so that the item might seem to be served for as long as the thread lives.
void stallwatch_begin_jobs(void);
void stallwatch_end_jobs(void);
