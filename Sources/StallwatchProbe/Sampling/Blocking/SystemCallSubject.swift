#if os(Linux)
  /// What a system call waits for, with the indexes of the arguments that say it.
  enum SystemCallSubject {
    /// The file, socket or pipe behind a descriptor.
    case descriptor(Int)
    /// A file by its path.
    case path(Int)
    /// A file by its path, relative to a directory's descriptor.
    case pathAt(directory: Int, path: Int)
    /// The peer that a socket is connecting to.
    case peer(address: Int, length: Int, descriptor: Int)
    /// An array of descriptors, and its length.
    case descriptors(array: Int, count: Int)
    /// Up to three bit sets of descriptors.
    case descriptorSets(first: Int, limit: Int)
    /// Everything that an epoll descriptor watches.
    case watched(Int)
    case time
    case signal
    /// A child process by its ID.
    case child(Int)
    case futex

    /// The subject of a system call by its name; nil if it has none, or none of use.
    static func of(_ name: String) -> SystemCallSubject? { subjects[name] }

    private static let subjects: [String: SystemCallSubject] = {
      var subjects: [String: SystemCallSubject] = [
        "poll": .descriptors(array: 0, count: 1), "ppoll": .descriptors(array: 0, count: 1),
        "select": .descriptorSets(first: 1, limit: 0), "pselect6": .descriptorSets(first: 1, limit: 0),
        "connect": .peer(address: 1, length: 2, descriptor: 0), "futex": .futex,
        "wait4": .child(0), "waitid": .child(1), "splice": .descriptor(0), "copy_file_range": .descriptor(2),
        "mmap": .descriptor(4),
      ]
      for name in ["nanosleep", "clock_nanosleep"] { subjects[name] = .time }
      for name in ["pause", "rt_sigsuspend", "rt_sigtimedwait"] { subjects[name] = .signal }
      for name in ["epoll_wait", "epoll_pwait", "epoll_pwait2"] { subjects[name] = .watched(0) }
      for name in [
        "read", "write", "close", "fstat", "pread64", "pwrite64", "readv", "writev", "ioctl", "sendfile", "accept",
        "accept4", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "shutdown", "fcntl", "flock",
        "fsync", "fdatasync", "ftruncate", "getdents", "getdents64", "readahead", "fadvise64", "sync_file_range",
        "fallocate", "preadv", "pwritev", "preadv2", "pwritev2", "syncfs", "tee", "vmsplice",
      ] { subjects[name] = .descriptor(0) }
      for name in [
        "open", "stat", "lstat", "access", "execve", "truncate", "rename", "mkdir", "rmdir", "creat", "link", "unlink",
        "symlink", "readlink", "chmod", "chown", "statfs", "umount2",
      ] { subjects[name] = .path(0) }
      for name in [
        "openat", "openat2", "mkdirat", "newfstatat", "unlinkat", "renameat", "renameat2", "linkat", "readlinkat",
        "faccessat", "statx",
      ] { subjects[name] = .pathAt(directory: 0, path: 1) }
      return subjects
    }()
  }
#endif
