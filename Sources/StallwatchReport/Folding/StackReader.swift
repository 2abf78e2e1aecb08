import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Reads a store's sampled stacks: resolves addresses to functions, and functions to callouts and signatures. Caches
/// what it looked up. Not thread-safe.
package final class StackReader<Contents: StoreContents> {
  private let contents: Contents
  private let search: SymbolSearch
  private var sessions: [Int64: Session] = [:]
  /// What the contents know of images' addresses, by build-id.
  private var names: [String: ImageNames] = [:]
  /// The notes of sessions no longer held open.
  private var oldNotes: Set<SymbolNote> = []
  /// The most sessions held open. Stalls come session by session.
  private static var keptSessions: Int { 16 }
  /// The most folded stacks cached per session, 2 KB each: most recordings have fewer different ones.
  private static var keptStacks: Int { 20_000 }

  private final class Session {
    let symbolicator: Symbolicator
    var folded: [[UInt64]: NumberedStack] = [:]
    /// The same by the rows of the stacks.
    var foldedRows: [Int64: NumberedStack] = [:]
    /// Causes of stalls whose looks are all of one kind: most of a program's stalls stand where others stood before.
    var causes: [Look: SignatureRule.Cause?] = [:]
    var holders: [[UInt64]: Blame.Place?] = [:]
    var nextNumber = 0

    init(_ symbolicator: Symbolicator) { self.symbolicator = symbolicator }
  }

  /// A folded stack with its number in the session.
  private struct NumberedStack {
    var number: Int
    var stack: FoldedStack
  }

  /// What tells one look at a thread from another, apart from its weight.
  private struct Look: Hashable {
    var stack: Int
    var call: String?
    var target: String?
    var holder: Blame.Holder?
    var activity: ThreadActivity
  }

  /// A reader of the stacks in `contents` that takes function names from there, and from `search` where that says more.
  package init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) {
    self.contents = contents
    self.search = search
  }

  /// The functions of a stack in a session, leaf first. Throws what `contents` throws.
  package func frames(_ addresses: [UInt64], session: Int64) throws -> [Frame] {
    try open(session).symbolicator.frames(addresses)
  }

  /// The names of the functions that what served an item called, outermost first, of the stack in this row: as flame graphs
  /// have them, without glue. Throws what `contents` throws.
  package func path(stack: Int64, session: Int64) throws -> [String] {
    let frames = try frames(try contents.frames(stack: stack), session: session)
    return FoldedStack.inside(frames).frames.reversed().filter { !$0.isGlue }.map(\.label)
  }

  /// The analysis of a stall's samples; nil without samples. Throws what `contents` throws.
  package func analysis(of samples: [StackSample], session: Int64) throws -> StallAnalysis? {
    guard !samples.isEmpty else { return nil }
    let session = try open(session)
    var looks: Set<Look> = []
    let stacks = samples.map { sample -> WeighedStack in
      let folded = folded(sample.frames, in: session)
      let call = WaitingCall.name(blockedOn: sample.blockedOn, leaf: folded.stack.leaf)
      let holder = sample.blockedOn?.owner.map { self.holder($0, in: session) }
      looks.insert(
        Look(
          stack: folded.number, call: call, target: sample.blockedOn?.target, holder: holder, activity: sample.activity)
      )
      return WeighedStack(
        stack: folded.stack, weight: sample.weight, call: call, target: sample.blockedOn?.target, holder: holder,
        activity: sample.activity)
    }
    let only = looks.count == 1 ? looks.first : nil
    let cause = only.map { self.cause(of: $0, stacks, in: session) } ?? SignatureRule.cause(of: stacks)
    var analysis = StallAnalysis(
      sampleCount: samples.count, callout: SignatureRule.callout(of: stacks),
      signature: cause?.signature, blame: cause?.blame)
    if let block = MainBlock(samples) { (analysis.blockedOn, analysis.blockedOnTime) = (block.blockedOn, block.time) }
    return analysis
  }

  /// The cause of a stall with these samples; nil where its stacks show none. Throws what `contents` throws.
  package func cause(of samples: [BriefSample], session: Int64) throws -> SignatureRule.Cause? {
    let session = try open(session)
    return SignatureRule.cause(of: try samples.map { try weighed($0, in: session) })
  }

  private func weighed(_ sample: BriefSample, in session: Session) throws -> WeighedStack {
    let stack = try folded(row: sample.look.stack, in: session).stack
    var owner = sample.look.blockedOn?.owner
    if let row = sample.look.ownerStack { owner?.frames = try contents.frames(stack: row) }
    return WeighedStack(
      stack: stack, weight: sample.weight, call: WaitingCall.name(blockedOn: sample.look.blockedOn, leaf: stack.leaf),
      target: sample.look.blockedOn?.target, holder: owner.map { holder($0, in: session) },
      activity: sample.look.activity)
  }

  private func folded(row: Int64, in session: Session) throws -> NumberedStack {
    if let known = session.foldedRows[row] { return known }
    let folded = folded(try contents.frames(stack: row), in: session)
    if session.foldedRows.count >= Self.keptStacks { session.foldedRows = [:] }
    session.foldedRows[row] = folded
    return folded
  }

  /// The images of all sessions read so far whose functions have no names, each once.
  package var notes: [SymbolNote] {
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
      (sessions, names) = ([:], [:])
    }
    let images = try contents.images(session: id)
    for buildID in Set(images.compactMap(\.buildID)) where names[buildID] == nil {
      names[buildID] = try contents.names(buildID: buildID)
    }
    let session = Session(Symbolicator(images: images, search: search, names: { [names] in names[$0] }))
    sessions[id] = session
    return session
  }

  /// The cause of looks of one kind, which their weights cannot change.
  private func cause(of look: Look, _ stacks: [WeighedStack], in session: Session) -> SignatureRule.Cause? {
    if let known = session.causes[look] { return known }
    let cause = SignatureRule.cause(of: stacks)
    if session.causes.count >= Self.keptStacks { session.causes = [:] }
    session.causes[look] = cause
    return cause
  }

  private func holder(_ owner: LockOwner, in session: Session) -> Blame.Holder {
    if let known = session.holders[owner.frames] { return Blame.Holder(thread: owner.name, place: known) }
    let place = FoldedStack(session.symbolicator.frames(owner.frames)).innermostPlace
    if session.holders.count >= Self.keptStacks { session.holders = [:] }
    session.holders[owner.frames] = place
    return Blame.Holder(thread: owner.name, place: place)
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
