#pragma once
#include <stdint.h>

/// The address of the program headers of the program's own file, as the kernel or the loader says; 0 where unknown. No
/// system call.
uint64_t stallwatch_program_headers(void);
