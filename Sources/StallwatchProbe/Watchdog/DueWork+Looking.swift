import CoreFoundation
import StallwatchCore
import StallwatchLibc

/// How the watchdog sees what waits for a loop without disturbing its thread: CoreFoundation keeps the date of a mode's
/// next timer, and libdispatch's descriptor shows work in the main queue. Briefly takes CoreFoundation's lock on the
/// loop.
extension DueWork {
  /// What is due, and when the next timer will be if none is due yet.
  struct Look {
    var due: DueWork?
    var nextTimerNs: Nanoseconds?
  }

  /// Looks at a loop outside any run for timers of `mode`, which its thread left; nil if it runs after all.
  /// `wallOffset` is how far the wall clock was ahead of the monotonic one when the thread left: timers keep due times
  /// by the monotonic clock but report them by the wall clock.
  static func look(
    at loop: CFRunLoop, mode: CFRunLoopMode, isMain: Bool, wallOffset: UInt64, now: Nanoseconds
  ) -> Look? {
    guard CFRunLoopCopyCurrentMode(loop) == nil else { return nil }
    let timer = nextTimer(of: loop, mode: mode, wallOffset: wallOffset)
    let isTimerDue = timer.map { $0 <= now } ?? false
    return Look(
      due: DueWork(timerNs: isTimerDue ? timer : nil, mainQueueNs: isMain && MainQueue.hasWork ? now : nil),
      nextTimerNs: isTimerDue ? nil : timer)
  }

  private static func nextTimer(of loop: CFRunLoop, mode: CFRunLoopMode, wallOffset: UInt64) -> Nanoseconds? {
    let date = CFRunLoopGetNextTimerFireDate(loop, mode)
    // 0 means none. A date beyond the range of the clocks here means never.
    guard date != 0, date < 1e10 else { return nil }
    let wall = (date + kCFAbsoluteTimeIntervalSince1970) * 1e9
    return wall > 0 ? Nanoseconds(wall).since(wallOffset) : 0
  }
}

/// Whether work for the main loop waits in the main queue.
private enum MainQueue {
  private typealias Handle = @convention(c) () -> Int32

  /// libdispatch's descriptor for the main loop, an eventfd that the loop reads when it serves the queue. On Apple's
  /// systems it is a Mach port, which one cannot query without taking the message.
  private static let handle: Handle? = {
    #if os(Linux)
      dlsym(nil, "_dispatch_get_main_queue_port_4CF").map { unsafeBitCast($0, to: Handle.self) }
    #else
      nil
    #endif
  }()

  static var hasWork: Bool {
    guard let handle else { return false }
    var query = pollfd(fd: handle(), events: Int16(POLLIN), revents: 0)
    return poll(&query, 1, 0) == 1 && query.revents & Int16(POLLIN) != 0 && isEvent(query.fd)
  }

  /// A program may have closed the descriptor and use its number for a file, which is always ready.
  private static func isEvent(_ descriptor: Int32) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let start = buffer.baseAddress else { return false }
      let count = readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
      return count > 0
        && String(decoding: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self) == "anon_inode:[eventfd]"
    }
  }
}
