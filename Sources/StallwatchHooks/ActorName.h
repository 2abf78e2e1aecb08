#pragma once

#include <stddef.h>

/// More is cut off.
enum { stallwatch_longest_actor_name = 128 };

/// The name of a class of Swift's with the types and the module that it is declared in, `Module.Outer.Class`, from what the
/// compiler wrote into the program; empty where that says nothing. Returns `buffer`. On Linux only; takes no lock, and
/// allocates nothing.
const char *stallwatch_actor_name(const void *metadata, char *buffer, size_t capacity);
