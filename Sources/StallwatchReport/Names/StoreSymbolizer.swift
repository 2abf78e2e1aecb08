import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Names the addresses that a store has seen, by files, and writes the names into the store. For one thread at a time.
package final class StoreSymbolizer {
  /// What a run did.
  package struct Outcome: Sendable, Equatable {
    /// The sessions whose addresses were looked at.
    package var sessions = 0
    /// Addresses whose function is known now; one that several processes had is counted once.
    package var named = 0
    /// Of these, those that the store did not name before, or less well.
    package var new = 0
    /// Addresses whose function is not known.
    package var unnamed = 0
    /// The images whose functions have no names, each once.
    package var notes: [SymbolNote] = []
    /// Whether all addresses were looked at before the time was up.
    package var isComplete = true
  }

  private let namer: StoreNamer
  private let search: SymbolSearch
  private var names: [String: ImageNames] = [:]
  private var batch = StoreNamer.Batch()
  private var outcome = Outcome()
  private var notes: Set<SymbolNote> = []
  private var seen: Set<Place> = []

  /// The most images whose names are kept from one session to the next: ten programs' worth.
  private static let keptImages = 2_000

  private struct Place: Hashable {
    var image: String
    var offset: UInt64
  }

  /// Writes names from `search` by `namer`.
  package init(_ namer: StoreNamer, search: SymbolSearch) {
    (self.namer, self.search) = (namer, search)
  }

  /// Names the addresses of these sessions, and those of all for nil.
  ///
  /// - Parameters:
  ///   - deadline: When to leave off; nil for never. What was named until then stays.
  ///   - progress: Called after each stack with the numbers of stacks that are done and that there are.
  package func run(
    sessions chosen: [Int64]? = nil, until deadline: ContinuousClock.Instant? = nil,
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws -> Outcome {
    let rows = try chosen ?? namer.sessions()
    let all = try namer.stackCount(sessions: rows)
    var done = 0
    for row in rows {
      let session = try namer.session(row)
      if names.count >= Self.keptImages {
        try flush()
        names = [:]
      }
      let symbolicator = try symbolicator(session)
      for code in session.codes {
        count(symbolicator.frames([code]))
        if batch.isFull { try flush() }
      }
      for stack in session.stacks {
        if let deadline, ContinuousClock.now >= deadline {
          outcome.isComplete = false
          break
        }
        let addresses = try namer.frames(ofStack: stack)
        let frames = symbolicator.frames(addresses)
        count(frames)
        if let function = Self.function(frames) { batch.functions.append((stack, function)) }
        if batch.isFull { try flush() }
        done += 1
        progress(done, all)
      }
      notes.formUnion(
        symbolicator.obstacles.map { SymbolNote(path: $0.path, buildID: $0.buildID, obstacle: $1) })
      if !outcome.isComplete { break }
      outcome.sessions += 1
    }
    try flush()
    outcome.notes = notes.sorted { ($0.path, $0.buildID ?? "") < ($1.path, $1.buildID ?? "") }
    return outcome
  }

  private func symbolicator(_ session: StoreNamer.Session) throws -> Symbolicator {
    for buildID in Set(session.images.compactMap(\.buildID)) where names[buildID] == nil {
      names[buildID] = try namer.names(buildID: buildID)
    }
    return Symbolicator(
      images: session.images, search: search, names: { [unowned self] in names[$0] },
      found: { [unowned self] buildID, offset, answer in
        guard names[buildID]?.add(answer, at: offset) == true else { return }
        batch.answers.append((buildID, offset, answer))
        if answer.calls.last?.function != nil { outcome.new += 1 }
      })
  }

  private func flush() throws {
    guard !batch.isEmpty else { return }
    try namer.write(batch)
    batch = StoreNamer.Batch()
  }

  /// Counts the addresses of these frames that were not counted yet.
  private func count(_ frames: [Frame]) {
    // The last frame of an address is its compiled function; what is looked up is the call before a return address.
    for (place, frame) in frames.filter({ !$0.isInlined }).enumerated() {
      let offset = place == 0 ? frame.offset : frame.offset &- 1
      guard let image = frame.image, seen.insert(Place(image: frame.buildID ?? image, offset: offset)).inserted else {
        continue
      }
      if frame.name == nil { outcome.unnamed += 1 } else { outcome.named += 1 }
    }
  }

  /// The function that a stack stands for; nil where it could not be read.
  private static func function(_ frames: [Frame]) -> StackFunction? {
    let folded = FoldedStack(frames)
    guard let place = folded.innermostPlace else { return nil }
    return StackFunction(
      function: place.function, file: place.location?.path, line: place.location?.line, leaf: folded.leaf?.label)
  }
}
