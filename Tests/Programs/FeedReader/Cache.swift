import Foundation

/// Pages by address. A thread rebuilds its index now and then.
final class Cache: @unchecked Sendable {
  static let shared = Cache()

  private let lock = NSLock()
  private var pages = ["https://example.org/feed": "A feed"]
  private var index: [Int] = []

  @MainActor func show(_ address: String) {
    let rebuilding = DispatchSemaphore(value: 0)
    let indexer = Thread { self.rebuildIndex(rebuilding) }
    indexer.name = "indexer"
    indexer.start()
    rebuilding.wait()
    precondition(lookup(address) != nil)
  }

  @inline(never) func lookup(_ address: String) -> String? {
    lock.lock()
    defer { lock.unlock() }
    return pages[address]
  }

  @inline(never) private func rebuildIndex(_ begun: DispatchSemaphore) {
    lock.lock()
    begun.signal()
    index = sortedPages()
    lock.unlock()
  }

  @inline(never) private func sortedPages() -> [Int] {
    var numbers: [Int] = []
    let end = Date() + 0.25
    while Date() < end { numbers = (0..<4_000).map { ($0 &* 7919) % 4_001 }.sorted() }  // BUG lock
    return numbers
  }
}

/// The feeds that the user reads.
final class Subscriptions: @unchecked Sendable {
  static let shared = Subscriptions()

  private let lock = NSRecursiveLock()
  private var feeds = ["a", "b"]

  @MainActor func count() {
    let begun = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Thread.current.name = "synchroniser"
      self.synchronise(begun)
    }
    begun.wait()
    precondition(numberOfFeeds() == 2)
  }

  @inline(never) func numberOfFeeds() -> Int {
    lock.withLock { feeds.count }
  }

  @inline(never) private func synchronise(_ begun: DispatchSemaphore) {
    lock.withLock {
      begun.signal()
      Thread.sleep(forTimeInterval: 0.25)  // BUG recursive-lock
      feeds.sort()
    }
  }
}
