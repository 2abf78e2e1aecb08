#ifdef __linux__
#define _GNU_SOURCE
#include "KeptFile.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// By syscall(), not by the C library's functions, at which the program could be listening with functions of its own.

/// None of them changes how a file of /proc is read, and nobody else opens a file for reading with all of them.
static const int mark = O_APPEND | O_NONBLOCK | O_SYNC | O_NOFOLLOW;

/// How many files were kept so far, or are about to be.
static _Atomic uint64_t kept;

stallwatch_kept_file stallwatch_keep_file(const char *path) {
  struct rlimit limits;
  if (getrlimit(RLIMIT_NOFILE, &limits) != 0 || limits.rlim_cur < stallwatch_least_descriptor_limit)
    return stallwatch_no_file;
  int low = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | mark);
  if (low < 0) return stallwatch_no_file;
  uint64_t kept_before = ++kept;
  stallwatch_kept_file file = {
    .descriptor = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, stallwatch_least_kept_descriptor)};
  syscall(SYS_close, low);
  struct stat status;
  if (file.descriptor < 0) return stallwatch_no_file;
  if (file.descriptor < stallwatch_kept_descriptor_limit && fstat(file.descriptor, &status) == 0) {
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.kept_before = kept_before;
    int flags = (int)syscall(SYS_fcntl, file.descriptor, F_GETFL);
    if (flags > 0 && (flags & mark) == mark) file.flags = flags;
    return file;
  }
  syscall(SYS_close, file.descriptor);
  return stallwatch_no_file;
}

bool stallwatch_is_still_kept(stallwatch_kept_file *file) {
  struct stat status;
  if (file->descriptor < 0) return false;
  // A file of ours may have come in the place of another one of ours only if one was kept since.
  uint64_t kept_before = kept;
  if (file->flags != 0 && file->kept_before == kept_before &&
      syscall(SYS_fcntl, file->descriptor, F_GETFL) == file->flags)
    return true;
  file->kept_before = kept_before;
  if (fstat(file->descriptor, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode)
    return true;
  *file = stallwatch_no_file;
  return false;
}

void stallwatch_release_file(stallwatch_kept_file *file) {
  if (stallwatch_is_still_kept(file)) syscall(SYS_close, file->descriptor);
  *file = stallwatch_no_file;
}
#endif
