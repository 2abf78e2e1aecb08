#pragma once
#include "StackWalk.h"

// The executable memory of this test, with its unwind tables, as the C library's loader knows it.

/// All of it, in the order of addresses.
stallwatch_code_map image_code(void);

/// The .eh_frame_hdr of the image that holds `address`, and the end of the segment that it lies in; 0 when there is none.
uint64_t image_tables(uint64_t address, uint64_t *end);
