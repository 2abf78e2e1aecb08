#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CDemangling.h"

/// What the Swift runtime of this process offers; null where it does not.
typedef struct {
  /// Swift's and C++'s names as a person reads them.
  char *(*readable)(const char *name, size_t length, char *buffer, size_t *size);
  /// Swift's names with all modules and types.
  char *(*full)(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);
  bool (*is_thunk)(const char *name);
} demanglers;

/// Looks them up.
demanglers find_demanglers(void);

/// What the process does, from its first instruction to its end.
_Noreturn void run_demangler(int channel, stallwatch_demangler_limits limits, demanglers demanglers);
