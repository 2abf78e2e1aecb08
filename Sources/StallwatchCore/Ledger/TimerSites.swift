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
    /// When the last of them ended; 0 while it goes on.
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
  /// The order in which entries began to wait, oldest first; those that wait no more are passed over.
  private var order: [(site: Site, id: TimerID)] = []
  private var oldest = 0
  /// How many entries wait.
  public private(set) var count = 0
  /// The order is put right when it is longer than twice what waits, and this: so its length follows from what waits.
  private static let shortestOrder = 64
  /// How long the order is, for tests.
  var ordered: Int { order.count }

  /// No entries.
  public init() {}

  /// Whether an entry waits for a timer like this one.
  public func hasEntry(like record: TimerRecord) -> Bool { waiting[Site(record)] != nil }

  /// The entry of a timer that is handed on for the first time: one whose last timer had ended when this one was made.
  public mutating func take(_ record: TimerRecord) -> Entry {
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

  /// The timer of an entry has ended. Returns an entry that is given up for it, if one is.
  public mutating func give(_ entry: Entry, endedNs: Nanoseconds) -> TimerID? {
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

  /// A loop is over, and with it all its entries.
  public mutating func end(_ loop: LoopID) {
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

  /// Keeps the order about as long as what waits.
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
