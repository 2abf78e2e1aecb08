import StallwatchCore

/// The call into the kernel that a sampled thread was waiting in.
enum WaitingCall {
  /// The system call that the sample names, or the one whose function in the C library it stood in: a thread that waits in
  /// many short calls is often met between two waits.
  static func name(blockedOn: BlockedOn?, leaf: Frame?) -> String? {
    if let blockedOn { return blockedOn.systemCall }
    guard let leaf, leaf.isSystem, let name = leaf.name else { return nil }
    let plain = String(name.drop { $0 == "_" })
    return calls.contains(plain) ? plain : nil
  }

  /// System calls that wait for something outside the program. Those that give and take memory are not among them.
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
