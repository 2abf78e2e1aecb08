#pragma once

#include <stdbool.h>

/// Where this process has Swift's runtime.
typedef enum {
  swift_nowhere,
  /// In a library of its own.
  swift_library,
  /// In the program itself (`-static-stdlib`): then it brings Dispatch and the concurrency runtime with it, too.
  swift_linked_in,
} swift_runtime;

/// Looks once: the first call reads some of the program's file. Any thread. On Linux only.
swift_runtime stallwatch_find_swift_runtime(void);
