#pragma once
#include <stdint.h>

enum { stallwatch_lasting_code_count = 4 };

/// Stores addresses of code that stays for as long as this library does: in the program itself, in the C library, in
/// Swift's runtime, and in this library. 0 for what there is none of.
void stallwatch_find_lasting_code(uint64_t addresses[stallwatch_lasting_code_count]);
