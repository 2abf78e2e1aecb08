import CoreFoundation
import Foundation

/// A repeating timer that counts its callouts and its due times.
///
/// CoreFoundation keeps a grid: the first due time is as far ahead of the timer's making as the fire date is ahead of
/// the wall clock, and the others follow at the interval. Each callout serves one due time. So the number of due times
/// before the timer's end is known without knowing which were served. The timer ends well away from a due time.
final class CountedTimer {
  /// How to make a timer.
  enum Making: Int, CaseIterable {
    case callback, handler, foundation
  }

  let name: String
  /// The modes to which it is added.
  let modes: [String]
  /// The time between two due times, in CoreFoundation's count.
  let interval: Nanoseconds
  private(set) var fired: UInt64 = 0
  /// Due times up to the end.
  private(set) var due: UInt64 = 0
  private(set) var hasEnded = false
  /// Whether to end at the next callout.
  var isToEnd = false
  private(set) var firstDueNs: Nanoseconds = 0
  private(set) var timer: CFRunLoopTimer!
  /// Keeps a Foundation timer alive.
  private var owner: Timer?

  /// The most time between reading the clock and making the timer, 20 µs. With more its grid would be uncertain.
  private static let mostUncertain: Nanoseconds = 20_000

  /// Makes a timer that fires every `seconds`. The caller adds it to a loop.
  init(name: String, every seconds: Double, modes: [String], making: Making) {
    self.name = name
    self.modes = modes
    interval = Nanoseconds(seconds * 1e9)
    var before: Nanoseconds
    repeat {
      if let timer { CFRunLoopTimerInvalidate(timer) }
      owner?.invalidate()
      before = MonotonicClock.now
      make(every: seconds, making)
    } while MonotonicClock.now - before > Self.mostUncertain
    firstDueNs = before + interval
  }

  private func make(every seconds: Double, _ making: Making) {
    let date = CFAbsoluteTimeGetCurrent() + seconds
    switch making {
    case .callback:
      var context = CFRunLoopTimerContext()
      context.info = Unmanaged.passUnretained(self).toOpaque()
      timer = CFRunLoopTimerCreate(
        nil, date, seconds, 0, 0,
        { _, info in
          guard let info else { return }
          Unmanaged<CountedTimer>.fromOpaque(info).takeUnretainedValue().fire()
        }, &context)
    case .handler:
      timer = CFRunLoopTimerCreateWithHandler(nil, date, seconds, 0, 0) { [unowned self] _ in fire() }
    case .foundation:
      // Foundation requires a Sendable block, but calls it only on the loop's own thread.
      let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
      let made = Timer(fire: Date(timeIntervalSinceReferenceDate: date), interval: seconds, repeats: true) { _ in
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
        Unmanaged<CountedTimer>.fromOpaque(pointer).takeUnretainedValue().fire()
      }
      owner = made
      self.timer = nil
    }
  }

  /// Adds it to the loop of the calling thread.
  func add(to loop: CFRunLoop, modeName: (String) -> CFRunLoopMode) {
    for mode in modes {
      if let owner {
        RunLoop.current.add(owner, forMode: RunLoop.Mode(mode))
      } else {
        CFRunLoopAddTimer(loop, timer, modeName(mode))
      }
    }
  }

  private func fire() {
    fired += 1
    if isToEnd, isAwayFromDue { end() }
  }

  /// Ends the timer from outside its callout, at a time well away from a due time.
  func endWhenAway() {
    while !hasEnded, !isAwayFromDue { usleep(200) }
    if !hasEnded { end() }
  }

  private var isAwayFromDue: Bool {
    let now = MonotonicClock.now
    guard now > firstDueNs else { return firstDueNs - now > interval / 50 }
    let phase = (now - firstDueNs) % interval
    return phase > interval / 50 && phase < interval * 3 / 4
  }

  private func end() {
    let now = MonotonicClock.now
    due = now < firstDueNs ? 0 : (now - firstDueNs) / interval + 1
    if let owner { owner.invalidate() } else { CFRunLoopTimerInvalidate(timer) }
    hasEnded = true
  }
}
