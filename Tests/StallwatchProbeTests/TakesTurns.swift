import Testing

/// Lets the tests of several suites run one at a time that use what a process has only one of: the disposition of SIGPROF.
struct TakesTurns: SuiteTrait, TestTrait, TestScoping {
  private static let line = Line()

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.line.enter()
    do {
      try await function()
    } catch {
      await Self.line.leave()
      throw error
    }
    await Self.line.leave()
  }

  /// Who waits, first come first served. Nobody holds a thread meanwhile.
  private actor Line {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
      guard isTaken else { return isTaken = true }
      await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
  }
}

extension Trait where Self == TakesTurns {
  /// One at a time with all others that have it, also of other suites.
  static var takesTurns: Self { TakesTurns() }
}
