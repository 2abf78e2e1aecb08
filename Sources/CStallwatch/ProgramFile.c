#ifdef __linux__
#include "ProgramFile.h"

#include <sys/auxv.h>

uint64_t stallwatch_program_headers(void) { return getauxval(AT_PHDR); }
#endif
