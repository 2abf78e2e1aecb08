#pragma once

#include <stdbool.h>

/// The first return address above the frame that lies outside Foundation and the Swift runtime; NULL where there is none
/// near. The calling thread's own frames only. Any thread.
const void *stallwatch_origin_above(const void *frame);

/// Whether this process has loaded the Swift runtime as a library. On Linux only.
bool stallwatch_has_swift_library(void);

/// Whether a function of Dispatch or of Swift's concurrency runtime is among the callers: then the thread serves one piece
/// of work after the other, not a loop of its own. On Linux only.
bool stallwatch_is_served_by_dispatch(const void *frame);

/// Whether code lies in Dispatch's library or in Foundation's. On Linux only.
bool stallwatch_lies_in_system(const void *code);
