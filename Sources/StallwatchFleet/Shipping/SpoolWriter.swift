import StallwatchCore
import StallwatchStore

/// Puts rows into the spool in batches, together with the checkpoints that they complete.
final class SpoolWriter {
  /// Why a reading was broken off. A later one continues it.
  enum BreakOff: Error {
    /// The spool has no room for more.
    case full
    /// It is time to send what is there, and to let the store's writer have its log back.
    case pause
  }

  private let ledger: ShippingLedger
  private let configuration: ShippingConfiguration
  private let clock: any ShippingClock
  private var open: OpenBatches
  /// The checkpoints of sessions all of whose rows are in ``open`` or in the spool.
  private var reached: [ShippingCheckpoint] = []
  private var names: [Int64: UInt32] = [:]
  /// How many times the rows in memory went to the spool, or were dropped.
  private var flushes = 0
  /// When this reading has to end, and how much it may still put into the spool.
  private var (deadline, room): (Nanoseconds, Int) = (0, 0)

  init(_ ledger: ShippingLedger, _ configuration: ShippingConfiguration, _ clock: any ShippingClock) {
    (self.ledger, self.configuration, self.clock) = (ledger, configuration, clock)
    open = OpenBatches(configuration)
  }

  /// Begins a reading, which is bounded.
  func begin() {
    deadline = clock.now.saturatingAdd(configuration.readingTime)
    room = configuration.readingBytes
  }

  /// Whether the rows should be put into the spool now.
  var isDue: Bool { open.isDue }

  /// Takes a row of a session. Leaves out names that were sent lately.
  func add(_ row: any FleetRow, session: UInt64) throws {
    if let hash = Self.nameHash(row) {
      let now = UInt32(clamping: clock.wall / .second)
      let said = try names[hash] ?? ledger.saidName(hash: hash)
      if let said, said.addingReportingOverflow(configuration.nameLifetime).partialValue > now { return }
      names[hash] = now
    }
    open.add(row, session: session)
  }

  /// Notes that all rows of a session up to its checkpoint were taken.
  func reach(_ checkpoint: ShippingCheckpoint) { reached.append(checkpoint) }

  /// Puts the rows into the spool and moves the checkpoints, also that of a session whose reading goes on. Throws
  /// ``BreakOff``: then the rows are dropped, and the checkpoints stay where they are.
  func flush(reading checkpoint: ShippingCheckpoint? = nil) throws {
    let checkpoints = reached + (checkpoint.map { [$0] } ?? [])
    guard !open.isEmpty || !checkpoints.isEmpty else { return }
    let batches = open.packed(made: clock.wall)
    let size = batches.reduce(0) { $0 + $1.size }
    // An empty spool takes any batches: those larger than its limit would otherwise wait for ever.
    guard batches.isEmpty || ledger.spool.bytes + size <= configuration.spoolLimit || ledger.spool.bytes == 0 else {
      discard()
      throw BreakOff.full
    }
    let said = names.map { ($0.key, $0.value) }
    discard()
    try ledger.put(batches, moving: checkpoints, saying: said)
    room -= size
  }

  /// Throws ``BreakOff/pause`` where the reading should end for now.
  func checkPause() throws {
    if room <= 0 || clock.now >= deadline || clock.isStopped { throw BreakOff.pause }
  }

  /// The rows in memory at one moment.
  struct Mark {
    fileprivate var rows: OpenBatches.Mark
    fileprivate var reached: [ShippingCheckpoint]
    fileprivate var names: [Int64: UInt32]
    fileprivate var flushes: Int
  }

  /// The rows in memory now.
  var mark: Mark { Mark(rows: open.mark, reached: reached, names: names, flushes: flushes) }

  /// Drops the rows in memory that were added since the mark.
  func comeBack(to mark: Mark) {
    guard mark.flushes == flushes else { return discard() }
    open.comeBack(to: mark.rows)
    (reached, names) = (mark.reached, mark.names)
  }

  /// Drops the rows in memory.
  func discard() {
    open.removeAll()
    (reached, names) = ([], [:])
    flushes += 1
  }

  /// A hash of a row that holds names; nil for other rows.
  private static func nameHash(_ row: any FleetRow) -> Int64? {
    var encoder = RowEncoder()
    switch row {
    case var row as StackRow:
      row.version = 0
      row.encode(into: &encoder)
    case var row as SignatureRow:
      row.version = 0
      row.encode(into: &encoder)
    default: return nil
    }
    return Int64(bitPattern: StableHash.of(encoder.bytes))
  }
}
