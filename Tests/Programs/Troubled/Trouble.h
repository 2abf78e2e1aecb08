#include <sys/types.h>

/// fork, which Swift does not import.
pid_t fork_process(void);

/// Puts all threads under a filter of system calls, `ACTION:CALL,CALL…`; ACTION is kill, deny (EPERM) or lack (ENOSYS).
/// Returns 0, or what is wrong: 1 an unknown word, 2 the system refused the filter.
int filter_calls(const char *words);
