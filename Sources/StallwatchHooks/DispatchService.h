#pragma once

#include "DispatchBlocks.h"

/// Serves on the calling thread, for the queue that Dispatch serves there, work of which nobody saw how long it waited:
/// shows when `call` with `argument` begins and ends. Brings the monitor in where nothing has done so before. On Linux
/// only.
void stallwatch_serve_from_begin(stallwatch_work call, void *argument);
