#define _GNU_SOURCE
#include "Trouble.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_calls = 32 };

static const struct { const char *name; unsigned number; } calls[] = {
#define CALL(name) {#name, SYS_##name}
  CALL(clone), CALL(clone3), CALL(close_range), CALL(fdatasync), CALL(flock), CALL(fsync), CALL(ftruncate), CALL(getdents64),
  CALL(newfstatat), CALL(openat), CALL(prctl), CALL(pread64), CALL(process_vm_readv), CALL(pwrite64), CALL(rt_sigaction),
  CALL(timer_create), CALL(timer_settime), CALL(unlinkat), CALL(unshare), CALL(fcntl),
#ifdef SYS_open
  CALL(open), CALL(stat), CALL(unlink),
#endif
#undef CALL
};

pid_t fork_process(void) { return fork(); }

static int number_of(const char *name, size_t length) {
  for (size_t place = 0; place < sizeof calls / sizeof *calls; place++)
    if (strlen(calls[place].name) == length && memcmp(calls[place].name, name, length) == 0) return (int)calls[place].number;
  return -1;
}

int filter_calls(const char *words) {
  size_t length = strcspn(words, ":");
  unsigned answer = strncmp(words, "kill", length) == 0   ? SECCOMP_RET_KILL_PROCESS
                    : strncmp(words, "deny", length) == 0 ? SECCOMP_RET_ERRNO | EPERM
                                                          : SECCOMP_RET_ERRNO | ENOSYS;
  struct sock_filter filter[2 * most_calls + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  unsigned short count = 1;
  for (const char *name = words + length + 1; *name != '\0' && count < 2 * most_calls; name += length + (name[length] == ',')) {
    length = strcspn(name, ",");
    int number = number_of(name, length);
    if (number < 0) return 1;
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
  }
  filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {count, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 2;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : 2;
}
