import Foundation

/// The monotonic clock and the process's CPU time, in nanoseconds.
struct Usage {
  var wall: UInt64
  var cpu: UInt64

  init() {
    wall = DispatchTime.now().uptimeNanoseconds
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    cpu = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private init(wall: UInt64, cpu: UInt64) {
    self.wall = wall
    self.cpu = cpu
  }

  func since(_ earlier: Usage) -> Usage { Usage(wall: wall - earlier.wall, cpu: cpu - earlier.cpu) }
}
