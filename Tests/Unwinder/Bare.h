#pragma once

/// Calls `body` through two functions that have no unwind tables.
int bare_outer(int (*body)(void));
int bare_inner(int (*body)(void));
/// Calls nothing.
int bare_leaf(int first, int second);
/// As bare_inner, through a function whose frame has a size that nothing tells but its frame pointer.
int bare_sized(int (*body)(void), int size);
