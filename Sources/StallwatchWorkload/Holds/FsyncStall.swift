import Foundation

/// Writes a temporary file and waits for the disk, again and again, until `length` is over. The file is gone at the
/// end.
@inline(never)
func fsyncStall(_ length: Nanoseconds) {
  let end = MonotonicClock.now + length
  let path = NSTemporaryDirectory() + "stallwatch-workload-\(getpid())-\(end)"
  let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  defer {
    close(file)
    unlink(path)
  }
  withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { page in
    page.initializeMemory(as: UInt8.self, repeating: 0x5A)
    while MonotonicClock.now < end {
      // Where there is no disk to wait for, sleeping keeps the hold's length.
      guard pwrite(file, page.baseAddress, page.count, 0) == page.count, fsync(file) == 0 else {
        return sleepStall(end.subtractingReportingOverflow(MonotonicClock.now).partialValue)
      }
    }
  }
}
