/// What a hold does with its time.
enum How: String, Codable, CaseIterable, Sendable {
  /// Computes.
  case spin
  /// Sleeps.
  case usleep
  /// Waits for a lock that another thread holds.
  case lock
  /// Waits for the disk to write files that another thread fills.
  case fsync
  /// Allocates, touches and frees memory.
  case allocation

  /// The kinds that end on time on any machine. A single fsync may outlast a near-miss.
  static let punctual: [How] = [.spin, .usleep, .lock]
}

/// The locks for which a hold can wait.
enum LockKind: String, Codable, CaseIterable, Sendable {
  /// `pthread_mutex_t`.
  case pthread = "pthread_mutex"
  /// Foundation's `NSLock`.
  case foundation = "NSLock"
  /// Synchronization's `Mutex`.
  case synchronization = "Mutex"
}

/// What the run loop calls.
enum Callout: String, Codable, CaseIterable, Sendable {
  /// A CFRunLoopTimer.
  case timer
  /// A version 0 source.
  case source0
  /// A block given to CFRunLoopPerformBlock.
  case block
  /// A block of the main dispatch queue.
  case mainQueue = "main-queue"
  /// A CFRunLoopObserver.
  case observer
}

/// The activity at which an observer holds its loop.
enum ObservedActivity: String, Codable, CaseIterable, Sendable {
  case entry, beforeTimers, beforeSources, beforeWaiting, afterWaiting, exit

  /// The activities that recur while a run goes on.
  static let recurring: [ObservedActivity] = [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting]
}
