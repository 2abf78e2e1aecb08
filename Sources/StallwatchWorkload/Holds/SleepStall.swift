import Foundation

/// Sleeps for `length`. Sleeps again where a signal interrupts usleep.
@inline(never)
func sleepStall(_ length: Nanoseconds) {
  let end = MonotonicClock.now + length
  while true {
    let now = MonotonicClock.now
    guard now < end else { return }
    usleep(UInt32((end - now + 999) / 1_000))
  }
}
