#pragma once

/// Calls `body` through functions that have neither unwind tables nor frame records.
int frameless_call(int (*body)(void));
/// The same, through one that only jumps to the next.
int frameless_jump(int (*body)(void));
/// The same, through one that calls the next by a pointer.
int frameless_point(int (*body)(void));
