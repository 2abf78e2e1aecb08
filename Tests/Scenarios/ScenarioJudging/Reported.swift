/// What the judge reads of `stallwatch report STORE --format json`.
struct ReportedLoops: Decodable {
  struct Session: Decodable {
    var ended: String
  }

  struct Loop: Decodable {
    var name: String
    var threadID: UInt64
    var modes: [Mode]

    enum CodingKeys: String, CodingKey {
      case name, modes
      case threadID = "thread_id"
    }
  }

  struct Mode: Decodable {
    var name: String
    var entries: Int
    var starvedNs: UInt64?

    enum CodingKeys: String, CodingKey {
      case name, entries
      case starvedNs = "starved_ns"
    }
  }

  struct Health: Decodable {
    var losses: [String: UInt64]
    var blindNs: UInt64

    enum CodingKeys: String, CodingKey {
      case losses
      case blindNs = "blind_ns"
    }
  }

  var sessions: [Session]
  var loops: [Loop]
  var health: Health
}

/// What the judge reads of `stallwatch stalls STORE --format json`.
struct ReportedStalls: Decodable {
  /// What the looks at a stall found; a disagreement prints it, nothing is judged by it.
  struct Cause: Decodable {
    var running: Double?
    var blocked: Double?
    var starved: Double?
  }

  struct Block: Decodable {
    var systemCall: String?
    var target: String?

    enum CodingKeys: String, CodingKey {
      case target
      case systemCall = "system_call"
    }
  }

  struct Item: Decodable, CustomStringConvertible {
    var id: Int
    var threadID: UInt64
    var mode: String
    var phase: String?
    var depth: Int
    var kind: String
    var startedNs: UInt64
    var durationNs: UInt64?
    var state: String
    var callout: String?
    var cause: Cause?
    var blockedOn: Block?

    enum CodingKeys: String, CodingKey {
      case id, mode, phase, depth, kind, state, callout, cause
      case blockedOn = "blocked_on"
      case threadID = "thread_id"
      case startedNs = "started_ns"
      case durationNs = "duration_ns"
    }

    var description: String {
      "stall \(id): \((durationNs ?? 0) / 1_000) us on thread \(threadID), \(mode), depth \(depth), phase "
        + "\(phase ?? "unknown"), \(state), from \(startedNs), callout \(callout ?? "unknown"), running "
        + "\(cause?.running ?? 0), blocked \(cause?.blocked ?? 0) on \(blockedOn?.systemCall ?? "nothing known") of "
        + "\(blockedOn?.target ?? "nothing known"), starved \(cause?.starved ?? 0)"
    }
  }

  var items: [Item]
}
