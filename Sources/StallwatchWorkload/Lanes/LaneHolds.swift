// One function for each lane, so that a report can be held to the one that it names. None of them is called by another.
// Each returns something else of what it waited for: the optimiser would put functions that are alike together, also where
// they differ in a number alone, and leave the last call to its caller's frame.

@inline(never) @_optimize(none) @discardableResult
func holdMainQueue(_ hold: LaneStep) -> Nanoseconds { ~hold.spend() }

@inline(never) @_optimize(none) @discardableResult
func holdMainActor(_ hold: LaneStep) -> Nanoseconds { hold.spend() &+ 1 }

@inline(never) @_optimize(none) @discardableResult
func holdActor(_ hold: LaneStep) -> Nanoseconds { hold.spend() &* 3 }

@inline(never) @_optimize(none) @discardableResult
func lookUpInCache(_ hold: LaneStep) -> Nanoseconds { hold.spend() &+ 23 }

@inline(never) @_optimize(none) @discardableResult
func resizeImages(_ hold: LaneStep) -> Nanoseconds { hold.spend() | 5 }

@inline(never) @_optimize(none) @discardableResult
func writeIndex(_ hold: LaneStep) -> Nanoseconds { hold.spend() ^ 7 }

@inline(never) @_optimize(none) @discardableResult
func sendMail(_ hold: LaneStep) -> Nanoseconds { hold.spend() &<< 3 }

@inline(never) @_optimize(none) @discardableResult
func lookUpInSync(_ hold: LaneStep) -> Nanoseconds { hold.spend() &- 17 }

@inline(never) @_optimize(none) @discardableResult
func handleSource(_ hold: LaneStep) -> Nanoseconds { hold.spend() % 19 }

@inline(never) @_optimize(none) @discardableResult
func fillPoolByReading(_ hold: LaneStep) -> Nanoseconds { hold.spend() / 11 }

@inline(never) @_optimize(none) @discardableResult
func fillPoolByWaiting(_ hold: LaneStep) -> Nanoseconds { hold.spend() & 13 }

@inline(never) @_optimize(none) @discardableResult
func handleRequest(_ hold: LaneStep) -> Nanoseconds { hold.spend() &>> 5 }

extension LaneStep {
  /// Holds the calling thread. Returns since when.
  fileprivate func spend() -> Nanoseconds {
    let start = MonotonicClock.now
    switch how {
    case .spin: spinStall(length)
    default: sleepStall(length)
    }
    return start
  }
}
