#if os(Linux)
  /// The names of the system calls in which threads block in practice, by number; numbers differ between processors.
  enum SystemCallName {
    /// A system call's name, or `system call 999` if it is not known.
    static func name(of number: Int) -> String { names[number] ?? "system call \(number)" }

    #if arch(x86_64)
      // Linux, arch/x86/entry/syscalls/syscall_64.tbl
      private static let names: [Int: String] = [
        0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll", 9: "mmap",
        10: "mprotect", 11: "munmap", 12: "brk", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev",
        21: "access", 22: "pipe", 23: "select", 24: "sched_yield", 25: "mremap", 26: "msync", 28: "madvise",
        34: "pause",
        35: "nanosleep", 40: "sendfile", 41: "socket", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom",
        46: "sendmsg", 47: "recvmsg", 48: "shutdown", 56: "clone", 57: "fork", 58: "vfork", 59: "execve", 61: "wait4",
        65: "semop", 69: "msgsnd", 70: "msgrcv", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 76: "truncate",
        77: "ftruncate", 78: "getdents", 82: "rename", 83: "mkdir", 84: "rmdir", 85: "creat", 86: "link", 87: "unlink",
        88: "symlink", 89: "readlink", 90: "chmod", 92: "chown", 128: "rt_sigtimedwait", 130: "rt_sigsuspend",
        137: "statfs", 149: "mlock", 151: "mlockall", 162: "sync", 165: "mount", 166: "umount2", 187: "readahead",
        202: "futex", 208: "io_getevents", 217: "getdents64", 220: "semtimedop", 221: "fadvise64",
        230: "clock_nanosleep",
        232: "epoll_wait", 242: "mq_timedsend", 243: "mq_timedreceive", 247: "waitid", 257: "openat", 258: "mkdirat",
        262: "newfstatat", 263: "unlinkat", 264: "renameat", 265: "linkat", 267: "readlinkat", 269: "faccessat",
        270: "pselect6", 271: "ppoll", 275: "splice", 276: "tee", 277: "sync_file_range", 278: "vmsplice",
        281: "epoll_pwait",
        285: "fallocate", 288: "accept4", 295: "preadv", 296: "pwritev", 299: "recvmmsg", 306: "syncfs",
        307: "sendmmsg",
        316: "renameat2", 318: "getrandom", 326: "copy_file_range", 327: "preadv2", 328: "pwritev2", 332: "statx",
        426: "io_uring_enter", 434: "pidfd_open", 435: "clone3", 437: "openat2", 441: "epoll_pwait2",
        449: "futex_waitv",
        455: "futex_wait",
      ]
    #elseif arch(arm64)
      // Linux, include/uapi/asm-generic/unistd.h
      private static let names: [Int: String] = [
        22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 34: "mkdirat", 35: "unlinkat", 36: "symlinkat",
        37: "linkat", 38: "renameat", 39: "umount2", 40: "mount", 43: "statfs", 45: "truncate", 46: "ftruncate",
        47: "fallocate", 48: "faccessat", 56: "openat", 57: "close", 59: "pipe2", 61: "getdents64", 63: "read",
        64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 69: "preadv", 70: "pwritev",
        71: "sendfile", 72: "pselect6", 73: "ppoll", 75: "vmsplice", 76: "splice", 77: "tee", 78: "readlinkat",
        79: "newfstatat", 80: "fstat", 81: "sync", 82: "fsync", 83: "fdatasync", 84: "sync_file_range", 95: "waitid",
        98: "futex", 101: "nanosleep", 115: "clock_nanosleep", 124: "sched_yield", 133: "rt_sigsuspend",
        137: "rt_sigtimedwait", 182: "mq_timedsend", 183: "mq_timedreceive", 188: "msgrcv", 189: "msgsnd",
        192: "semtimedop", 193: "semop", 198: "socket", 202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom",
        210: "shutdown", 211: "sendmsg", 212: "recvmsg", 213: "readahead", 214: "brk", 215: "munmap", 216: "mremap",
        220: "clone", 221: "execve", 222: "mmap", 223: "fadvise64", 226: "mprotect", 227: "msync", 228: "mlock",
        230: "mlockall", 233: "madvise", 242: "accept4", 243: "recvmmsg", 260: "wait4", 267: "syncfs", 269: "sendmmsg",
        276: "renameat2", 278: "getrandom", 285: "copy_file_range", 286: "preadv2", 287: "pwritev2", 291: "statx",
        4: "io_getevents", 426: "io_uring_enter", 434: "pidfd_open", 435: "clone3", 437: "openat2", 441: "epoll_pwait2",
        449: "futex_waitv", 455: "futex_wait",
      ]
    #else
      private static let names: [Int: String] = [:]
    #endif
  }
#endif
