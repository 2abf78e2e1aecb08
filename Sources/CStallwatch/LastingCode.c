#ifdef __linux__
#include "LastingCode.h"

#include <sys/auxv.h>

// Weak, because the tests of this library's C code run without Swift.
extern char swift_retain[] __attribute__((weak));

void stallwatch_find_lasting_code(uint64_t addresses[stallwatch_lasting_code_count]) {
  addresses[0] = getauxval(AT_ENTRY);
  // No function that a sanitizer puts one of its own in front of.
  addresses[1] = (uintptr_t)&getauxval;
  addresses[2] = (uintptr_t)swift_retain;
  addresses[3] = (uintptr_t)&stallwatch_find_lasting_code;
}
#endif
