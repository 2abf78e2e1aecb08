import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// One stall as slices of a trace.
struct PerfettoStall {
  let stall: StoredStall
  let analysis: StallAnalysis?
  let samples: [StackSample]
  /// The functions of each sample, leaf first.
  let frames: [[Frame]]

  private var start: Nanoseconds { stall.began.startedNs }
  private var end: Nanoseconds { start.saturatingAdd(stall.duration) }

  /// An interval in which a thread held the lock.
  struct Owner {
    var name: String
    /// The thread number of its track.
    var thread: UInt64
    var event: PerfettoEvent
  }

  /// Writes the stall's slices on its loop's tracks.
  func write(loop: StoredLoop, process: Int64, to writer: inout JSONWriter) throws {
    let calls = PerfettoTrack.calls.thread(of: loop)
    let title = analysis?.sentence ?? stall.sortName
    try writer.event(
      .slice(title, category: "stall", from: start, to: end, arguments: arguments), process: process, thread: calls)
    for event in sampledCalls() { try writer.event(event, process: process, thread: calls) }
    let mode = PerfettoEvent.slice(stall.mode, category: "mode", from: start, to: end, arguments: [])
    try writer.event(mode, process: process, thread: PerfettoTrack.modes.thread(of: loop))
    if !stall.began.annotations.isEmpty {
      let facts = stall.began.annotations.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
      let slice = PerfettoEvent.slice(
        facts.joined(separator: ", "), category: "annotation", from: start, to: end, arguments: [])
      try writer.event(slice, process: process, thread: PerfettoTrack.annotations.thread(of: loop))
    }
    let activity = PerfettoTrack.activity.thread(of: loop)
    for (place, sample) in samples.enumerated() {
      let arguments = sample.blockedOn.map { [("blocked_on", CauseWords.blockedOn($0))] } ?? []
      let event = PerfettoEvent.slice(
        sample.activity.rawValue, category: "activity", from: time(place), to: time(place + 1), arguments: arguments)
      try writer.event(event, process: process, thread: activity)
    }
  }

  /// The intervals in which threads held the lock that the loop waited for. `frames` resolves a stack to functions.
  func owners(_ frames: ([UInt64]) throws -> [Frame]) rethrows -> [Owner] {
    try samples.enumerated().compactMap { place, sample in
      guard let owner = sample.blockedOn?.owner else { return nil }
      let stack = try frames(owner.frames)
      let function = stack.first { !$0.isSystem && !$0.isGlue } ?? stack.first
      let event = PerfettoEvent.slice(
        "holds lock in \(function?.label ?? Figure.unknown)", category: "lock", from: time(place), to: time(place + 1),
        arguments: [("stall", String(stall.id))])
      return Owner(name: owner.name, thread: PerfettoTrack.thread(ofOwner: owner.threadID), event: event)
    }
  }

  private var arguments: [(String, String)] {
    let arguments: [(String, String?)] = [
      ("stall", String(stall.id)), ("severity", stall.severity.name), ("mode", stall.mode),
      ("phase", stall.phaseName), ("depth", String(stall.began.depth)), ("state", stall.state.rawValue),
      ("callout", analysis?.callout?.rawValue), ("cause", stall.cause.map { CauseWords.split($0) }),
      ("blocked_on", analysis?.blockedOn.map(CauseWords.blockedOn)), ("signature", analysis?.signature?.key),
    ]
    let annotations = stall.began.annotations.sorted { $0.key < $1.key }.map { ("annotation: \($0.key)", $0.value) }
    return arguments.compactMap { name, value in value.map { (name, $0) } } + annotations
  }

  /// When the sample at index `place` begins to count. Each counts up to the next, the last up to the stall's end.
  private func time(_ place: Int) -> Nanoseconds {
    place < samples.count ? min(max(samples[place].atNs, start), end) : end
  }

  /// The functions below the callout as nested slices. A slice lasts while the samples show its function at its depth.
  private func sampledCalls() -> [PerfettoEvent] {
    var events: [PerfettoEvent] = []
    var open: [(label: String, from: Nanoseconds)] = []
    func close(downTo depth: Int, at end: Nanoseconds) {
      while open.count > depth, let last = open.popLast() {
        events.append(.slice(last.label, category: "sample", from: last.from, to: end, arguments: []))
      }
    }
    for (place, stack) in frames.enumerated() {
      let labels = FoldedStack.inside(stack).frames.reversed().filter { !$0.isGlue }.map(\.label)
      let common = zip(open, labels).prefix { $0.label == $1 }.count
      close(downTo: common, at: time(place))
      for label in labels.dropFirst(common) { open.append((label, time(place))) }
    }
    close(downTo: 0, at: end)
    return events
  }
}
