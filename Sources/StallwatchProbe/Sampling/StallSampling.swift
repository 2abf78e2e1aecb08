import StallwatchCore

/// Looks at held threads while their stalls go on, and at busy ones for a profile: when, how often, and what of it is kept.
/// Belongs to the watchdog's thread.
final class StallSampling {
  private let sampler: any ThreadSampler
  private let interval: Nanoseconds
  private let profileInterval: Nanoseconds?
  /// The samples of open stalls, by loop.
  private var series: [LoopID: (stall: StallBegan, samples: SampleSeries)] = [:]
  /// Stacks of the profile that were not handed on yet, by loop.
  private var profile: [LoopID: [[UInt64]: (count: UInt64, weight: Nanoseconds)]] = [:]
  private var nextProfileNs: Nanoseconds = 0
  /// Images that were handed on, by where they begin.
  private var images: [UInt64: ImageRecord] = [:]
  /// Since the last flush: `looks` at threads that brought no stack, and `samples` of the profile that found no room.
  private var lost: [String: UInt64] = [:]

  /// Different stacks of one loop that are kept between two flushes; what does not fit counts as lost. A quarter second at
  /// 1,000 samples a second has 250.
  private static let mostStacks = 1_024

  /// Nil when the system has no memory for it, or sampling is off.
  init?(_ configuration: ProbeConfiguration) {
    guard let interval = configuration.sampleInterval, let sampler = makeThreadSampler() else { return nil }
    self.sampler = sampler
    self.interval = interval
    profileInterval = configuration.profileInterval
  }

  /// When the next look at a loop is due that stands as `sight` says; nil when none is.
  func nextNs(of loop: LoopID, sight: LoopSight) -> Nanoseconds? {
    guard let open = series[loop], sight.spanStart == open.stall.startedNs else { return nil }
    return open.samples.nextNs
  }

  /// When the profile's next look is due; nil without a profile.
  var nextProfile: Nanoseconds? { profileInterval.map { _ in nextProfileNs } }

  /// Looks at a loop whose stall goes on, if that is due.
  func look(at watched: WatchedLoop, _ hand: (Record) -> Void) {
    guard let stall = watched.tracker.current, stall.kind == .stall else { return }
    let now = Platform.now()
    if series[watched.id]?.stall.id != stall.id {
      series[watched.id] = (stall, SampleSeries(every: interval, from: now))
    }
    guard var open = series[watched.id], now >= open.samples.nextNs else { return }
    if let captured = capture(watched, since: stall.startedNs, hand) {
      // Read after the look: a thread that has answered has just run, so that its run delay is up to date.
      let times = ThreadTimes(ofThread: watched.memory.board.threadID)
      let sample = StackSample(
        atNs: captured.atNs, weight: 0, activity: captured.activity, frames: captured.markedFrames,
        blockedOn: captured.blockedOn)
      open.samples.add(sample, times: times, at: Platform.now())
    } else {
      open.samples.skip(at: Platform.now())
    }
    series[watched.id] = open
  }

  /// Looks at every loop that is held now, for the profile, if that is due.
  func profile(_ loops: [WatchedLoop], _ hand: (Record) -> Void) {
    let now = Platform.now()
    guard let profileInterval, now >= nextProfileNs else { return }
    // Not `nextProfileNs + profileInterval`: a late look is not made up for by two that follow each other closely.
    nextProfileNs = now + profileInterval
    for watched in loops {
      guard let start = watched.memory.board.sight.spanStart, let captured = capture(watched, since: start, hand),
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

  /// A look at a loop's thread that belongs to the span that began at `start`: one that came too late is dropped.
  private func capture(
    _ watched: WatchedLoop, since start: Nanoseconds, _ hand: (Record) -> Void
  ) -> CapturedStack? {
    let board = watched.memory.board
    sampler.note(threadPointer: board.threadPointer, of: board.threadID)
    guard let captured = sampler.capture(threadID: board.threadID) else {
      lost["looks", default: 0] += 1
      return nil
    }
    guard captured.atNs >= start, board.sight.spanStart == start else { return nil }
    if captured.method == .notAtAll { lost["looks", default: 0] += 1 }
    for address in captured.frames + (captured.blockedOn?.owner?.frames ?? []) { tellImage(of: address, hand) }
    return captured
  }

  /// Hands on the image that holds an address, once.
  func tellImage(of address: UInt64, _ hand: (Record) -> Void) {
    guard let image = sampler.image(at: address), images[image.start] != image else { return }
    images[image.start] = image
    hand(.image(image))
  }

  /// A loop's stall is over, or watching it: tells its samples for the last time. A cancelled one has none.
  func end(of watched: WatchedLoop, _ ended: StallEnded, _ hand: (Record) -> Void) {
    guard let open = series[watched.id], open.stall.id == ended.id else { return }
    series[watched.id] = nil
    sampler.withdraw(threadID: watched.memory.board.threadID)
    guard ended.state == .ended, open.samples.count > 0 else { return }
    hand(.samples(open.samples.result(of: ended.id, until: open.stall.startedNs + ended.duration)))
  }

  /// Tells what was seen since the last flush: the samples of open stalls so far, the profile's stacks, what was lost.
  func flush(at now: Nanoseconds, _ hand: (Record) -> Void) {
    for (stall, samples) in series.values where samples.count > 0 {
      hand(.samples(samples.result(of: stall.id, until: now)))
    }
    for (loop, stacks) in profile {
      for (frames, seen) in stacks {
        hand(.profiledStack(ProfiledStack(loop: loop, frames: frames, count: seen.count, weight: seen.weight)))
      }
    }
    profile.removeAll(keepingCapacity: true)
    for (what, count) in lost { hand(.loss(LossRecord(what: what, loop: nil, count: count))) }
    lost = [:]
  }

  /// Gives back what was installed in the process.
  func stop() { sampler.stop() }

  /// Why running threads are not looked at; nil while they are.
  var obstacle: String? { sampler.health.signalObstacle?.rawValue }
}
