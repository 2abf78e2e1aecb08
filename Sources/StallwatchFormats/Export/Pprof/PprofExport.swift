import StallwatchCore
import StallwatchReport
import StallwatchStore

/// A store's sampled stacks for pprof: those of stalls, and those of profiled busy time, told apart by the label
/// `kind`. Other labels are `loop`, `mode`, `callout`, `severity`, `cause` (what the thread did: running, blocked,
/// starved), `signature`, and those that were set for the session. Memory grows with the number of different stacks.
struct PprofExport<Contents: StoreContents> {
  private let export: StoreExport<Contents>

  init(_ export: StoreExport<Contents>) { self.export = export }

  /// The profile as a gzip file. Throws what reading throws.
  func file() throws -> [UInt8] {
    var profile = PprofProfile()
    let loops = Dictionary(export.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let said = Dictionary(
      export.sessions.map { ($0.id, SaidLabels.all($0).map { ($0.name, String?.some($0.value)) }) },
      uniquingKeysWith: { first, _ in first })
    let merged = try SignatureFolding.merged(in: export.contents, stacks: export.stacks)
    try export.contents.forEachSampledStall { stall, samples in
      guard stall.state != .cancelled, let loop = loops[stall.loop] else { return }
      let analysis = try export.stacks.analysis(of: samples, session: stall.session)?.counted(by: merged)
      for sample in samples {
        profile.add(
          try export.stacks.frames(sample.frames, session: stall.session), count: 1, time: sample.weight,
          labels: [
            ("kind", stall.began.kind.rawValue), ("loop", export.name(of: loop)), ("mode", stall.mode),
            ("callout", analysis?.callout?.rawValue), ("severity", stall.severity.name),
            ("cause", sample.activity.rawValue), ("signature", analysis?.signature?.title),
          ] + (said[stall.session] ?? []))
      }
    }
    for loop in export.loops {
      for stack in try export.contents.profile(loop: loop.id) {
        profile.add(
          try export.stacks.frames(stack.frames, session: loop.session), count: stack.count, time: stack.weight,
          labels: [("kind", "busy time"), ("loop", export.name(of: loop))] + (said[loop.session] ?? []))
      }
    }
    return Gzip.packed(
      profile.message(
        startedAt: export.sessions.first?.record.startedAt ?? 0,
        duration: export.sessions.map(\.duration).saturatingSum()))
  }
}
