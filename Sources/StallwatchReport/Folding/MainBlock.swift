import StallwatchCore

/// What a stall's thread was blocked on longest.
struct MainBlock {
  /// The system call and its target, with the lock's owner where a sample saw one.
  var blockedOn: BlockedOn
  /// How long the thread was blocked on it.
  var time: Nanoseconds

  private struct Place: Hashable {
    var systemCall: String
    var target: String?
    var order: String { "\(systemCall) \(target ?? "")" }
  }

  /// The smallest part of the sampled time that counts: one in this many.
  private static let smallestPart: Nanoseconds = 10

  /// Folds a stall's samples; nil where none was blocked on anything known, or for less than a tenth of their time.
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
