import StallwatchCore
import StallwatchStore

/// Reads the sampled stacks of a store: addresses to functions, functions to what held the loop. Keeps what it looked up.
/// Not for several threads at a time.
public final class StackReader<Contents: StoreContents> {
  private let contents: Contents
  private let search: SymbolSearch
  private var sessions: [Int64: Session] = [:]
  /// Of the sessions that were let go.
  private var oldNotes: Set<SymbolNote> = []
  /// So many sessions are kept open: stalls come session by session.
  private static var keptSessions: Int { 16 }
  /// So many folded stacks of a session are kept, 2 KB each: more than the different ones of most recordings.
  private static var keptStacks: Int { 20_000 }

  private final class Session {
    let symbolicator: Symbolicator
    var folded: [[UInt64]: NumberedStack] = [:]
    /// What stalls with looks of one kind only came to: most stalls of a program stand where others have stood.
    var verdicts: [Look: Verdict] = [:]
    var nextNumber = 0

    init(_ symbolicator: Symbolicator) { self.symbolicator = symbolicator }
  }

  /// A folded stack and its number within the session.
  private struct NumberedStack {
    var number: Int
    var stack: FoldedStack
  }

  /// What tells one look at a thread from another, but for the time that it stands for.
  private struct Look: Hashable {
    var stack: Int
    var call: String?
  }

  private struct Verdict {
    var callout: Callout?
    var signature: Signature?

    init(_ stacks: [WeighedStack]) {
      callout = SignatureRule.callout(of: stacks)
      signature = SignatureRule.signature(of: stacks)
    }
  }

  /// A reader of the stacks in `contents`, whose functions are named by what `search` finds.
  public init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) {
    self.contents = contents
    self.search = search
  }

  /// The functions of a stack of that session, leaf first. Throws what the contents throw.
  public func frames(_ addresses: [UInt64], session: Int64) throws -> [Frame] {
    try open(session).symbolicator.frames(addresses)
  }

  /// What `samples` of a stall of that session say; nil without samples. Throws what the contents throw.
  public func analysis(of samples: [StackSample], session: Int64) throws -> StallAnalysis? {
    guard !samples.isEmpty else { return nil }
    let session = try open(session)
    var looks: Set<Look> = []
    let stacks = samples.map { sample in
      let folded = folded(sample.frames, in: session)
      let call = WaitingCall.name(blockedOn: sample.blockedOn, leaf: folded.stack.leaf)
      looks.insert(Look(stack: folded.number, call: call))
      return WeighedStack(stack: folded.stack, weight: sample.weight, call: call)
    }
    let only = looks.count == 1 ? looks.first : nil
    let verdict = only.map { self.verdict(of: $0, stacks, in: session) } ?? Verdict(stacks)
    var analysis = StallAnalysis(
      sampleCount: samples.count, callout: verdict.callout, signature: verdict.signature)
    if let block = MainBlock(samples) { (analysis.blockedOn, analysis.blockedOnTime) = (block.blockedOn, block.time) }
    return analysis
  }

  /// The images of all sessions read so far whose functions have no names, each once.
  public var notes: [SymbolNote] {
    oldNotes.union(openNotes).sorted { ($0.path, $0.buildID ?? "") < ($1.path, $1.buildID ?? "") }
  }

  private var openNotes: [SymbolNote] {
    sessions.values.flatMap { session in
      session.symbolicator.obstacles.map { SymbolNote(path: $0.path, buildID: $0.buildID, obstacle: $1) }
    }
  }

  private func open(_ id: Int64) throws -> Session {
    if let session = sessions[id] { return session }
    if sessions.count >= Self.keptSessions {
      oldNotes.formUnion(openNotes)
      sessions = [:]
    }
    let session = Session(Symbolicator(images: try contents.images(session: id), search: search))
    sessions[id] = session
    return session
  }

  /// Looks of one kind say the same, whatever their times are.
  private func verdict(of look: Look, _ stacks: [WeighedStack], in session: Session) -> Verdict {
    if let known = session.verdicts[look] { return known }
    let verdict = Verdict(stacks)
    if session.verdicts.count >= Self.keptStacks { session.verdicts = [:] }
    session.verdicts[look] = verdict
    return verdict
  }

  private func folded(_ addresses: [UInt64], in session: Session) -> NumberedStack {
    if let known = session.folded[addresses] { return known }
    let folded = NumberedStack(
      number: session.nextNumber, stack: FoldedStack(session.symbolicator.frames(addresses)))
    session.nextNumber += 1
    if session.folded.count >= Self.keptStacks { session.folded = [:] }
    session.folded[addresses] = folded
    return folded
  }
}
