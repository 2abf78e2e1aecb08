import StallwatchCore

/// Samples busy loops for a profile, stalled or not.
extension StallSampling {
  /// The most different stacks of one loop kept between two flushes; others count as lost. A quarter second at 1,000
  /// samples a second has 250.
  private static let mostStacks = 1_024

  /// Samples every loop that is held now for the profile, if that is due.
  func profile(_ loops: [WatchedLoop], _ hand: (Record) -> Void) {
    let now = Platform.now()
    guard let profileInterval, now >= nextProfileNs else { return }
    // Not `nextProfileNs + profileInterval`: two close looks would not make up for a late one.
    nextProfileNs = now + profileInterval
    sampler.beginPass()
    for watched in loops {
      let region = watched.memory.region
      guard let start = region.position.spanStart,
        let captured = capture(
          HeldThread(watched, startedNs: start, stall: nil) {
            region.position.spanStart == start
          }, hand),
        !captured.frames.isEmpty
      else { continue }
      let frames = captured.markedFrames
      let known = profile[watched.id]?[frames]
      guard known != nil || (profile[watched.id]?.count ?? 0) < Self.mostStacks else {
        lost["samples", default: 0] += 1
        continue
      }
      profile[watched.id, default: [:]][frames] = (
        (known?.count ?? 0) + 1, (known?.weight ?? 0) + profileInterval
      )
    }
  }

  /// Captures a thread's stack; nil if the look came too late for the hold.
  private func capture(_ held: HeldThread, _ hand: (Record) -> Void) -> CapturedStack? {
    sampler.note(threadPointer: held.threadPointer, of: held.threadID)
    guard let captured = sampler.capture(threadID: held.threadID) else {
      lost["looks", default: 0] += 1
      return nil
    }
    guard captured.method != .later, captured.atNs >= held.startedNs, held.goesOn() else { return nil }
    note(captured, hand)
    return captured
  }

  /// Hands on the profile's stacks of a loop since the last time. Called before the loop's end at the latest.
  func reportProfile(of loop: LoopID, _ hand: (Record) -> Void) {
    for (frames, seen) in profile.removeValue(forKey: loop) ?? [:] {
      hand(.profiledStack(ProfiledStack(loop: loop, frames: frames, count: seen.count, weight: seen.weight)))
    }
  }
}
