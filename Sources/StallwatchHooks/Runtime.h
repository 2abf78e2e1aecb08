#pragma once

#include <stdbool.h>
#include <stddef.h>

/// True when this process has loaded every library in `expected`, a list of `NAME=BUILD-ID` separated by
/// commas, with exactly that build-id (lower-case hexadecimal). If not, `found` gets the same list as loaded:
/// a build-id, `absent`, or `unnamed` for a library without one. NULL or empty `expected` never matches.
bool stallwatch_runtime_matches(const char *expected, char *found, size_t capacity);

/// The address of `name` in the loaded libFoundation, however that was loaded; NULL without one.
void *stallwatch_find_in_foundation(const char *name);
