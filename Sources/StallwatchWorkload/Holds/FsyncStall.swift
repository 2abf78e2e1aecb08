import Foundation

/// Waits for the disk for `length`, with one fsync after another on files that `filler` fills.
@inline(never)
func fsyncStall(_ length: Nanoseconds, filler: FileFiller) {
  let end = MonotonicClock.now + length
  // Without a disk to wait for, sleep for the hold's length.
  guard let filled = filler.begin() else { return sleepStall(length) }
  defer { filler.end(filled) }
  var turn = 0
  while MonotonicClock.now < end {
    let file = filled.files[turn % filled.files.count]
    guard fsync(file) == 0 else {
      return sleepStall(end.subtractingReportingOverflow(MonotonicClock.now).partialValue)
    }
    filler.next(after: file)
    turn += 1
  }
}
