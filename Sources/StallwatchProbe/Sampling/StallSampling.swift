import StallwatchCore

/// Looks at held threads while their stalls go on, and at busy ones for a profile: when, how often, and what of it is kept.
/// Belongs to the watchdog's thread.
///
/// The first look comes before the threshold, at half of it: a stall that is over right after the threshold has a stack
/// then. Of a hold that ends well that look is dropped, and there is no second one.
final class StallSampling {
  /// The looks at one hold.
  private struct Series {
    let startedNs: Nanoseconds
    /// Nil before the threshold.
    var stall: StallBegan?
    let threadID: UInt64
    var samples: SampleSeries
    /// Whether it was looked at.
    var isBegun = false
  }

  private let sampler: any ThreadSampler
  private let interval: Nanoseconds
  private let profileInterval: Nanoseconds?
  private let firstLook: Nanoseconds
  /// The looks at what goes on, by loop.
  private var series: [LoopID: Series] = [:]
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

  /// Held loops that are looked at as often as was asked for; of more, each is looked at less often, so that looking takes
  /// no more of a processor. Eight at 10 ms are 800 looks a second, some 4 % of one.
  private static let mostAtOnce = 8

  /// Nil when the system has no memory for it, or sampling is off.
  init?(_ configuration: ProbeConfiguration) {
    guard let interval = configuration.sampleInterval, let sampler = makeThreadSampler() else { return nil }
    self.sampler = sampler
    self.interval = interval
    firstLook = configuration.firstLook
    profileInterval = configuration.profileInterval
  }

  /// When the next look is due at a loop whose thread has been held since `start`; nil: when it is known to be a stall.
  func nextNs(of loop: LoopID, holdFrom start: Nanoseconds) -> Nanoseconds? {
    guard let open = series[loop], open.startedNs == start else { return start + firstLook }
    return open.stall != nil || !open.isBegun ? nextNs(of: open) : nil
  }

  /// The first look at a hold is never put off.
  private func nextNs(of open: Series) -> Nanoseconds {
    guard open.isBegun else { return open.samples.nextNs }
    return open.samples.nextNs + interval * Nanoseconds((series.count - 1) / Self.mostAtOnce)
  }

  /// Begins a pass over the loops.
  func beginPass() { sampler.beginPass() }

  /// When the profile's next look is due; nil without a profile.
  var nextProfile: Nanoseconds? { profileInterval.map { _ in nextProfileNs } }

  /// Looks at a thread that is held, if that is due.
  func look(at held: HeldThread, _ hand: (Record) -> Void) {
    let now = Platform.now()
    if series[held.loop]?.startedNs != held.startedNs {
      letGo(of: held.loop)
      guard held.stall != nil || now >= held.startedNs + firstLook else { return }
      series[held.loop] = Series(
        startedNs: held.startedNs, threadID: held.threadID, samples: SampleSeries(every: interval, from: now))
    }
    guard var open = series[held.loop] else { return }
    open.stall = held.stall ?? open.stall
    defer { series[held.loop] = open }
    guard now >= nextNs(of: open), open.stall != nil || !open.isBegun, held.goesOn() else { return }
    open.isBegun = true
    if let captured = capture(held, hand) {
      // Read after the look: a thread that has answered has just run, so that its run delay is up to date.
      let times = ThreadTimes(ofThread: held.threadID)
      let sample = StackSample(
        atNs: captured.atNs, weight: 0, activity: captured.activity, frames: captured.markedFrames,
        blockedOn: captured.blockedOn)
      open.samples.add(sample, times: times, at: Platform.now())
    } else {
      open.samples.skip(at: Platform.now())
    }
  }

  /// A stall became known: what was seen of it before the threshold is its own.
  func begin(_ stall: StallBegan) {
    guard stall.kind != .congestion, series[stall.loop]?.startedNs == stall.startedNs else { return }
    series[stall.loop]?.stall = stall
  }

  /// A loop's thread is not held: drops what was seen of a hold that ended well.
  func letGo(of loop: LoopID) {
    guard let open = series[loop], open.stall == nil else { return }
    series[loop] = nil
    sampler.withdraw(threadID: open.threadID)
  }

  /// Looks at every loop that is held now, for the profile, if that is due.
  func profile(_ loops: [WatchedLoop], _ hand: (Record) -> Void) {
    let now = Platform.now()
    guard let profileInterval, now >= nextProfileNs else { return }
    // Not `nextProfileNs + profileInterval`: a late look is not made up for by two that follow each other closely.
    nextProfileNs = now + profileInterval
    sampler.beginPass()
    for watched in loops {
      let board = watched.memory.board
      guard let start = board.sight.spanStart,
        let captured = capture(
          HeldThread(watched, startedNs: start, stall: nil) {
            board.sight.spanStart == start
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

  /// A look at a thread that belongs to its hold: one that came too late is dropped.
  private func capture(_ held: HeldThread, _ hand: (Record) -> Void) -> CapturedStack? {
    sampler.note(threadPointer: held.threadPointer, of: held.threadID)
    guard let captured = sampler.capture(threadID: held.threadID) else {
      lost["looks", default: 0] += 1
      return nil
    }
    guard captured.method != .later, captured.atNs >= held.startedNs, held.goesOn() else { return nil }
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
    guard let open = series[watched.id], open.stall?.id == ended.id else { return }
    series[watched.id] = nil
    sampler.withdraw(threadID: open.threadID)
    guard ended.state == .ended, open.samples.count > 0 else { return }
    hand(.samples(open.samples.result(of: ended.id, until: open.startedNs + ended.duration)))
  }

  /// Tells what was seen since the last flush: the samples of open stalls so far, the profile's stacks, what was lost.
  func flush(at now: Nanoseconds, _ hand: (Record) -> Void) {
    for open in series.values where open.samples.count > 0 {
      if let stall = open.stall { hand(.samples(open.samples.result(of: stall.id, until: now))) }
    }
    for loop in Array(profile.keys) { tellProfile(of: loop, hand) }
    for (what, count) in lost { hand(.loss(LossRecord(what: what, loop: nil, count: count))) }
    lost = [:]
  }

  /// Tells the profile's stacks of a loop that were seen since they were last told. At the latest before its end.
  func tellProfile(of loop: LoopID, _ hand: (Record) -> Void) {
    for (frames, seen) in profile.removeValue(forKey: loop) ?? [:] {
      hand(.profiledStack(ProfiledStack(loop: loop, frames: frames, count: seen.count, weight: seen.weight)))
    }
  }

  /// Gives back what was installed in the process.
  func stop() { sampler.stop() }

  /// Why running threads are not looked at; nil while they are.
  var obstacle: String? { sampler.health.signalObstacle?.rawValue }
}
