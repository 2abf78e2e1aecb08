import StallwatchCore
import StallwatchSymbols

/// A cause in one sentence without its full stop: the function and line to look at first, what it waits for, and who holds
/// that, as in `Cache.lookup(_:) at Cache.swift:25 waits for a lock that the thread indexer holds in Cache.rebuildIndex() at
/// Cache.swift:22`.
package struct CauseSentence: Sendable, Equatable, CustomStringConvertible {
  package var description: String

  /// Names from the program are harmless, and cut to `longestName` columns.
  package init(_ blame: Blame, longestName: Int = 80) {
    let words = Words(blame: blame, longestName: longestName)
    let subject = blame.own.map { words.place($0, closure: "A closure", topLevel: "Top-level code") }
    description = "\(subject ?? "Many functions") \(words.predicate)"
  }

  private struct Words {
    var blame: Blame
    var longestName: Int

    var predicate: String {
      let isMany = blame.own == nil
      if let holder = blame.holder { return "\(isMany ? "wait" : "waits") for a lock that \(self.holder(holder))" }
      if let call = blame.call {
        let called = blame.called.map(plain)
        if called.map(CauseSentence.sleeps.contains) ?? (call.hasSuffix("nanosleep")) {
          return isMany ? "sleep" : "sleeps"
        }
        let verb = isMany ? "wait" : "waits"
        if let object = called.flatMap({ CauseSentence.objects[$0] }) { return "\(verb) for \(object)" }
        return "\(verb) in \(wait(call, called))"
      }
      switch blame.activity {
      case .starved: return isMany ? "get no processor" : "gets no processor"
      case .blocked: return (isMany ? "are" : "is") + " blocked" + (blame.called.map { " in \(name($0))" } ?? "")
      case .running: return (isMany ? "compute" : "computes") + (blame.called.map { " in \(name($0))" } ?? "")
      }
    }

    /// A function and its line. Top-level code and its closures have no other name than their place.
    func place(_ place: Blame.Place, closure: String = "a closure", topLevel: String = "top-level code") -> String {
      guard let location = place.location, location.line != nil else { return name(place.function) }
      let isClosure = GroupingName.enclosing(place.function) == "top-level code"
      let function = place.function == "main" ? topLevel : isClosure ? closure : name(place.function)
      return "\(function) at \(name(location.label))"
    }

    private func holder(_ holder: Blame.Holder) -> String {
      // A thread without a name is called `thread 4711`.
      (holder.thread.hasPrefix("thread ") ? name(holder.thread) : "the thread \(name(holder.thread))") + " holds"
        + (holder.place.map { " in \(place($0))" } ?? "")
    }

    /// `Data.init(contentsOf:)`, `write (pipe)`, `sqlite3_step, by fsync of /var/feed.db`.
    private func wait(_ call: String, _ called: String?) -> String {
      let kernel = CauseWords.blockedOn(
        BlockedOn(systemCall: call, target: blame.target == "futex" ? nil : blame.target))
      guard let called, called != call else { return kernel }
      return call == "futex" ? name(called) : "\(name(called)), by \(kernel)"
    }

    /// A C library's function by the name that programs call it by.
    private func plain(_ function: String) -> String { String(function.drop { $0 == "_" }) }

    private func name(_ text: String) -> String {
      DisplayText.name(text.hasPrefix("static ") ? String(text.dropFirst("static ".count)) : text, to: longestName)
    }
  }

  private static let sleeps: Set = [
    "usleep", "sleep", "nanosleep", "clock_nanosleep", "GI___nanosleep", "static Thread.sleep(forTimeInterval:)",
    "static Thread.sleep(until:)", "Thread.sleep(forTimeInterval:)", "Thread.sleep(until:)",
  ]

  /// What functions wait for, where their names alone do not say it.
  private static let objects = [
    "NSLock.lock()": "a lock", "NSRecursiveLock.lock()": "a lock", "pthread_mutex_lock": "a lock",
    "lll_lock_wait": "a lock", "pthread_rwlock_rdlock": "a lock", "pthread_rwlock_wrlock": "a lock",
    "dispatch_semaphore_wait": "a semaphore", "DispatchSemaphore.wait()": "a semaphore",
    "DispatchSemaphore.wait(timeout:)": "a semaphore", "DispatchSemaphore.wait(wallTimeout:)": "a semaphore",
    "sem_wait": "a semaphore", "sem_timedwait": "a semaphore",
    "dispatch_group_wait": "a dispatch group", "DispatchGroup.wait()": "a dispatch group",
    "DispatchGroup.wait(timeout:)": "a dispatch group", "DispatchGroup.wait(wallTimeout:)": "a dispatch group",
    "DispatchWorkItem.wait()": "a work item", "DispatchWorkItem.wait(timeout:)": "a work item",
    "DispatchWorkItem.wait(wallTimeout:)": "a work item", "NSLock.lock(before:)": "a lock",
    "pthread_cond_wait": "a condition",
    "pthread_cond_timedwait": "a condition", "NSCondition.wait()": "a condition",
    "NSCondition.wait(until:)": "a condition", "pthread_join": "the end of a thread",
    "dispatch_semaphore_wait_slow": "a semaphore", "dispatch_group_wait_slow": "a dispatch group",
  ]
}
