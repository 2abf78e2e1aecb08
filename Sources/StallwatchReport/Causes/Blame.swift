import StallwatchCore
import StallwatchSymbols

/// Whose fault stalls are: the function of the program's own in which they stood, what it did there, and who holds what it
/// waited for. ``CauseSentence`` says it in words.
package struct Blame: Sendable, Hashable {
  /// A function, and the line at which it stood.
  package struct Place: Sendable, Hashable {
    package var function: String
    package var location: SourceLocation?

    /// Sets every property as given.
    package init(function: String, location: SourceLocation?) {
      (self.function, self.location) = (function, location)
    }
  }

  /// The thread that held the lock.
  package struct Holder: Sendable, Hashable {
    /// The thread's name.
    package var thread: String
    /// Its innermost own function; nil where its stack shows none.
    package var place: Place?
  }

  /// The program's own innermost function that held more than half of the time; where the stacks show no own code, the
  /// innermost of others' code. Nil where no function held so much.
  package var own: Place?
  /// What that function called of others' code for more than half of its time; nil where it called nothing so long.
  package var called: String?
  /// What the thread did for most of the time.
  package var activity: ThreadActivity
  /// The system call in which the thread waited for more than half of the time; nil where it waited in none so long.
  package var call: String?
  /// The object behind that call, mostly.
  package var target: String?
  /// Who held what the thread waited for, mostly.
  package var holder: Holder?
}

extension Blame {
  /// The blame for samples in which this path held most of the time.
  /// - Parameter samples: those on the path, each with a weight above 0.
  init(path: [FoldedStack.Step], call: String?, samples: [WeighedStack]) {
    let step = path.last { $0.isOwn } ?? path.last
    let places = samples.compactMap { sample -> (SourceLocation, UInt64)? in
      guard let step, let place = sample.stack.innermost(in: step)?.location, place.line != nil else { return nil }
      return (place, sample.weight)
    }
    own = step.map { Place(function: $0.label, location: Self.heaviest(places) ?? $0.location) }
    let calls = samples.compactMap { sample -> (String, UInt64)? in
      guard let step, let called = sample.stack.called(by: step) else { return nil }
      return (called.groupingName ?? called.label, sample.weight)
    }
    called = Self.heaviest(calls, above: samples.map(\.weight).saturatingSum() / 2)
    activity = Self.heaviest(samples.map { ($0.activity, $0.weight) }) ?? .running
    self.call = call
    let waits = samples.filter { $0.call == call && call != nil }
    target = Self.heaviest(waits.compactMap { wait in wait.target.map { ($0, wait.weight) } })
    holder = Self.heaviest(waits.compactMap { wait in wait.holder.map { ($0, wait.weight) } })
  }

  /// The item with the most weight, if that is more than a limit.
  private static func heaviest<Item: Hashable>(_ items: [(Item, UInt64)], above limit: UInt64 = 0) -> Item? {
    if let first = items.first, items.allSatisfy({ $0.0 == first.0 }) {
      return items.map(\.1).saturatingSum() > limit ? first.0 : nil
    }
    var weights: [Item: UInt64] = [:]
    for (item, weight) in items { weights[item] = weights[item, default: 0].saturatingAdd(weight) }
    guard let best = weights.values.max(), best > limit else { return nil }
    return items.first { weights[$0.0] == best }?.0
  }
}

extension FoldedStack {
  /// The innermost step in a function or in one of its closures.
  fileprivate func innermost(in function: Step) -> Step? { path.last { $0.isPart(of: function) } }

  /// What a function called of others' code; nil where it called own code or nothing.
  fileprivate func called(by function: Step) -> Frame? {
    path.last { $0.isOwn }?.isPart(of: function) == true ? called : nil
  }

  /// The innermost own function, or without one the innermost of others' code; nil without a function.
  var innermostPlace: Blame.Place? {
    (path.last { $0.isOwn } ?? path.last).map { Blame.Place(function: $0.label, location: $0.location) }
  }
}

extension FoldedStack.Step {
  /// Whether it is the function or one of its closures.
  fileprivate func isPart(of function: FoldedStack.Step) -> Bool { key == function.key || enclosing == function.key }
}
