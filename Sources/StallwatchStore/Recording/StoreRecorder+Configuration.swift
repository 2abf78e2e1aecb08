import StallwatchCore

extension StoreRecorder {
  /// How a store is written. The defaults suit both an app that ships and `stallwatch record`.
  public struct Configuration: Sendable {
    /// How many records may wait for the disk. 16,384 are what a thousand threads tell that end at one time, and at most
    /// some 80 MB when every one of them is a large profile.
    public var queueCapacity = 16_384
    /// How many frames of samples' stacks may wait for the disk. A million are 8 MB, or 400 stalls of a second each
    /// with stacks of 40 frames.
    public var frameCapacity = 1_000_000
    /// How long a record may wait for others to share its transaction, each of which costs as much as a dozen records. The
    /// program's figures come each 250 ms while it is active, and those of loops and timers when they end: with 100 ms
    /// threads that come and go cost ten transactions a second, and a sudden death costs little more than what was not
    /// handed over yet.
    public var gatherTime = 100 * Nanoseconds.millisecond
    /// The shortest time between two transactions for the sake of a stall's beginning or end, which else do not wait. It is
    /// the default threshold, so that stalls of one loop hardly wait, and those of many loops share transactions.
    public var urgentPause = 50 * Nanoseconds.millisecond
    /// Length of the windows that profiles are kept in. With 10 s a day is 8,640 rows a metric, and a timeline of an
    /// hour has 360 points.
    public var windowLength = 10 * Nanoseconds.second
    /// How long to wait for another process that is writing the same store, at each try. Their transactions take a few
    /// milliseconds; 1 s is far beyond a disk's usual hiccups.
    public var busyTimeout = 1 * Nanoseconds.second
    /// How long opening may take before the store is given up, so that a dead disk does not hold up a program's start.
    public var openTimeout = 5 * Nanoseconds.second
    /// How long closing may take, so that it does not hold up a program's end. What is not written by then is lost.
    public var closeTimeout = 2 * Nanoseconds.second
    /// The longest pause between two tries when the disk is full or fails; the first pause is 10 ms, and each is twice
    /// the one before.
    public var longestRetryPause = 2 * Nanoseconds.second
    /// The largest size in bytes that the store may grow to; nil for no limit. Beyond it things are as on a full disk.
    public var maximumSize: Int?

    /// The defaults.
    public init() {}
  }
}
