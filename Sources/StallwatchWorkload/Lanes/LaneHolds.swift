// One function for each lane, so that a report can be held to the one that it names. None of them is called by another.

@inline(never) func holdMainQueue(_ hold: LaneStep) { hold.spend() }
@inline(never) func holdMainActor(_ hold: LaneStep) { hold.spend() }
@inline(never) func holdActor(_ hold: LaneStep) { hold.spend() }
@inline(never) func resizeImages(_ hold: LaneStep) { hold.spend() }
@inline(never) func writeIndex(_ hold: LaneStep) { hold.spend() }
@inline(never) func sendMail(_ hold: LaneStep) { hold.spend() }
@inline(never) func fillPoolByReading(_ hold: LaneStep) { hold.spend() }
@inline(never) func fillPoolByWaiting(_ hold: LaneStep) { hold.spend() }
@inline(never) func handleRequest(_ hold: LaneStep) { hold.spend() }

extension LaneStep {
  /// Holds the calling thread.
  fileprivate func spend() {
    switch how {
    case .spin: spinStall(length)
    default: sleepStall(length)
    }
    // A caller's frame stays on the stack.
    blackHole(number)
  }
}
