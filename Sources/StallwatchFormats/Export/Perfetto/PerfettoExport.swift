import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Chrome's JSON trace for ui.perfetto.dev and chrome://tracing. Each loop is a thread with its stalls and, inside
/// them, the sampled functions. Other tracks show what its thread did, the modes in which it stalled, annotations,
/// where profiled busy time went, threads that held locks, and excluded and blind time; counters how busy it was, and
/// how late timers and the drift probe's ticks came. Times are microseconds of the monotonic clock. Written stall by
/// stall.
struct PerfettoExport<Contents: StoreContents> {
  private let export: StoreExport<Contents>

  init(_ export: StoreExport<Contents>) { self.export = export }

  func write(into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("displayTimeUnit", "ms")
      try writeLabels(to: &writer)
      try writer.key("traceEvents")
      try writer.array { writer in
        try writeTracks(to: &writer)
        try writeStalls(to: &writer)
        try writeIntervals(to: &writer)
        try writeProfiles(to: &writer)
        try writeWorstFires(to: &writer)
        try PerfettoCounters(export: export).write(to: &writer)
      }
    }
    try writer.finish()
  }

  /// The labels that were set, by process.
  private func writeLabels(to writer: inout JSONWriter) throws {
    let labelled = export.sessions.filter { !$0.record.labels.isEmpty }
    guard !labelled.isEmpty else { return }
    try writer.key("otherData")
    try writer.object { writer in
      for session in labelled {
        try writer.key("process \(process(of: session.id))")
        try writer.object(inline: true) { writer in
          for label in SaidLabels.all(session) { try writer.field(label.name, label.value) }
        }
      }
    }
  }

  private func writeTracks(to writer: inout JSONWriter) throws {
    for session in export.sessions {
      let command = session.record.command.joined(separator: " ")
      try writer.event(.name(.process, command), process: process(of: session.id), thread: 0)
      let labels = SaidLabels.all(session).map { "\($0.name) \($0.value)" }
      if !labels.isEmpty { try writer.event(.labels(labels), process: process(of: session.id), thread: 0) }
    }
    for (number, loop) in export.loops.enumerated() {
      let process = process(of: loop.session)
      for (place, track) in PerfettoTrack.allCases.enumerated() {
        let thread = track.thread(of: loop)
        try writer.event(.name(.thread, track.name(of: loop)), process: process, thread: thread)
        let order = number * PerfettoTrack.allCases.count + place
        try writer.event(.order(order), process: process, thread: thread)
      }
      for mode in try export.contents.modes(loop: loop.id) {
        let moment = PerfettoEvent.moment("mode \(mode.name) attached", at: mode.attachedNs)
        try writer.event(moment, process: process, thread: PerfettoTrack.modes.thread(of: loop))
      }
    }
  }

  private func writeStalls(to writer: inout JSONWriter) throws {
    let loops = Dictionary(export.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var owners: Set<PerfettoOwner> = []
    try export.contents.forEachStall { stall in
      guard stall.state != .cancelled, let loop = loops[stall.loop] else { return }
      let samples = try export.contents.samples(stall: stall.id)
      let frames = try samples.map { try export.stacks.frames($0.frames, session: stall.session) }
      let analysis = try export.stacks.analysis(of: samples, session: stall.session)
      let trace = PerfettoStall(stall: stall, analysis: analysis, samples: samples, frames: frames)
      let process = process(of: stall.session)
      try trace.write(loop: loop, process: process, to: &writer)
      for owner in try trace.owners({ try export.stacks.frames($0, session: stall.session) }) {
        if owners.insert(PerfettoOwner(process: process, thread: owner.thread)).inserted {
          try writer.event(.name(.thread, "\(owner.name) (lock owner)"), process: process, thread: owner.thread)
        }
        try writer.event(owner.event, process: process, thread: owner.thread)
      }
    }
  }

  private func writeProfiles(to writer: inout JSONWriter) throws {
    let starts = Dictionary(
      export.sessions.map { ($0.id, $0.record.startedNs) }, uniquingKeysWith: { first, _ in first })
    for loop in export.loops {
      guard let profile = try LoopProfile(loop, in: export.contents, stacks: export.stacks) else { continue }
      for slice in PerfettoProfile(tree: profile.tree).slices(from: starts[loop.session] ?? 0) {
        try writer.event(
          slice, process: process(of: loop.session), thread: PerfettoTrack.profile.thread(of: loop))
      }
    }
  }

  /// The worst fire of each timer that has one.
  private func writeWorstFires(to writer: inout JSONWriter) throws {
    let loops = Dictionary(export.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for session in export.sessions {
      let timers = try PerfettoTimers(of: session, in: export.contents)
      for timer in timers.worst {
        guard let worst = timer.ledger.worst, let loop = timer.loop.flatMap({ loops[$0] }) else { continue }
        let name = "timer \(timers.title(timer)) fires \(Figure.duration(worst.lateness)) late"
        try writer.event(
          .moment(name, at: worst.atNs), process: process(of: session.id), thread: PerfettoTrack.calls.thread(of: loop))
      }
    }
  }

  private func writeIntervals(to writer: inout JSONWriter) throws {
    var number = 0
    for session in export.sessions {
      for interval in try export.contents.health(session: session.id).intervals {
        number += 1
        let loop = export.loops.first { $0.session == session.id && $0.record.id == interval.loop }
        let place = loop.map { " on \($0.record.name)" } ?? ""
        let name = "\(interval.kind.word): \(interval.reason)\(place)"
        for (phase, at) in [("b", interval.startedNs), ("e", interval.endedNs)] {
          try writer.event(
            .bound(name, phase: phase, at: at, number: number), process: process(of: session.id), thread: 0)
        }
      }
    }
  }

  /// The process number of a session in the trace: its row, because process IDs repeat.
  private func process(of session: Int64) -> Int64 { session }
}

/// A lock owner's track whose name is already written.
private struct PerfettoOwner: Hashable {
  var process: Int64
  var thread: UInt64
}
