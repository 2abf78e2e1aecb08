import Dispatch
import Synchronization

/// Jobs of four kinds at once, as many of each as take about the same time; every round does the same ones, so that the
/// rounds of a program, watched or not, have one result.
final class Storm: Sendable {
  /// How many jobs of each kind were enqueued.
  struct Counts: Sendable {
    var serial = 0
    var concurrent = 0
    var tasks = 0
    var hops = 0

    var all: Int { serial + concurrent + tasks + hops }
  }

  private static let items = 2_000
  private static let tasks = 1_000
  /// Calls of each of two pairs of actors; one is a hop there and one back.
  private static let calls = 3_000

  private let serial = DispatchQueue(label: "storm.serial")
  private let concurrent = DispatchQueue(label: "storm.concurrent", attributes: .concurrent)
  /// The items beyond those of a round that wait at one time, in each of the rounds.
  private let burst: Int

  init(burst: Int) { self.burst = burst }

  /// Does the jobs of a round. Returns a number that depends on what each of them did.
  func round(_ counts: inout Counts) -> UInt64 {
    let group = DispatchGroup()
    let (queued, pooled, tasked) = (Sum(), Sum(), Sum())
    let hopped = [Sum(), Sum()]
    for sum in hopped { hop(group, sum) }
    if burst > 0 { serial.suspend() }
    for number in 1...Self.items {
      serial.async(group: group) { queued.append(number) }
      concurrent.async(group: group) { pooled.add(number) }
      if number <= Self.tasks { detach(group) { tasked.add(number) } }
    }
    if burst > 0 {
      for number in 1...burst { serial.async(group: group) { queued.append(number) } }
      serial.resume()
    }
    group.wait()
    counts.serial += Self.items + burst
    counts.concurrent += Self.items
    counts.tasks += Self.tasks + hopped.count
    counts.hops += hopped.count * 2 * Self.calls
    return ([queued, pooled, tasked] + hopped).reduce(0) { $0 &* 31 &+ $1.value }
  }

  private func hop(_ group: DispatchGroup, _ sum: Sum) {
    group.enter()
    Task.detached {
      let (one, other) = (Side(), Side())
      await one.turns(with: other, Self.calls)
      sum.add(await one.count)
      group.leave()
    }
  }

  private func detach(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    Task.detached {
      body()
      group.leave()
    }
  }
}

/// What jobs add to from any thread.
private final class Sum: Sendable {
  private let sum = Atomic<UInt64>(0)

  var value: UInt64 { sum.load(ordering: .acquiring) }

  func add(_ number: Int) { sum.wrappingAdd(UInt64(truncatingIfNeeded: number), ordering: .acquiringAndReleasing) }

  /// Adds so that the order tells, for jobs of which one begins after the other.
  func append(_ number: Int) {
    sum.store(sum.load(ordering: .relaxed) &* 31 &+ UInt64(truncatingIfNeeded: number), ordering: .releasing)
  }
}

private actor Side {
  private(set) var count = 0

  func turns(with other: Side, _ turns: Int) async {
    for _ in 0..<turns { count = count &* 31 &+ (await other.next(after: count)) }
  }

  func next(after ball: Int) -> Int {
    count &+= ball & 0xff &+ 1
    return count
  }
}
