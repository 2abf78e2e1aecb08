/// Decides which timers share an entry of the ledger: those that one place made one after the other. For the watchdog's
/// thread.
///
/// A program that makes a timer for every request has thousands that live for a moment. Each takes over the entry of an
/// ended one that was alike (its loop, origin, interval, modes and name); if none has ended it gets an entry of its
/// own. So a site has as many entries as it ever had timers at one time, and every sum stays exact.
package struct TimerSites: Sendable {
  /// How many entries can wait for another timer. Beyond that the oldest are given up, and their sites get new ones.
  package static let capacity = 4_096

  /// A row of the ledger, for one timer at a time.
  package struct Entry: Equatable, Sendable {
    /// Its record as handed to the recorder; number and time of making are the first timer's.
    package var record: TimerRecord
    /// The worst lateness of all its timers, in nanoseconds.
    package var worst: Nanoseconds = 0
    /// How many timers it has had.
    package var timers: UInt64 = 1
    /// When the last of them ended; 0 while it lives.
    var endedNs: Nanoseconds = 0
  }

  private struct Site: Hashable {
    var loop: LoopID?
    var origin: UInt64
    var interval: Nanoseconds
    var modes: [String]
    var name: String?

    init(_ record: TimerRecord) {
      (loop, origin, interval) = (record.loop, record.origin, record.interval)
      (modes, name) = (record.modes, record.name)
    }
  }

  private var waiting: [Site: [Entry]] = [:]
  private var sites: [LoopID: Set<Site>] = [:]
  /// The entries in the order in which they began to wait, oldest first; those that no longer wait are skipped.
  private var order: [(site: Site, id: TimerID)] = []
  private var oldest = 0
  /// How many entries wait.
  package private(set) var count = 0
  /// `tidy()` shortens the order beyond twice the waiting entries plus this, so that they bound its length.
  private static let shortestOrder = 64
  /// The length of the order, for tests.
  var ordered: Int { order.count }

  /// Begins without entries.
  package init() {}

  /// Whether an entry waits for a timer like this one.
  package func hasEntry(like record: TimerRecord) -> Bool { waiting[Site(record)] != nil }

  /// The entry for a timer's first record: one whose last timer had ended when this one was made, or a new one.
  package mutating func take(_ record: TimerRecord) -> Entry {
    let site = Site(record)
    guard let place = waiting[site]?.lastIndex(where: { $0.endedNs <= record.madeNs }),
      var entry = waiting[site]?.remove(at: place)
    else { return Entry(record: record) }
    if waiting[site]?.isEmpty == true { forget(site) }
    count -= 1
    entry.timers = entry.timers.saturatingAdd(1)
    entry.endedNs = 0
    return entry
  }

  /// Lets an entry wait when its timer has ended. Returns the entry given up for it, if any.
  package mutating func give(_ entry: Entry, endedNs: Nanoseconds) -> TimerID? {
    var entry = entry
    entry.endedNs = endedNs
    let site = Site(entry.record)
    waiting[site, default: []].append(entry)
    if let loop = site.loop { sites[loop, default: []].insert(site) }
    order.append((site, entry.record.id))
    count += 1
    defer { tidy() }
    return count > Self.capacity ? giveUpOldest() : nil
  }

  /// Forgets all entries of a loop that is over.
  package mutating func end(_ loop: LoopID) {
    for site in sites[loop] ?? [] { count -= waiting.removeValue(forKey: site)?.count ?? 0 }
    sites[loop] = nil
    tidy()
  }

  private mutating func giveUpOldest() -> TimerID? {
    while oldest < order.count {
      let (site, id) = order[oldest]
      oldest += 1
      guard let place = waiting[site]?.firstIndex(where: { $0.record.id == id }) else { continue }
      waiting[site]?.remove(at: place)
      if waiting[site]?.isEmpty == true { forget(site) }
      count -= 1
      return id
    }
    return nil
  }

  /// Keeps the order about as long as the number of waiting entries.
  private mutating func tidy() {
    guard order.count > 2 * count + Self.shortestOrder else { return }
    let waits = Set(waiting.values.joined().map(\.record.id))
    var last: [TimerID: Int] = [:]
    for place in oldest..<order.count where waits.contains(order[place].id) { last[order[place].id] = place }
    order = last.values.sorted().map { order[$0] }
    oldest = 0
  }

  private mutating func forget(_ site: Site) {
    waiting[site] = nil
    guard let loop = site.loop else { return }
    sites[loop]?.remove(site)
    if sites[loop]?.isEmpty == true { sites[loop] = nil }
  }
}
