import CoreFoundation
import Foundation

/// A repeating timer that counts its callouts, and knows how often it has come due.
///
/// CoreFoundation keeps a grid: the first due time lies as far ahead of the timer's making as its fire date lies ahead of the
/// wall clock, then one every interval. Each callout serves one due time. So what was due until the timer's end needs no
/// knowledge of which were served: it is how many due times lie before the end. The timer ends well away from the next one.
final class CountedTimer {
  /// How a timer is made.
  enum Making: Int, CaseIterable {
    case callback, handler, foundation
  }

  let name: String
  /// The modes that it is added to.
  let modes: [String]
  /// The time between two due times, as CoreFoundation counts it.
  let interval: Nanoseconds
  private(set) var fired: UInt64 = 0
  /// Due times until the end.
  private(set) var due: UInt64 = 0
  private(set) var hasEnded = false
  /// Whether it is to end at its next callout.
  var isToEnd = false
  private(set) var firstDueNs: Nanoseconds = 0
  private(set) var timer: CFRunLoopTimer!
  /// A Foundation timer lives as long as somebody holds it.
  private var owner: Timer?

  /// A timer that lets this much pass between the clock's reading and its making would have an uncertain grid.
  private static let mostUncertain: Nanoseconds = 20_000

  /// Makes a timer every `seconds`; it is to be added to a loop by who makes it.
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
      // Foundation wants its block to be Sendable; it is called on the loop's own thread alone.
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

  /// Ends it from outside its callout, when that is well away from a due time.
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
