// One function for each lane, so that a report can be held to the one that it names. None of them is called by another.
// Each does something of its own afterwards: the optimiser would put functions that are alike together, and leave the last
// call to its caller's frame.

@inline(never)
func holdMainQueue(_ hold: LaneStep) {
  hold.spend()
  blackHole(1)
}

@inline(never)
func holdMainActor(_ hold: LaneStep) {
  hold.spend()
  blackHole(2)
}

@inline(never)
func holdActor(_ hold: LaneStep) {
  hold.spend()
  blackHole(3)
}

@inline(never)
func resizeImages(_ hold: LaneStep) {
  hold.spend()
  blackHole(4)
}

@inline(never)
func writeIndex(_ hold: LaneStep) {
  hold.spend()
  blackHole(5)
}

@inline(never)
func sendMail(_ hold: LaneStep) {
  hold.spend()
  blackHole(6)
}

@inline(never)
func fillPoolByReading(_ hold: LaneStep) {
  hold.spend()
  blackHole(7)
}

@inline(never)
func fillPoolByWaiting(_ hold: LaneStep) {
  hold.spend()
  blackHole(8)
}

@inline(never)
func handleRequest(_ hold: LaneStep) {
  hold.spend()
  blackHole(9)
}

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
