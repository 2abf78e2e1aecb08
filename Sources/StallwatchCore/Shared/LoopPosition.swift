/// Where a loop stood when the watchdog looked at it.
package struct LoopPosition: Equatable, Sendable {
  /// When the current span began; nil while the loop waits, is outside any run, or is nested too deep to observe.
  package var spanStart: Nanoseconds?
  /// The mode's place in the loop's table, from 0.
  package var mode: Int
  /// How many runs are active, one inside the other; 0 outside any run.
  package var depth: Int
  /// The current phase.
  package var phase: Phase

  /// Sets every property as given; checks nothing.
  package init(spanStart: Nanoseconds?, mode: Int, depth: Int, phase: Phase) {
    self.spanStart = spanStart
    self.mode = mode
    self.depth = depth
    self.phase = phase
  }

  /// Whether no run is active.
  package var isOutside: Bool { depth == 0 }
  /// Whether the innermost run waits.
  package var isWaiting: Bool { spanStart == nil && !isOutside && phase == .waiting }
}

/// Where a loop stands, in one word: mode, depth and phase; the upper half is the lower half of its span's start, 0
/// without a span.
struct PlaceWord: BitwiseCopyable {
  let word: UInt64

  @inline(__always)
  init(word: UInt64) { self.word = word }

  /// A place in the phase `prepare` and in no span.
  @inline(__always)
  init(mode: Int, depth: Int) {
    word = UInt64(truncatingIfNeeded: mode & 0xffff) &<< 16 | UInt64(truncatingIfNeeded: depth) &<< 8
  }

  /// The same mode and depth, of a place in the phase `prepare` and in no span, in another phase and span.
  @inline(__always)
  func with(_ phase: Phase, span start: Nanoseconds) -> PlaceWord {
    PlaceWord(word: start &<< 32 | word | UInt64(phase.rawValue))
  }

  /// The place outside any run after that of an outermost run, which is in the phase `prepare` and in no span.
  @inline(__always)
  var outside: PlaceWord { PlaceWord(word: word &- 1 &<< 8) }

  var mode: Int { Int(word >> 16 & 0xffff) }
  var depth: Int { Int(word >> 8 & 0xff) }
  var phase: Phase { Phase(rawValue: UInt8(word & 0xff)) ?? .prepare }
}
