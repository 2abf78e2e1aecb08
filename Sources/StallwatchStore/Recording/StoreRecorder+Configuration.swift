import StallwatchCore

extension StoreRecorder {
  /// How to write a store. The defaults suit both an app that ships and `stallwatch record`.
  package struct Configuration: Sendable {
    /// How many records may wait for the disk. A thousand threads that end at one time send 16,384; these take some
    /// 80 MB at most, when each is a large profile.
    package var queueCapacity = 16_384
    /// How many frames of samples' stacks may wait for the disk. A million take 8 MB: 400 stalls of one second each
    /// with stacks of 40 frames.
    package var frameCapacity = 1_000_000
    /// How long a record that is not a figure may wait for others to share its transaction; a transaction costs as much
    /// as a dozen records. With 100 ms, threads that come and go cost ten transactions a second. Figures do not wait:
    /// the live region shows them at once.
    package var gatherTime = 100 * Nanoseconds.millisecond
    /// The shortest time between two transactions made because a stall began or ended; else such records do not wait.
    /// It is the default threshold, so that one loop's stalls hardly wait, and those of many loops share transactions.
    package var urgentPause = 50 * Nanoseconds.millisecond
    /// The length of the windows of metrics, after which figures come into the store. A transaction a minute costs a
    /// disk next to nothing; percentiles by the minute are as fine as people read them.
    package var windowLength = 60 * Nanoseconds.second
    /// The length of the windows of time at most, a whole number of cells. 48 cells of 250 ms are as many as fit into
    /// SQLite's page four times, without a page of their own, and a fifth of a minute.
    package var timeWindowLength = 12 * Nanoseconds.second
    /// The length of a cell of time: a quarter second is the shortest stall in the hang rate. At most
    /// ``WindowCell/longestLength``.
    package var cellLength = 250 * Nanoseconds.millisecond
    /// How long each try waits for another process that writes the same store. Such transactions take a few
    /// milliseconds; 1 s is far beyond a disk's usual hiccups.
    package var busyTimeout = 1 * Nanoseconds.second
    /// How long a caller waits for the opening, so that a dead disk or a locked store does not delay a program's start.
    /// Where nobody waits, a locked store is tried until the session ends.
    package var openTimeout = 5 * Nanoseconds.second
    /// How long closing may take, so that it does not delay a program's end. Records not written by then are lost.
    package var closeTimeout = 2 * Nanoseconds.second
    /// The longest pause between two tries when the disk is full or fails. The first pause is 10 ms; each is twice the
    /// previous one.
    package var longestRetryPause = 2 * Nanoseconds.second
    /// The store's largest size in bytes; nil for no limit. Beyond it the recorder acts as on a full disk.
    package var maximumSize: Int?
    /// What the store keeps, by age and by size; nil: nothing is ever removed, and windows of time stay as they are.
    package var retention: RetentionLimits?

    /// From this many records on the writer does not wait to gather more.
    var crowd: Int { max(queueCapacity / 8, 1) }

    /// Sets all defaults.
    package init() {}
  }
}
