import StallwatchCore

/// Samples held threads while their stalls go on, and busy ones for a profile: decides when, how often, and what to
/// keep. Used on the watchdog's thread only.
///
/// The first look comes at half the threshold, so that a stall that ends right after the threshold has a stack. If the
/// hold ends before the threshold, that look is dropped, and there is no second one.
final class StallSampling {
  /// The looks at one hold.
  private struct Series {
    let startedNs: Nanoseconds
    /// Nil before the threshold.
    var stall: StallBegan?
    let threadID: UInt64
    var samples: SampleSeries
    var clocks: ThreadClocks
    /// Whether the first look was taken.
    var isBegun = false
  }

  private let sampler: any ThreadSampler
  private let interval: Nanoseconds
  private let profileInterval: Nanoseconds?
  private let firstLook: Nanoseconds
  /// The open looks, by loop.
  private var series: [LoopID: Series] = [:]
  /// Stacks of the profile not handed on yet, by loop.
  private var profile: [LoopID: [[UInt64]: (count: UInt64, weight: Nanoseconds)]] = [:]
  private var nextProfileNs: Nanoseconds = 0
  /// Images handed on, by their start address.
  private var images: [UInt64: ImageRecord] = [:]
  /// The last stack whose images were handed on.
  private var toldFrames: [UInt64] = []
  /// Losses since the last flush: `looks` that gave no stack, and `samples` of the profile that found no room.
  private var lost: [String: UInt64] = [:]

  /// The most different stacks of one loop kept between two flushes; others count as lost. A quarter second at 1,000
  /// samples a second has 250.
  private static let mostStacks = 1_024

  /// The most held loops that are sampled at the full rate. With more, each is sampled less often, so that sampling
  /// takes no more of a processor. Eight at 10 ms are 800 looks a second, some 4 % of a processor.
  private static let mostAtOnce = 8

  /// Nil when the system has no memory for it, or sampling is off.
  init?(_ configuration: ProbeConfiguration) {
    guard let interval = configuration.sampleInterval, let sampler = makeThreadSampler() else { return nil }
    self.sampler = sampler
    self.interval = interval
    firstLook = configuration.firstLook
    profileInterval = configuration.profileInterval
  }

  /// When the next look is due at a loop held since `start`; nil: not before the hold is known to be a stall.
  func nextNs(of loop: LoopID, holdFrom start: Nanoseconds) -> Nanoseconds? {
    guard let open = series[loop], open.startedNs == start else { return start + firstLook }
    return open.stall != nil || !open.isBegun ? nextNs(of: open) : nil
  }

  /// The first look at a hold is never put off.
  private func nextNs(of open: Series) -> Nanoseconds {
    open.isBegun ? open.samples.nextNs + putOff : open.samples.nextNs
  }

  /// Whether to look now: when the look is due, or a little sooner, because the watchdog is awake.
  private func isDue(_ open: Series, at now: Nanoseconds) -> Bool {
    now >= (open.isBegun ? open.samples.soonestNs + putOff : open.samples.nextNs)
  }

  /// By how much looks are put off because many loops are held.
  private var putOff: Nanoseconds { interval * Nanoseconds((series.count - 1) / Self.mostAtOnce) }

  /// Begins a pass over the loops.
  func beginPass() { sampler.beginPass() }

  /// When the profile's next look is due; nil without a profile.
  var nextProfile: Nanoseconds? { profileInterval.map { _ in nextProfileNs } }

  /// Samples a held thread if that is due. Returns whether it looked at the thread.
  func look(at held: HeldThread, _ hand: (Record) -> Void) -> Bool {
    let now = Platform.now()
    if series[held.loop]?.startedNs != held.startedNs {
      letGo(of: held.loop)
      guard held.stall != nil || now >= held.startedNs + firstLook else { return false }
      series[held.loop] = Series(
        startedNs: held.startedNs, threadID: held.threadID, samples: SampleSeries(every: interval, from: now),
        clocks: ThreadClocks(ofThread: held.threadID))
    }
    guard var open = series[held.loop] else { return false }
    open.stall = held.stall ?? open.stall
    defer { series[held.loop] = open }
    guard isDue(open, at: now), open.stall != nil || !open.isBegun, held.goesOn() else { return false }
    open.isBegun = true
    let found = follow(held, hand)
    // Read after the look: a thread that has answered has just run, so its run delay is up to date.
    let times = open.clocks.read { sampler.runDelay(of: held.threadID) }
    let after = Platform.now()
    for captured in found.dropLast() { open.samples.add(captured.sample, times: nil, at: after) }
    if let last = found.last {
      open.samples.add(last.sample, times: times, at: after)
    } else {
      open.samples.skip(at: after, times: times)
    }
    return true
  }

  /// A hold became a stall: keeps the look from before the threshold for it.
  func begin(_ stall: StallBegan) {
    guard stall.kind != .congestion, series[stall.loop]?.startedNs == stall.startedNs else { return }
    series[stall.loop]?.stall = stall
  }

  /// The loop's thread is not held: drops the look at a hold that ended before the threshold.
  func letGo(of loop: LoopID) {
    guard let open = series[loop], open.stall == nil else { return }
    series[loop] = nil
    sampler.withdraw(threadID: open.threadID)
  }

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
    return keep(sampler.capture(threadID: held.threadID).map { [$0] }, of: held, hand).first
  }

  /// Follows a held thread: what it has answered, and where it stands; nothing if the look came too late for the hold.
  private func follow(_ held: HeldThread, _ hand: (Record) -> Void) -> [CapturedStack] {
    sampler.note(threadPointer: held.threadPointer, of: held.threadID)
    return keep(sampler.follow(threadID: held.threadID), of: held, hand)
  }

  /// Those of a look's findings that belong to the hold, their images handed on. Counts what is lost.
  private func keep(_ found: [CapturedStack]?, of held: HeldThread, _ hand: (Record) -> Void) -> [CapturedStack] {
    guard let found else {
      lost["looks", default: 0] += 1
      return []
    }
    let kept = found.filter { $0.method != .later && $0.atNs >= held.startedNs }
    guard !kept.isEmpty, held.goesOn() else { return [] }
    for captured in kept { note(captured, hand) }
    return kept
  }

  /// Counts a look without a stack as lost, and hands on the images of one with a stack.
  private func note(_ captured: CapturedStack, _ hand: (Record) -> Void) {
    if captured.method == .notAtAll { lost["looks", default: 0] += 1 }
    tellImages(of: captured.frames, hand)
    if let owner = captured.blockedOn?.owner { tellImages(of: owner.frames, hand) }
  }

  private func tellImages(of frames: [UInt64], _ hand: (Record) -> Void) {
    guard frames != toldFrames else { return }
    var known = 0 as UInt64..<0
    for address in frames where address != StackSample.cutMark && !known.contains(address) {
      if let image = tellImage(of: address, hand) { known = image.start..<image.end }
    }
    toldFrames = frames
  }

  /// Hands on the image that holds an address, once, and returns it.
  @discardableResult
  func tellImage(of address: UInt64, _ hand: (Record) -> Void) -> ImageRecord? {
    guard let image = sampler.image(at: address) else { return nil }
    if images[image.start] != image {
      images[image.start] = image
      hand(.image(image))
    }
    return image
  }

  /// Ends a stall's looks, because the stall or watching is over, and hands on its samples. A cancelled stall has none.
  func end(of watched: WatchedLoop, _ ended: StallEnded, _ hand: (Record) -> Void) {
    guard var open = series[watched.id], open.stall?.id == ended.id else { return }
    series[watched.id] = nil
    let (answered, end) = (sampler.letGo(threadID: open.threadID), open.startedNs + ended.duration)
    guard ended.state == .ended else { return }
    if let answered, open.startedNs <= answered.atNs, answered.atNs < end {
      note(answered, hand)
      open.samples.add(answered.sample, times: nil, at: answered.atNs)
    }
    if open.samples.count > 0 { hand(.samples(open.samples.result(of: ended.id, until: end))) }
  }

  /// Hands on the samples of open stalls that have grown enough, or of all of them if the process `isDying`; the
  /// profile's stacks since the last flush; and the losses.
  func flush(at now: Nanoseconds, isDying: Bool = false, _ hand: (Record) -> Void) {
    for loop in Array(series.keys) {
      guard let stall = series[loop]?.stall, series[loop]?.samples.isWorthHandingOn(at: now) == true || isDying,
        let samples = series[loop]?.samples, samples.count > 0
      else { continue }
      hand(.samples(samples.result(of: stall.id, until: now)))
    }
    for loop in Array(profile.keys) { tellProfile(of: loop, hand) }
    for (what, count) in lost { hand(.loss(LossRecord(what: what, loop: nil, count: count))) }
    lost = [:]
  }

  /// Hands on the profile's stacks of a loop since the last time. Called before the loop's end at the latest.
  func tellProfile(of loop: LoopID, _ hand: (Record) -> Void) {
    for (frames, seen) in profile.removeValue(forKey: loop) ?? [:] {
      hand(.profiledStack(ProfiledStack(loop: loop, frames: frames, count: seen.count, weight: seen.weight)))
    }
  }

  /// Removes what the sampler installed in the process.
  func stop() { sampler.stop() }

  /// Why running threads are not sampled; nil while they are.
  var obstacle: String? { sampler.health.signalObstacle?.rawValue }
}

extension CapturedStack {
  /// The look as a stall's sample, without its weight.
  fileprivate var sample: StackSample {
    StackSample(atNs: atNs, weight: 0, activity: activity, frames: markedFrames, blockedOn: blockedOn)
  }
}
