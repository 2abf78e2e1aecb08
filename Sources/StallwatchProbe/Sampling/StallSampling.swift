import StallwatchCore

/// Samples held threads while their stalls go on, and busy ones for a profile: decides when, how often, and what to
/// keep. Used on the watchdog's thread only.
///
/// The first look comes between half and three quarters of the threshold, so that a stall that ends right after the
/// threshold has a stack. If the hold ends before the threshold, that look is dropped, and there is no second one.
final class StallSampling {
  /// The looks at one hold. A class because it is large: a dictionary would copy it for every look.
  final class Series {
    let startedNs: Nanoseconds
    /// Nil before the threshold.
    var stall: StallBegan?
    var samples: SampleSeries
    var clocks: HeldClocks
    /// Whether the first look was taken.
    var isBegun = false
    /// When the running thread was asked first; nil before.
    var askedNs: Nanoseconds?
    /// Whether the look before was at another thread.
    var hasTurned = false
    /// Whether the look that goes on has met a thread that stood still.
    var hasStanding = false
    /// The last look's sample, if it was of a blocked thread; nil otherwise.
    var blocked: StackSample?
    /// Answers that looks took after the hold, or of a pool, after a thread's item: they may be from before the end of
    /// the hold, which is yet to be known.
    var answers: [CapturedStack] = []

    init(_ held: HeldThread, every interval: Nanoseconds, from now: Nanoseconds) {
      startedNs = held.startedNs
      samples = SampleSeries(every: interval, from: now)
      clocks = HeldClocks(ofThread: held.threadID)
    }

    /// The threads that are looked at.
    var threads: [UInt64] { clocks.otherThreads + [clocks.threadID] }
  }

  let sampler: any ThreadSampler
  private let interval: Nanoseconds
  let profileInterval: Nanoseconds?
  /// How long a thread has been held at the first look: at the soonest, and where the watchdog wakes for that look
  /// alone.
  private let firstLook: Nanoseconds
  private let latestFirstLook: Nanoseconds
  /// The open looks, by loop.
  var series: [LoopID: Series] = [:] {
    didSet { lastSeries = nil }
  }
  /// The one that was asked for last: mostly one loop is held, and a dictionary is much to read for a look.
  private var lastSeries: (loop: LoopID, open: Series)?
  /// Stacks of the profile not handed on yet, by loop.
  var profile: [LoopID: [[UInt64]: (count: UInt64, weight: Nanoseconds)]] = [:]
  var nextProfileNs: Nanoseconds = 0
  /// Images handed on, by their start address.
  var images: [UInt64: ImageRecord] = [:]
  /// The last stack whose images were handed on.
  var reportedFrames: [UInt64] = []
  /// The addresses of the image of its innermost frame; empty where that was not looked at.
  var reportedLeaf = 0 as UInt64..<0
  /// Losses since the last flush: `looks` that gave no stack, and `samples` of the profile that found no room.
  var lost: [String: UInt64] = [:]

  /// The most held loops that are sampled at the full rate. With more, each is sampled less often, so that sampling
  /// takes no more of a processor. Eight at 10 ms are 800 looks a second, some 4 % of a processor.
  private static let mostAtOnce = 8

  /// Nil when the system has no memory for it, or sampling is off.
  init?(_ configuration: ProbeConfiguration, sampler: (any ThreadSampler)? = makeThreadSampler()) {
    guard let interval = configuration.sampleInterval, let sampler else { return nil }
    self.sampler = sampler
    self.interval = interval
    (firstLook, latestFirstLook) = (configuration.firstLook, configuration.longestSleep)
    profileInterval = configuration.profileInterval
  }

  /// When the next look is due at a loop held since `start`, and until when it may wait for a wake-up that comes anyway;
  /// nil: not before the hold is known to be a stall. The first look at a hold is due when it would be at one that
  /// begins right after the watchdog has fallen asleep. A watchdog that is awake looks sooner
  /// (``soonestLook(at:heldFrom:)``).
  func nextLook(at loop: LoopID, heldFrom start: Nanoseconds) -> ClosedRange<Nanoseconds>? {
    guard let open = openSeries(of: loop), open.startedNs == start else {
      return start + latestFirstLook...start + latestFirstLook
    }
    guard open.isBegun else { return open.samples.nextNs...open.samples.nextNs }
    guard open.stall != nil else { return nil }
    return open.samples.nextNs.saturatingAdd(putOff)...open.samples.latestNs.saturatingAdd(putOff)
  }

  /// From when on a watchdog that is awake may look at a loop held since `start`. A look sooner would find nothing due.
  func soonestLook(at loop: LoopID, heldFrom start: Nanoseconds) -> Nanoseconds {
    guard let open = openSeries(of: loop) else { return start + firstLook }
    return open.startedNs == start ? soonestLook(at: open) : 0
  }

  private func openSeries(of loop: LoopID) -> Series? {
    if let lastSeries, lastSeries.loop == loop { return lastSeries.open }
    guard let open = series[loop] else { return nil }
    lastSeries = (loop, open)
    return open
  }

  private func soonestLook(at open: Series) -> Nanoseconds {
    open.isBegun ? open.samples.soonestNs.saturatingAdd(putOff) : open.samples.nextNs
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
    let known = openSeries(of: held.loop).flatMap { $0.startedNs == held.startedNs ? $0 : nil }
    guard let open = known ?? begin(held, at: now) else { return false }
    open.stall = held.stall ?? open.stall
    // Another thread that serves the same lane is looked at beside the one whose turn it is.
    let isBeside = open.isBegun && !open.clocks.knows(held.threadID)
    guard isBeside || now >= soonestLook(at: open) && (open.stall != nil || !open.isBegun), held.goesOn() else {
      return false
    }
    open.isBegun = true
    if !isBeside { open.hasStanding = false }
    open.hasTurned = open.clocks.turn(to: held.threadID)
    if open.hasTurned {
      open.blocked = nil
      sampler.note(threadPointer: held.threadPointer, of: held.threadID)
    }
    if var sample = open.blocked, let reading = sampler.stays(threadID: held.threadID, since: sample.atNs) {
      let times = open.clocks.read(reading) { sampler.runDelay(of: held.threadID) }
      guard held.goesOn() else { return true }
      sample.atNs = reading.atNs
      (open.blocked, open.hasStanding) = (sample, true)
      open.samples.add(sample, times: times, at: Platform.now())
      return true
    }
    open.blocked = nil
    lookAnew(at: held, open, hand)
    return true
  }

  /// Whether a thread was looked at in the hold of a loop since `start`.
  func hasLooked(at thread: UInt64, holding loop: LoopID, from start: Nanoseconds) -> Bool {
    guard let open = openSeries(of: loop), open.startedNs == start else { return false }
    return open.clocks.knows(thread)
  }

  private func begin(_ held: HeldThread, at now: Nanoseconds) -> Series? {
    letGo(of: held.loop)
    guard held.stall != nil || now >= held.startedNs + firstLook else { return nil }
    let open = Series(held, every: interval, from: now)
    series[held.loop] = open
    sampler.note(threadPointer: held.threadPointer, of: held.threadID)
    return open
  }

  /// Looks at a thread that has moved since the last look, or has had none.
  private func lookAnew(at held: HeldThread, _ open: Series, _ hand: (Record) -> Void) {
    let now = Platform.now()
    let look = sampler.follow(threadID: held.threadID)
    if look == nil { lost["looks", default: 0] += 1 }
    let answered = look?.answered.flatMap { $0.atNs >= held.startedNs ? $0 : nil }
    let standing = look?.standing.flatMap { $0.atNs >= held.startedNs ? $0 : nil }
    // Read after the look: a thread that has answered has just run, so its run delay is up to date.
    let times = open.clocks.read(look?.reading) { sampler.runDelay(of: held.threadID) }
    let after = Platform.now()
    guard held.goesOn() else {
      keep([answered, standing].compactMap(\.self).filter { $0.method == .interrupted }, of: open)
      return
    }
    if let answered {
      note(answered, hand)
      open.samples.add(answered.sample, times: standing == nil ? times : nil, at: after, hasTurned: open.hasTurned)
    }
    if let standing {
      note(standing, hand)
      let sample = standing.sample
      open.samples.add(sample, times: times, at: after, isBeside: open.hasStanding, hasTurned: open.hasTurned)
      open.hasStanding = true
      if standing.method == .withoutSignal { open.blocked = sample }
    }
    if let look, look.last == nil {
      open.askedNs = open.askedNs ?? now
      open.samples.skip(at: after, times: times, hasTurned: open.hasTurned)
    } else if answered == nil, standing == nil {
      open.samples.skip(at: after)
    }
  }

  /// Keeps answers until the end of the hold is known: no more than a stall has samples, for a hold of a pool may last.
  private func keep(_ answers: [CapturedStack], of open: Series) {
    let kept = answers.prefix(SampleSeries.capacity - open.answers.count)
    open.answers += kept
    if kept.count < answers.count { lost["looks", default: 0] += UInt64(answers.count - kept.count) }
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
    for thread in open.threads { sampler.withdraw(threadID: thread) }
  }

  /// Removes what the sampler installed in the process.
  func stop() { sampler.stop() }

  /// Why running threads are not sampled; nil while they are.
  var obstacle: String? { sampler.health.signalObstacle?.rawValue }
}

extension CapturedStack {
  /// The look as a stall's sample, without its weight.
  var sample: StackSample {
    StackSample(atNs: atNs, weight: 0, activity: activity, frames: markedFrames, blockedOn: blockedOn)
  }
}
