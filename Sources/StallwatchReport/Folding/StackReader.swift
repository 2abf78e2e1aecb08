import StallwatchCore
import StallwatchStore

/// Reads the sampled stacks of a store: addresses to functions, functions to what held the loop. Keeps what it looked up.
/// Not for several threads at a time.
public final class StackReader<Contents: StoreContents> {
  private let contents: Contents
  private let search: SymbolSearch
  private var sessions: [Int64: Session] = [:]
  /// So many folded stacks of a session are kept, 2 KB each: more than the different ones of most recordings.
  private static var keptStacks: Int { 20_000 }

  private final class Session {
    let symbolicator: Symbolicator
    var folded: [[UInt64]: FoldedStack] = [:]

    init(_ symbolicator: Symbolicator) { self.symbolicator = symbolicator }
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
    let stacks = try samples.map { sample in
      let stack = try folded(sample.frames, session: session)
      let call = WaitingCall.name(blockedOn: sample.blockedOn, leaf: stack.leaf)
      return WeighedStack(stack: stack, weight: sample.weight, call: call)
    }
    var analysis = StallAnalysis(
      sampleCount: samples.count, callout: SignatureRule.callout(of: stacks),
      signature: SignatureRule.signature(of: stacks))
    if let block = MainBlock(samples) { (analysis.blockedOn, analysis.blockedOnTime) = (block.blockedOn, block.time) }
    return analysis
  }

  /// The images of all sessions read so far whose functions have no names, each once.
  public var notes: [SymbolNote] {
    let notes = sessions.values.flatMap { session in
      session.symbolicator.obstacles.map { SymbolNote(path: $0.path, buildID: $0.buildID, obstacle: $1) }
    }
    return Set(notes).sorted { ($0.path, $0.buildID ?? "") < ($1.path, $1.buildID ?? "") }
  }

  private func open(_ id: Int64) throws -> Session {
    if let session = sessions[id] { return session }
    let session = Session(Symbolicator(images: try contents.images(session: id), search: search))
    sessions[id] = session
    return session
  }

  private func folded(_ addresses: [UInt64], session id: Int64) throws -> FoldedStack {
    let session = try open(id)
    if let known = session.folded[addresses] { return known }
    let folded = FoldedStack(session.symbolicator.frames(addresses))
    if session.folded.count >= Self.keptStacks { session.folded = [:] }
    session.folded[addresses] = folded
    return folded
  }
}
