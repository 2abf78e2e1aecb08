/// Which timers share an entry of the ledger: those that were made at one place one after the other.
///
/// A program that makes a timer for every request has thousands that live for a moment. Each takes over the entry of one that
/// has ended and was alike (its loop, origin, interval, modes and name); where none has ended it gets an entry of its own. So
/// a site has as many entries as it ever had timers at one time, whatever their number, and every sum
/// stays exact.
public struct TimerSites: Sendable {
  /// Entries that wait for another timer; beyond that the oldest are given up, and later timers of their sites get new ones.
  public static let capacity = 4_096

  /// A row of the ledger.
  public struct Entry: Equatable, Sendable {
    /// Its record as it was handed on: number and time of making are the first timer's.
    public var record: TimerRecord
    /// The worst lateness of all its timers.
    public var worst: Nanoseconds = 0
    /// How many timers it has had.
    public var timers: UInt64 = 1
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
  /// The order in which entries began to wait, oldest first; those that wait no more are passed over.
  private var order: [(site: Site, id: TimerID)] = []
  private var oldest = 0
  /// How many entries wait.
  public private(set) var count = 0

  /// No entries.
  public init() {}

  /// Whether an entry waits for a timer like this one.
  public func hasEntry(like record: TimerRecord) -> Bool { waiting[Site(record)] != nil }

  /// The entry of a timer that is handed on for the first time.
  public mutating func take(_ record: TimerRecord) -> Entry {
    let site = Site(record)
    guard var entry = waiting[site]?.popLast() else { return Entry(record: record) }
    if waiting[site]?.isEmpty == true { forget(site) }
    count -= 1
    entry.timers = entry.timers.saturatingAdd(1)
    return entry
  }

  /// The timer of an entry has ended. Returns an entry that is given up for it, if one is.
  public mutating func give(_ entry: Entry) -> TimerID? {
    let site = Site(entry.record)
    waiting[site, default: []].append(entry)
    if let loop = site.loop { sites[loop, default: []].insert(site) }
    order.append((site, entry.record.id))
    count += 1
    defer { tidy() }
    return count > Self.capacity ? giveUpOldest() : nil
  }

  /// A loop is over, and with it all its entries.
  public mutating func end(_ loop: LoopID) {
    for site in sites[loop] ?? [] { count -= waiting.removeValue(forKey: site)?.count ?? 0 }
    sites[loop] = nil
    if count == 0 { (order, oldest) = ([], 0) }
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

  /// Keeps the order no longer than twice what waits.
  private mutating func tidy() {
    guard order.count > 2 * Self.capacity else { return }
    let waiting = waiting
    var last: [TimerID: Int] = [:]
    for place in oldest..<order.count { last[order[place].id] = place }
    order = (oldest..<order.count).filter { place in
      let (site, id) = order[place]
      return last[id] == place && waiting[site]?.contains { $0.record.id == id } == true
    }.map { order[$0] }
    oldest = 0
  }

  private mutating func forget(_ site: Site) {
    waiting[site] = nil
    guard let loop = site.loop else { return }
    sites[loop]?.remove(site)
    if sites[loop]?.isEmpty == true { sites[loop] = nil }
  }
}
