import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Reads one stall in detail.
package struct StallExaminer<Contents: StoreContents> {
  private let contents: Contents
  private let stacks: StackReader<Contents>
  /// The smallest share of a stall's watched time that its call tree shows.
  private static var smallestShare: Double { 0.01 }

  /// An examiner of stalls in `contents` that takes function names from `search`.
  package init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) {
    self.init(contents, stacks: StackReader(contents, search: search))
  }

  /// The same, with stacks read by `stacks`, which it shares with others.
  init(_ contents: Contents, stacks: StackReader<Contents>) {
    self.contents = contents
    self.stacks = stacks
  }

  private func timers(hurtBy stall: StoredStall) throws -> [(title: String, hurt: StoredStallTimer)] {
    let folding = TimerFolding(contents: contents, stacks: stacks)
    return try contents.timers(stall: stall.id).map {
      (try folding.title(of: $0.timer, session: stall.session) ?? "timer", $0)
    }
  }

  /// The function of the item that waited.
  private func waiter(of stall: StoredStall) throws -> Frame? {
    guard let code = stall.began.waiter else { return nil }
    let frames = try stacks.frames([code], session: stall.session)
    return frames.last { !$0.isGlue } ?? frames.last
  }

  /// The stall in this row; nil when there is none. Throws what `contents` throws.
  ///
  /// - Parameter merging: Whether its signature is the one that it counts with in a report, which takes a pass over all
  ///   samples.
  package func examine(_ id: Int64, merging: Bool = false) throws -> StallDetail? {
    guard let stall = try contents.stall(id: id) else { return nil }
    let sessions = try contents.sessions().filter { $0.id == stall.session }
    let directory = StallDirectory(sessions: sessions, loops: try contents.loops(session: stall.session))
    let recorded = try contents.samples(stall: id)
    var analysis = try stacks.analysis(of: recorded, session: stall.session)
    if merging, !recorded.isEmpty {
      analysis = analysis?.counted(by: try SignatureFolding.merged(in: contents, stacks: stacks))
    }
    return try detail(of: directory.listed(stall, analysis: analysis), recorded)
  }

  /// The details of a stall with these samples. Throws what `contents` throws.
  func detail(of listed: ListedStall, _ recorded: [StackSample]) throws -> StallDetail {
    let stall = listed.stall
    let samples = try recorded.map { sample in
      StallDetail.Sample(
        sample: sample, frames: try stacks.frames(sample.frames, session: stall.session),
        ownerFrames: try stacks.frames(sample.blockedOn?.owner?.frames ?? [], session: stall.session))
    }
    var tree = CallTree()
    for sample in samples { tree.add(FoldedStack.inside(sample.frames).frames, weight: sample.sample.weight) }
    tree.prune(below: Self.smallestShare)
    return StallDetail(
      listed: listed, samples: samples, tree: tree, timers: try timers(hurtBy: stall),
      waiter: try waiter(of: stall), symbolNotes: stacks.notes)
  }
}
