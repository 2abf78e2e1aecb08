import StallwatchCore

/// Hands on samples, the images of their frames, and losses.
extension StallSampling {
  /// Counts a look without a stack as lost, and hands on the images of one with a stack.
  func note(_ captured: CapturedStack, _ hand: (Record) -> Void) {
    if captured.method == .notAtAll { lost["looks", default: 0] += 1 }
    reportImages(of: captured.frames, hand)
    if let owner = captured.blockedOn?.owner { reportImages(of: owner.frames, hand) }
  }

  private func reportImages(of frames: [UInt64], _ hand: (Record) -> Void) {
    let (count, known) = (frames.count, reportedFrames.count)
    var outer = 0
    while outer < min(count, known), frames[count - 1 - outer] == reportedFrames[known - 1 - outer] { outer += 1 }
    // Code that stays on a stack is not unloaded, so its image needs no second look.
    guard outer < count else { return }
    var reported = outer == count - 1 && outer == known - 1 ? reportedLeaf : 0..<0
    for place in (0..<count - outer).reversed() where !StackSample.isMark(frames[place]) {
      if reported.contains(frames[place]) { continue }
      if let image = reportImage(of: frames[place], hand) { reported = image.start..<image.end }
    }
    if !reported.contains(frames[0]) { reported = 0..<0 }
    (reportedFrames, reportedLeaf) = (frames, reported)
  }

  /// Hands on the image that holds an address, once, and returns it.
  @discardableResult
  func reportImage(of address: UInt64, _ hand: (Record) -> Void) -> ImageRecord? {
    guard let image = sampler.image(at: address) else { return nil }
    if images[image.start] != image {
      images[image.start] = image
      hand(.image(image))
    }
    return image
  }

  /// Ends a stall's looks, because the stall or watching is over, and hands on its samples. A cancelled stall has none.
  func end(of loop: LoopID, _ ended: StallEnded, _ hand: (Record) -> Void) {
    guard let open = series[loop], open.stall?.id == ended.id else { return }
    series[loop] = nil
    let threadID = open.clocks.threadID
    if let runDelay = open.clocks.settledRunDelay({ sampler.runDelay(of: threadID) }) {
      open.samples.settle(runDelay: runDelay)
    }
    let last = open.threads.compactMap { sampler.letGo(threadID: $0) }
    let end = open.startedNs + ended.duration
    guard ended.state == .ended else { return }
    for late in open.answers + last where open.startedNs <= late.atNs && late.atNs < end {
      note(late, hand)
      open.samples.add(late.sample, times: nil, at: late.atNs)
    }
    if open.samples.count == 0, let asked = open.askedNs, asked < end {
      // It did not answer in time, which shows at least that it was not blocked.
      lost["looks", default: 0] += 1
      open.samples.add(
        StackSample(atNs: asked, weight: 0, activity: .running, frames: []), times: nil, at: asked)
    }
    if open.samples.count > 0 { hand(.samples(open.samples.result(of: ended.id, until: end))) }
  }

  /// Hands on the first samples of a stall that has just become known, so that they come into the store with its begin: the
  /// process may die in it.
  func handOnFirst(of loop: LoopID, _ hand: (Record) -> Void) {
    guard let open = series[loop], !open.samples.wereHandedOn else { return }
    handOn(open, at: Platform.now(), isDying: false, hand)
  }

  private func handOn(_ open: Series, at now: Nanoseconds, isDying: Bool, _ hand: (Record) -> Void) {
    guard let stall = open.stall, open.samples.isWorthHandingOn(at: now) || isDying, open.samples.count > 0 else {
      return
    }
    hand(.samples(open.samples.result(of: stall.id, until: now)))
  }

  /// How long files stay open for a thread that is not held any more. A loop that stalls often does so within seconds.
  private static let longestRest = 5 * Nanoseconds.second

  /// Hands on the samples of open stalls that have grown enough, or of all of them if the process `isDying`; the
  /// profile's stacks since the last flush; and the losses.
  func flush(at now: Nanoseconds, isDying: Bool = false, _ hand: (Record) -> Void) {
    for open in series.values { handOn(open, at: now, isDying: isDying, hand) }
    for loop in Array(profile.keys) { reportProfile(of: loop, hand) }
    sampler.rest(heldBefore: now.since(Self.longestRest))
    for (what, count) in lost { hand(.loss(LossRecord(what: what, loop: nil, count: count))) }
    lost = [:]
  }
}
