import CoreFoundation
import StallwatchCore

/// Where CoreFoundation keeps a timer's due time.
///
/// The public API gives it as a wall-clock date, which a step of that clock makes wrong. A CFRunLoopTimer contains the
/// very number that CoreFoundation compares with the monotonic clock. Its place is neither published nor assumed: this
/// finds it in a timer made for the purpose, between known values, or uses the date if these are not found in order.
enum TimerLayout {
  /// Bytes from the object's address to the due time; 0: not found.
  nonisolated(unsafe) private static var dueOffset = 0
  /// How many words of an object to search; a CFRunLoopTimer has 23.
  private static let searchedWords = 20

  /// Searches for the place, once. Not on a watched thread: it allocates.
  static func find() { _ = isSearched }

  private static let isSearched: Bool = {
    let interval = 777.25
    let order = 0x5741_7463
    let ahead = 12_345.5
    let date = CFAbsoluteTimeGetCurrent() + ahead
    let before = Platform.now()
    let callout: CFRunLoopTimerCallBack = { _, _ in }
    guard let timer = CFRunLoopTimerCreate(nil, date, interval, 0, CFIndex(order), callout, nil) else { return false }
    let after = Platform.now()
    let due = before...(after + Nanoseconds(ahead * 1e9) + Nanoseconds.second)
    let object = UnsafeRawPointer(Unmanaged.passUnretained(timer).toOpaque())
    withExtendedLifetime(timer) {
      let word = { (index: Int) in object.load(fromByteOffset: index * 8, as: UInt64.self) }
      for index in 0..<(searchedWords - 5)
      where word(index) == date.bitPattern && word(index + 1) == interval.bitPattern
        && word(index + 2) == 0 && due.contains(word(index + 3))
        && word(index + 3) > after + Nanoseconds((ahead - 1) * 1e9) && word(index + 4) == UInt64(order)
      {
        dueOffset = (index + 3) * 8
      }
    }
    return dueOffset != 0
  }()

  /// Whether due times are read rather than derived from dates.
  static var isKnown: Bool { dueOffset != 0 }

  /// When a valid timer is due, on the monotonic clock; during its callout, when that callout was due. Call it on its
  /// loop's thread, or where nothing fires or re-arms the timer meanwhile.
  @inline(__always)
  static func due(_ timer: UnsafeRawPointer) -> Nanoseconds {
    guard dueOffset != 0 else { return dueByDate(timer) }
    return timer.load(fromByteOffset: dueOffset, as: UInt64.self)
  }

  /// Like `due(_:)`, given the due time before. One derived from a date is off its grid by the time between two clock
  /// reads, and is put back on it; one that is not near the grid is new.
  static func due(_ timer: UnsafeRawPointer, after last: Nanoseconds, interval: Nanoseconds) -> Nanoseconds {
    dueOffset != 0 ? due(timer) : onGrid(dueByDate(timer), after: last, interval: interval)
  }

  /// How far a due time derived from a date may lie from its grid.
  private static let gridTolerance = Nanoseconds.millisecond

  static func onGrid(_ due: Nanoseconds, after last: Nanoseconds, interval: Nanoseconds) -> Nanoseconds {
    guard last != 0 else { return due }
    let tolerance = interval > 0 ? min(gridTolerance, interval / 4) : gridTolerance
    guard due + tolerance >= last else { return due }
    let steps = interval > 0 ? (due + tolerance - last) / interval : 0
    let near = last + steps * interval
    return max(due, near) - min(due, near) <= tolerance ? near : due
  }

  private static func dueByDate(_ timer: UnsafeRawPointer) -> Nanoseconds {
    let ahead = (CFRunLoopTimerGetNextFireDate(cf(timer)) - CFAbsoluteTimeGetCurrent()) * 1e9
    let now = Platform.now()
    return ahead >= 0 ? now + Nanoseconds(min(ahead, 1e18)) : now.since(Nanoseconds(min(-ahead, 1e18)))
  }

  /// A timer's interval as CoreFoundation counts it, in whole nanoseconds and at most 504,911,232 s; 0 for a one-shot.
  static func interval(_ seconds: Double) -> Nanoseconds {
    seconds > 0 ? Nanoseconds(min(seconds, 504_911_232) * 1e9) : 0
  }

  static func cf(_ timer: UnsafeRawPointer) -> CFRunLoopTimer {
    Unmanaged<CFRunLoopTimer>.fromOpaque(timer).takeUnretainedValue()
  }
}
