import StallwatchStore

/// Looks up the loop and session of stalls.
package struct StallDirectory {
  private var sessions: [Int64: StoredSession]
  private var loops: [Int64: StoredLoop]

  /// A directory of these sessions and loops.
  package init(sessions: [StoredSession], loops: [StoredLoop]) {
    self.sessions = Dictionary(sessions.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.loops = Dictionary(loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// `stall` with its loop's name and thread, and the time at which it began.
  package func listed(_ stall: StoredStall, analysis: StallAnalysis? = nil) -> ListedStall {
    let session = sessions[stall.session]
    let offset = session.map { stall.began.startedNs.since($0.record.startedNs.since($0.leftOut)) }
    return ListedStall(
      stall: stall,
      loopName: loops[stall.loop]?.record.name ?? Figure.unknown,
      loopKind: loops[stall.loop]?.record.kind ?? .runLoop,
      threadID: loops[stall.loop]?.record.threadID,
      startedAt: session?.wallClock(at: stall.began.startedNs),
      offset: offset, analysis: analysis)
  }
}
