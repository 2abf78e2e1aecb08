import Foundation

/// Tries again what failed.
@MainActor enum Retries {
  @inline(never) static func fetchWithRetry() {
    for attempt in 1...3 where !fetch(attempt) {
      Thread.sleep(forTimeInterval: 0.15)  // BUG sleep
    }
  }

  @inline(never) private static func fetch(_ attempt: Int) -> Bool { attempt == 3 }

  @inline(never) static func waitForNetwork() {
    var waits = 0
    while waits < 50 {
      usleep(5_000)  // BUG poll-sleep
      waits += 1
    }
  }
}
