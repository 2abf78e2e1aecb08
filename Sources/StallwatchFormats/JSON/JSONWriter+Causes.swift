import StallwatchCore
import StallwatchReport
import StallwatchSymbols

extension JSONWriter {
  /// The shares of a cause, and the watched time; null where the cause is unknown, or where nothing was watched.
  mutating func cause(_ key: String, _ cause: StallCause?) throws {
    try self.key(key)
    guard let shares = cause.flatMap(CauseShares.init) else { return try null() }
    try object(inline: true) {
      try $0.field("running", shares.running)
      try $0.field("blocked", shares.blocked)
      try $0.field("starved", shares.starved)
      try $0.field("watched_ns", shares.watched)
    }
  }

  /// What a thread was blocked on, with the lock's owner; null where it is unknown.
  mutating func blockedOn(_ key: String, _ blockedOn: BlockedOn?) throws {
    try self.key(key)
    guard let blockedOn else { return try null() }
    try object(inline: true) {
      try $0.field("system_call", blockedOn.systemCall)
      try $0.field("target", blockedOn.target)
      try $0.key("owner")
      guard let owner = blockedOn.owner else { return try $0.null() }
      try $0.object(inline: true) {
        try $0.field("thread_id", owner.threadID)
        try $0.field("name", owner.name)
      }
    }
  }

  /// A signature with its totals.
  mutating func signature(_ report: SignatureReport, sentence: String) throws {
    try object {
      try $0.field("signature", report.signature.key)
      try $0.field("title", report.signature.title)
      try $0.field("sentence", sentence)
      try $0.blame(report.blame)
      try $0.field("count", report.count)
      try $0.field("total_ns", report.total)
      try $0.field("worst_ns", report.worst)
      try $0.field("worst_stall", report.worstStall)
      try $0.cause("cause", report.cause)
      try $0.key("frames")
      try $0.array(inline: true) { writer in for frame in report.signature.frames { try writer.value(frame) } }
    }
  }

  /// Whom a cause blames: the own function with its place in the source, and who holds the lock that it waits for.
  mutating func blame(_ blame: Blame) throws {
    try field("function", blame.own?.function)
    try field("file", blame.own?.location?.path)
    try field("line", blame.own?.location?.line)
    try field("called", blame.called)
    try field("waits_in", blame.call)
    try field("target", blame.target)
    try key("holder")
    guard let holder = blame.holder else { return try null() }
    try object(inline: true) {
      try $0.field("thread", holder.thread)
      try $0.field("function", holder.place?.function)
      try $0.field("file", holder.place?.location?.path)
      try $0.field("line", holder.place?.location?.line)
    }
  }

  /// A function with its place in the source; `name` is null where only the address is known.
  mutating func frame(_ frame: Frame) throws {
    try object(inline: true) {
      try $0.field("name", frame.name)
      try $0.field("image", frame.image)
      try $0.field("offset", frame.offset)
      try $0.field("file", frame.location?.path)
      try $0.field("line", frame.location?.line)
      try $0.field("inlined", frame.isInlined)
      try $0.field("system", frame.isSystem)
    }
  }

  /// A call tree's nodes, heaviest first.
  mutating func callTree(_ key: String, _ nodes: [CallTree.Node]) throws {
    try list(key, nodes) { writer, node in
      try writer.object {
        try $0.field("name", node.label)
        try $0.field("image", node.image)
        try $0.field("file", node.location?.path)
        try $0.field("line", node.location?.line)
        try $0.field("weight_ns", node.weight)
        try $0.callTree("children", node.children)
      }
    }
  }

  /// The images whose functions have no names, and why.
  mutating func symbolNotes(_ key: String, _ notes: [SymbolNote]) throws {
    try list(key, notes) { writer, note in
      try writer.object(inline: true) {
        try $0.field("path", note.path)
        try $0.field("build_id", note.buildID)
        try $0.field("state", note.obstacle.rawValue)
      }
    }
  }
}
