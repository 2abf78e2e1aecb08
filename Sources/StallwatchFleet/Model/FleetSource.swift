import StallwatchCore

/// Where a fleet's figures are: stores, or ClickHouse.
package protocol FleetSource {
  /// What the source is called in texts.
  var name: String { get }
  /// What there is to ask about.
  func known() throws -> FleetNames
  /// The sums over all instances of what passes the filter, which must name a service.
  func summary(_ filter: FleetFilter) throws -> FleetSummary
  /// The sums of each unit of what passes the filter; of causes only those with one of these signatures, unless it is
  /// nil.
  func sums(_ filter: FleetFilter, of signatures: Set<String>?) throws -> FleetSums
  /// Calls `body` for every stall with a signature that passes, in no order, without cancelled ones and without congestion.
  func forEachStall(_ filter: FleetFilter, _ body: @escaping (FleetStall) throws -> Void) throws
  /// The longest stalls of these signatures, longest first, of each instance one before a second.
  func examples(_ filter: FleetFilter, of signatures: Set<String>, limit: Int) throws -> [FleetStall]
  /// The stacks that were seen in stalls of these signatures, of all lanes.
  func stacks(_ filter: FleetFilter, of signatures: Set<String>) throws -> [FleetStack]
}

/// What there is in a fleet.
package struct FleetNames: Sendable, Equatable {
  /// Services with their releases, environments and lanes.
  package var services: [String: Service] = [:]
  /// The last hour of which something is known, counted from 1970.
  package var newest: UInt64 = 0

  package struct Service: Sendable, Equatable {
    package var releases: Set<String> = []
    package var environments: Set<String> = []
    package var lanes: Set<String> = []

    package init() {}
  }

  package init() {}
}

/// A stall of a fleet.
package struct FleetStall: Sendable, Equatable {
  package var unit: FleetUnit
  /// The session and the stall's number in it: together they name it in every copy of its store.
  package var session: UInt64
  package var number: UInt64
  package var lane: String
  /// The signature's key.
  package var signature: String
  /// Nanoseconds since 1970.
  package var started: UInt64
  package var duration: Nanoseconds
  /// The store that has it, where it was read of one.
  package var store: String?

  /// What `show` takes for it: the session in 16 hexadecimal digits, a colon, and the number.
  package var id: String {
    let digits = String(session, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + ":\(number)"
  }
}

/// A stack with the time that it stands for.
package struct FleetStack: Sendable, Equatable {
  /// The functions, root first.
  package var frames: [String]
  package var looks: UInt64
  package var weight: Nanoseconds
}

extension [FleetStall] {
  /// The longest, longest first, of each instance one before a second.
  static func examples(of stalls: some Sequence<FleetStall>, limit: Int) -> [FleetStall] {
    var turns: [String: Int] = [:]
    let longestFirst = { (one: FleetStall, other: FleetStall) in
      (other.duration, one.session, one.number) < (one.duration, other.session, other.number)
    }
    let ranked = stalls.sorted(by: longestFirst).map { stall in
      defer { turns[stall.unit.instance, default: 0] += 1 }
      return (turn: turns[stall.unit.instance] ?? 0, stall: stall)
    }
    return ranked.sorted { $0.turn != $1.turn ? $0.turn < $1.turn : longestFirst($0.stall, $1.stall) }
      .prefix(limit).map(\.stall)
  }
}
