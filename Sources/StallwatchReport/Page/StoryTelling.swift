import StallwatchCore
import StallwatchStore

/// Tells the stories of a store's longest stalls from the samples that go by.
struct StoryTelling<Contents: StoreContents> {
  private let contents: Contents
  private let examiner: StallExaminer<Contents>
  private let directory: StallDirectory
  private let longest: [StoredStall]
  private let isLong: Set<Int64>
  private var stories: [Int64: StallStory] = [:]

  /// A outbox of at most `limit` stories. Throws what the contents throw.
  init(_ contents: Contents, sessions: [StoredSession], stacks: StackReader<Contents>, limit: Int) throws {
    self.contents = contents
    examiner = StallExaminer(contents, stacks: stacks)
    directory = StallDirectory(
      sessions: sessions, loops: try sessions.flatMap { try contents.loops(session: $0.id) })
    longest = try contents.worstStalls(limit: limit)
    isLong = Set(longest.map(\.id))
  }

  /// Takes in the samples of a stall. Throws what the contents throw.
  mutating func add(_ stall: StoredStall, _ samples: [StackSample], _ analysis: StallAnalysis) throws {
    guard isLong.contains(stall.id) else { return }
    stories[stall.id] = StallStory(try examiner.detail(of: directory.listed(stall, analysis: analysis), samples))
  }

  /// The stories, that of the longest stall first. Throws what the contents throw.
  func told() throws -> [StallStory] {
    try longest.map { stall in
      try stories[stall.id] ?? StallStory(examiner.detail(of: directory.listed(stall), []))
    }
  }
}
