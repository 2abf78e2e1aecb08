import Dispatch
import Feed
import Foundation
import StallwatchTesting
import Testing

@Suite(.stalls(atMost: .milliseconds(150))) struct TraitTests {
  @MainActor @Test func loadsQuickly() { Feed.loadQuickly() }
  @MainActor @Test func loadsSlowly() { Feed.loadSlowly() }
  @MainActor @Test func parsesSlowly() async {
    await Task.yield()
    Feed.parseSlowly()
  }
  // The pool's threads serve others meanwhile.
  @Test func loadsSlowlyElsewhere() async { Feed.loadSlowly() }
  @Test func loadsSlowlyInTheMainQueue() async {
    await withCheckedContinuation { over in
      DispatchQueue.main.async {
        Feed.loadSlowly()
        over.resume()
      }
    }
  }
  // Its hold is not over when it is judged, ten seconds later; it is no other test's.
  @Test func leavesALoopHeld() async throws {
    await withCheckedContinuation { begun in
      Thread.detachNewThread {
        RunLoop.current.perform {
          begun.resume()
          Feed.loadForever()
        }
        RunLoop.current.run()
      }
    }
    try await Task.sleep(for: .milliseconds(400))
  }
  // The test's own limit counts, not the suite's.
  @MainActor @Test(.stalls(atMost: .seconds(60))) func mayTakeLonger() { Feed.loadSlowly() }
}
