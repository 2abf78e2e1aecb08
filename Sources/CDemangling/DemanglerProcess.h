#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CDemangling.h"

/// What the Swift runtime of this process offers; NULL where it does not.
typedef struct {
  /// Swift's and C++'s names as a person reads them.
  char *(*readable)(const char *name, size_t length, char *buffer, size_t *size);
  /// Swift's names with all modules and types.
  char *(*full)(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);
  bool (*is_thunk)(const char *name);
} demanglers;

/// Looks the functions up in this process.
demanglers find_demanglers(void);

/// The body of the process, from its start to its end.
_Noreturn void run_demangler(int channel, stallwatch_demangler_limits limits, demanglers demanglers);
