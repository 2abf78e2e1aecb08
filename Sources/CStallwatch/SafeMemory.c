#ifdef __linux__
#define _GNU_SOURCE
#include "SafeMemory.h"

#include "KeptFile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum { way_unknown, way_file, way_call, way_none } reading_way;

/// How the calling thread reads memory now. The file is open only between begin and end, unless it is kept: the program
/// could close a descriptor that stays open, and use its number again.
static __thread struct {
  reading_way way;
  stallwatch_kept_file file;
  /// How many have begun to read and not ended.
  unsigned holders;
  /// Whether a file that stayed open was checked since they began: a look at a thread that has not moved reads nothing.
  bool is_checked;
  bool is_kept;
} reading = {.file = {.descriptor = -1}};

/// Reads what the kernel says of the calling thread; false when it says nothing. Uses only calls that a look at a thread
/// makes anyway: a filter may forbid prctl(PR_GET_SECCOMP) itself.
static bool read_status(char *text, size_t size) {
  int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size_t length = 0;
  for (long count = 1; count > 0 && length < size - 1; length += count > 0 ? (size_t)count : 0)
    count = syscall(SYS_read, file, text + length, size - 1 - length);
  syscall(SYS_close, file);
  text[length] = '\0';
  return true;
}

bool stallwatch_may_have_filter(void) {
  static const char field[] = "\nSeccomp:\t";
  char text[4096];
  if (!read_status(text, sizeof text)) return true;
  const char *found = strstr(text, field);
  return found == NULL || found[sizeof field - 1] != '0';
}

int stallwatch_filters(void) {
  // Linux 5.9 and newer.
  static const char field[] = "\nSeccomp_filters:\t";
  char text[4096];
  if (!read_status(text, sizeof text)) return -1;
  const char *found = strstr(text, field);
  return found == NULL ? -1 : atoi(found + sizeof field - 1);
}

/// Tries the file first, because filters often kill for process_vm_readv, but not for pread: the store's
/// writer needs it too. The call serves where the file cannot be opened: in a process without dumps, or
/// without a free descriptor.
static void open_reading(void) {
  static const char path[] = "/proc/self/mem";
  struct stat status;
  if (reading.is_kept) reading.file = stallwatch_keep_file(path);
  if (reading.file.descriptor < 0) {
    reading.file.descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (reading.file.descriptor >= 0 && fstat(reading.file.descriptor, &status) == 0) {
      reading.file.device = status.st_dev;
      reading.file.inode = status.st_ino;
    }
  }
  if (reading.file.descriptor >= 0) reading.way = way_file;
  else reading.way = stallwatch_may_have_filter() ? way_none : way_call;
}

static void close_reading(void) {
  // The program may have closed it meanwhile and got its number for a file of its own.
  if (reading.way == way_file) stallwatch_release_file(&reading.file);
  reading.way = way_unknown;
}

/// Ends what is over: nobody reads now, and only a file with a number of those for kept files stays open.
static void settle(void) {
  if (reading.holders > 0) return;
  if (!reading.is_kept || reading.file.descriptor < stallwatch_least_kept_descriptor) close_reading();
}

void stallwatch_begin_reading(void) {
  if (reading.holders++ == 0) reading.is_checked = false;
}

void stallwatch_end_reading(void) {
  reading.holders--;
  settle();
}

void stallwatch_keep_reading(bool keeps) {
  reading.is_kept = keeps;
  settle();
}

/// The memory of the other process that the calling thread reads; -1 while it reads its own.
static __thread int other_memory = -1;

bool stallwatch_begin_reading_process(uint64_t process) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%llu/mem", (unsigned long long)process);
  other_memory = open(path, O_RDONLY | O_CLOEXEC);
  return other_memory >= 0;
}

void stallwatch_end_reading_process(void) {
  if (other_memory >= 0) close(other_memory);
  other_memory = -1;
}

static size_t copy_other_memory(uint64_t address, void *into, size_t length) {
  ssize_t copied = pread(other_memory, into, length, (off_t)address);
  return copied > 0 ? (size_t)copied : 0;
}

size_t stallwatch_copy_memory(uint64_t address, void *into, size_t length) {
  if (other_memory >= 0) return copy_other_memory(address, into, length);
  if (reading.way == way_file && (reading.holders == 0 || !reading.is_checked) &&
      !stallwatch_is_still_kept(&reading.file))
    reading.way = way_unknown;
  if (reading.way == way_unknown) open_reading();
  reading.is_checked = true;
  long copied = -1;
  if (reading.way == way_file) {
    copied = syscall(SYS_pread64, reading.file.descriptor, into, length, (off_t)address);
  } else if (reading.way == way_call) {
    struct iovec local = {.iov_base = into, .iov_len = length};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = length};
    // The kernel stops at the first unmapped page, and returns how far it came.
    copied = syscall(SYS_process_vm_readv, (long)getpid(), &local, 1UL, &remote, 1UL, 0UL);
  }
  settle();
  return copied > 0 ? (size_t)copied : 0;
}
#endif
