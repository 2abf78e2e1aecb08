import Dispatch
import Foundation

/// The user's account.
@MainActor enum Login {
  @inline(never) static func refreshToken() {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      try? await Task.sleep(for: .milliseconds(250))
      done.signal()
    }
    done.wait()  // BUG semaphore
  }

  @inline(never) static func loadProfile() {
    let group = DispatchGroup()
    for part in 1...2 {
      group.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.12 * Double(part)) { group.leave() }
    }
    group.wait()  // BUG group
  }
}
