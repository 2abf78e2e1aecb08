import Foundation

// One function for each way, so that a report can be held to the one that it names. Each returns something else, because the
// optimiser puts functions that are alike together.

@inline(never) @_optimize(none) @discardableResult
func parseRequest(_ step: HoldStep) -> UInt64 { ~spend(step.length, step) }

@inline(never) @_optimize(none) @discardableResult
func expireSessions(_ step: HoldStep) -> UInt64 { spend(step.length, step) &+ 3 }

@inline(never) @_optimize(none) @discardableResult
func compressLog(_ step: HoldStep) -> UInt64 { spend(step.length, step) &* 5 }

@inline(never) @_optimize(none) @discardableResult
func decodeUser(_ step: HoldStep) -> UInt64 { spend(step.length, step) ^ 7 }

@inline(never) @_optimize(none) @discardableResult
func updateCache(_ step: HoldStep) -> UInt64 { spend(step.length, step) | 11 }

@inline(never) @_optimize(none) @discardableResult
func answerOneOfMany(_ step: HoldStep, of count: UInt64) -> UInt64 { spend(step.length / count, step) % 13 }

extension Way {
  /// The function that holds a loop in this way.
  var culprit: String {
    switch self {
    case .channelRead: "parseRequest"
    case .scheduledTask: "expireSessions"
    case .execute: "compressLog"
    case .flatMap: "decodeUser"
    case .actor: "updateCache"
    case .manyTasks: "answerOneOfMany"
    }
  }
}

/// Holds the calling thread. Returns a number that depends on when.
@inline(never)
private func spend(_ length: UInt64, _ step: HoldStep) -> UInt64 {
  let end = monotonicNow() + length
  var number = end
  while case let now = monotonicNow(), now < end {
    if step.isComputing {
      for _ in 0..<20_000 { number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
      keep(number)
    } else {
      usleep(UInt32((end - now + 999) / 1_000))
    }
  }
  return number
}

/// Uses a value, so that the compiler keeps the computation of it.
@inline(never) @_optimize(none)
private func keep(_ value: UInt64) {}
