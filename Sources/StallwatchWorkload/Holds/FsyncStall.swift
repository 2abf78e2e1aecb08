import Foundation

/// Waits for the disk to take files that `filler`'s thread fills, one after the other, until `length` is over.
@inline(never)
func fsyncStall(_ length: Nanoseconds, filler: FileFiller) {
  let end = MonotonicClock.now + length
  // Where there is no disk to wait for, sleeping keeps the hold's length.
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
