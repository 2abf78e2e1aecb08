#if os(Linux)
  import StallwatchLibc

  /// The file on a disk that a system call waits for, by which the next look at the same hold knows it again: finding
  /// out its path takes longer than all the rest of a look.
  struct WaitedFile: Equatable {
    private let descriptor: Int32
    private let device: UInt64
    private let inode: UInt64

    /// Nil where the call waits for no descriptor, or for one that is no file on a disk.
    init?(_ call: SystemCall) {
      guard case .descriptor(let place) = SystemCallSubject.of(SystemCallName.name(of: call.number)) else { return nil }
      descriptor = Int32(truncatingIfNeeded: call.arguments[place])
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }
#endif
