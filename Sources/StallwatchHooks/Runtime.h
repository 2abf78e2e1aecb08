#pragma once

#include <stdbool.h>
#include <stddef.h>

/// True when this process has loaded every library of `expected`, a list of `NAME=BUILD-ID` with commas between, with
/// exactly that build-id (lower-case hexadecimal). If not, `found` gets the same list with what is loaded instead:
/// a build-id, `absent`, or `unnamed` for a library without a build-id. NULL or empty `expected` never matches.
bool stallwatch_runtime_matches(const char *expected, char *found, size_t capacity);

/// The address of `name` in the libFoundation that is loaded, however it was loaded; NULL without one.
void *stallwatch_find_in_foundation(const char *name);
