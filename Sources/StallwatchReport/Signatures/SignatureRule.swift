import StallwatchSymbols

/// Groups stalls by what held their loop.
///
/// 1. Of each sampled stack, the part between the run loop's callout nearest the leaf and the leaf counts, without
///    frames of the system and of Swift's libraries (``SystemCode``) and without thunks. A function that calls itself
///    counts once. Allocation, locks and message waits are system frames: stalls stay apart that differ in the caller,
///    but not stalls that differ only in where the allocator stood.
/// 2. From the callout on, the rule follows the function that holds more than half of the sampled time, as long as
///    there is one. A helper that happened to run in a few samples changes nothing. Closures of a function on the path
///    do not count at its end: chance decides whether a loop's body or what runs the loop took more of the time.
/// 3. Of that path the innermost function of the program's own (``OwnCode``) counts: that is where its source can be changed.
///    Where the path shows none, the innermost function counts. How the loop came to call it does not, the callout included,
///    and neither does what others' code did below: one bug is one cause, however many callers it has.
/// 4. If the thread waited in one system call for more than half of the time on that path, the call counts too: writing
///    a file and computing what to write are two causes.
/// 5. Names count in the form that ``GroupingName`` gives them, so that two builds of one source group alike. A
///    function without a name counts as its image, build-id and offset.
/// 6. Where stacks were read for less than a tenth of the sampled time, what held the loop is unknown.
///
/// The key is the 64-bit FNV-1a hash of these texts, cut to 48 bits: among 10,000 signatures two share a key with a
/// probability of 1 in 5 million.
package enum SignatureRule {
  /// How many functions ``Signature/frames`` lists: what counts, and so many less one of its callers, to tell alike ones
  /// apart.
  static let reach = 6

  /// The part of a function's time that one which it called must have held to be nearly the cause: one in this many.
  private static let nearPart: UInt64 = 3

  /// The part of the sampled time for which stacks must have been read: one in this many.
  private static let smallestPart: UInt64 = 10

  /// What grouping finds.
  package typealias Cause = (signature: Signature, blame: Blame)

  /// The signature of a stall with these samples, and whom they blame; nil where too few stacks could be read.
  static func cause(of samples: [WeighedStack]) -> Cause? {
    var rest = samples.filter { !$0.stack.path.isEmpty }
    guard weight(rest) >= weight(samples) / smallestPart else { return nil }
    // Samples without weight count equally.
    if rest.allSatisfy({ $0.weight == 0 }) {
      for place in rest.indices { rest[place].weight = 1 }
    }
    guard !rest.isEmpty else { return nil }
    let half = weight(rest) / 2
    var path: [FoldedStack.Step] = []
    while let (step, holders) = heaviest(rest, at: path.count), weight(holders) > half {
      path.append(step)
      rest = holders
    }
    let next = heaviest(rest, at: path.count).flatMap { step, holders in
      step.isOwn && weight(holders) >= weight(rest) / nearPart ? (step, mainCall(holders)) : nil
    }
    while let closure = path.last, path.dropLast().contains(where: { $0.key == closure.enclosing }) {
      path.removeLast()
    }
    if let own = path.lastIndex(where: \.isOwn) { path.removeSubrange((own + 1)...) }
    let call = mainCall(rest)
    let near = next.map { key(of: $0, call: $1) }
    let name = path.last?.label ?? "many functions"
    let signature = Signature(
      key: key(of: path.last, call: call), title: call.map { "\(name) · \($0)" } ?? name,
      frames: path.suffix(reach).map(\.label),
      call: call, near: near)
    return (signature, Blame(path: path, call: call, samples: rest))
  }

  /// The callout with the most time in these samples; nil where no sample has one.
  static func callout(of samples: [WeighedStack]) -> Callout? {
    var weights: [Callout: UInt64] = [:]
    for sample in samples {
      guard let callout = sample.stack.callout else { continue }
      weights[callout] = weights[callout, default: 0].saturatingAdd(max(sample.weight, 1))
    }
    return Callout.allCases.filter { weights[$0] != nil }.max { weights[$0]! < weights[$1]! }
  }

  private static func heaviest(_ samples: [WeighedStack], at place: Int) -> (FoldedStack.Step, [WeighedStack])? {
    // Shortcut: most looks at a stall share most of their path.
    if let first = samples.first, first.stack.path.count > place {
      let step = first.stack.path[place]
      if samples.allSatisfy({ $0.stack.path.count > place && $0.stack.path[place].key == step.key }) {
        return (step, samples)
      }
    }
    var groups: [String: [WeighedStack]] = [:]
    for sample in samples where sample.stack.path.count > place {
      groups[sample.stack.path[place].key, default: []].append(sample)
    }
    guard let best = groups.max(by: { (weight($0.value), $1.key) < (weight($1.value), $0.key) }) else { return nil }
    return (best.value[0].stack.path[place], best.value)
  }

  private static func weight(_ samples: [WeighedStack]) -> UInt64 { samples.map(\.weight).saturatingSum() }

  private static func mainCall(_ samples: [WeighedStack]) -> String? {
    let half = weight(samples) / 2
    var weights: [String: UInt64] = [:]
    for sample in samples {
      guard let call = sample.call else { continue }
      weights[call] = weights[call, default: 0].saturatingAdd(sample.weight)
    }
    return weights.first { $0.value > half }?.key
  }

  private static func key(of step: FoldedStack.Step?, call: String?) -> String {
    key([step?.key ?? "", call.map { "· " + $0 } ?? ""])
  }

  private static func key(_ texts: [String]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in texts.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash >> 16, radix: 16)
    return String(repeating: "0", count: 12 - digits.count) + digits
  }
}

extension FoldedStack.Step {
  /// The key of the function that contains this closure; nil where this is not a closure.
  var enclosing: String? {
    let function = GroupingName.enclosing(key)
    return function == key ? nil : function
  }
}
