#pragma once

#include <stdbool.h>
#include <stddef.h>

/// True when each library in `expected`, a list of `NAME=BUILD-ID` separated by commas, that this process has loaded has
/// exactly that build-id (lower-case hexadecimal). `found` gets the same list as loaded:
/// a build-id, `absent`, or `unnamed` for a library without one. NULL or empty `expected` never matches.
bool stallwatch_runtime_matches(const char *expected, char *found, size_t capacity);

/// The address of `name` in the loaded library with this file name, however that was loaded; NULL without one.
void *stallwatch_find_in_library(const char *library, const char *name);

/// The function of this name after the hooks' own; NULL without one. A library loaded by dlopen(RTLD_LOCAL) does not follow
/// the hooks in the lookup order, though what was loaded with it calls them: then the one in `library`. On Linux only.
void *stallwatch_find_onward(const char *library, const char *name);
