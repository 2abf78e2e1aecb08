import Testing

/// Fails a test in which a run loop, or the main actor's queue, is held for longer than it may be.
///
/// ```swift
/// @MainActor @Test(.stalls(atMost: .milliseconds(250))) func opensAFeed() { … }
/// ```
///
/// Tests with the trait take turns. A test's `.timeLimit` also counts the time in which it waits for its turn: put such
/// tests into a `.serialized` suite, or run with `--no-parallel`.
public struct StallTrait: TestTrait, SuiteTrait, TestScoping {
  /// The longest that a lane may be held.
  let limit: Duration

  /// On a suite it is for each of the suite's tests.
  public var isRecursive: Bool { true }

  /// Runs a test while a monitor watches, one test after the other. Records an issue for each hold that is too long, at
  /// the test's place, and one if the process cannot be watched. Of several traits of a test the innermost counts.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil, !TestMonitor.isRecorded else { return try await function() }
    let scope = TraitScope()
    guard let outer = TraitScope.current else {
      return try await Turns.shared.take { try await run(test, in: scope, function) }
    }
    outer.overrule()
    try await run(test, in: scope, function)
  }

  private func run(
    _ test: Test, in scope: TraitScope, _ function: @Sendable () async throws -> Void
  ) async throws {
    let watch: TestWatch
    do {
      _ = try TestMonitor.shared.get()
      // What came before the test is over once the main actor serves something else. Only then its time begins.
      await MainActor.run {}
      watch = try TestWatch(limit: limit)
    } catch {
      Issue.record("The test is not watched for stalls: \(error)", sourceLocation: test.sourceLocation)
      return try await function()
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await TraitScope.$current.withValue(scope) { try await function() })
    } catch {
      result = .failure(error)
    }
    if !scope.isOverruled { await judge(test, watch) }
    try result.get()
  }

  private func judge(_ test: Test, _ watch: TestWatch) async {
    // What the test did last is over then.
    await MainActor.run {}
    do {
      let holds = try await watch.holds {
        await MainActor.run {}
        try await Task.sleep(for: TestWatch.pause)
      }
      for hold in holds {
        Issue.record(Comment(rawValue: hold.sentence(limit: limit)), sourceLocation: test.sourceLocation)
      }
    } catch {
      Issue.record("The test's stalls cannot be read: \(error)", sourceLocation: test.sourceLocation)
    }
  }
}

extension Trait where Self == StallTrait {
  /// Fails the test if a run loop, or the main actor's queue, is held for longer than `limit`, 10 ms or more.
  public static func stalls(atMost limit: Duration) -> Self { StallTrait(limit: limit) }
}
