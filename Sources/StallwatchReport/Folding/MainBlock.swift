import StallwatchCore

/// What a stall's thread was blocked on for the most time.
struct MainBlock {
  /// The system call and what was behind it, with a lock's owner where one was ever seen.
  var blockedOn: BlockedOn
  /// For how long.
  var time: Nanoseconds

  private struct Place: Hashable {
    var systemCall: String
    var target: String?
    var order: String { "\(systemCall) \(target ?? "")" }
  }

  /// Less than one in so many is no answer to what a thread was blocked on.
  private static let smallestPart: Nanoseconds = 10

  /// From a stall's samples; nil where they were blocked on nothing known, or for less than a tenth of their time.
  init?(_ samples: [StackSample]) {
    var times: [Place: Nanoseconds] = [:]
    var owners: [Place: [LockOwner: Nanoseconds]] = [:]
    for sample in samples {
      guard let blockedOn = sample.blockedOn else { continue }
      let place = Place(systemCall: blockedOn.systemCall, target: blockedOn.target)
      times[place] = times[place, default: 0].saturatingAdd(sample.weight)
      guard let owner = blockedOn.owner else { continue }
      owners[place, default: [:]][owner] = (owners[place]?[owner] ?? 0).saturatingAdd(sample.weight)
    }
    guard let (place, time) = times.max(by: { ($0.value, $1.key.order) < ($1.value, $0.key.order) }),
      time >= samples.map(\.weight).saturatingSum() / Self.smallestPart
    else { return nil }
    let owner = owners[place]?.max { ($0.value, $1.key.threadID) < ($1.value, $0.key.threadID) }?.key
    blockedOn = BlockedOn(systemCall: place.systemCall, target: place.target, owner: owner)
    self.time = time
  }
}
