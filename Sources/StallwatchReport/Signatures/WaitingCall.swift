import StallwatchCore
import StallwatchSymbols

/// The system call that a sampled thread was waiting in.
enum WaitingCall {
  /// The system call that the sample names, or the one whose C library function is the leaf: a thread that waits in
  /// many short calls is often sampled between two waits.
  static func name(blockedOn: BlockedOn?, leaf: Frame?) -> String? {
    if let blockedOn { return blockedOn.systemCall }
    guard let leaf, leaf.isSystem, let name = leaf.name else { return nil }
    let plain = String(name.drop { $0 == "_" })
    return calls.contains(plain) ? plain : nil
  }

  /// System calls that wait for something outside the program; those that allocate and free memory are left out.
  private static let calls: Set = [
    "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync", "read", "readv", "pread", "pread64", "preadv",
    "write", "writev", "pwrite", "pwrite64", "pwritev", "open", "open64", "openat", "openat64", "close", "stat",
    "lstat",
    "fstatat", "fstatat64", "rename", "renameat", "unlink", "unlinkat", "ftruncate", "ftruncate64", "fallocate",
    "getdents64", "sendfile", "sendfile64", "connect", "accept", "accept4", "recv", "recvfrom", "recvmsg", "send",
    "sendto", "sendmsg", "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "wait4", "waitpid",
    "waitid",
    "nanosleep", "clock_nanosleep", "ioctl", "flock", "fcntl", "fcntl64",
  ]
}
