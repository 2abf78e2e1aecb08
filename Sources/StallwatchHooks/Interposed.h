#pragma once

#include <stdbool.h>

/// Whether a run loop runs on the calling thread, as far as the hooks have seen it begin. On Linux only.
bool stallwatch_is_in_run(void);
