import StallwatchCore

/// What a held thread did while it was watched: runs of looks that found the same.
package struct StackRuns: Sendable {
  /// Looks that found the same stack and the same activity.
  package struct Run: Sendable, Equatable {
    /// The stack's node in the page's ``PageStacks``.
    package var stack: Int
    package var activity: ThreadActivity
    /// The watched time that the looks stand for.
    package var weight: Nanoseconds
  }

  package private(set) var runs: [Run] = []
  /// Whether the runs are in the order of time. Where there were too many, looks at one stack are one run.
  package private(set) var isInOrder = true
  /// The time of runs that lost their innermost functions.
  package private(set) var cut: Nanoseconds = 0

  /// None.
  init() {}

  /// Adds the next look.
  mutating func add(_ look: Run, isWhole: Bool) {
    if !isWhole { cut = cut.saturatingAdd(look.weight) }
    if let last = runs.last, last.stack == look.stack, last.activity == look.activity {
      runs[runs.count - 1].weight = last.weight.saturatingAdd(look.weight)
    } else {
      runs.append(look)
    }
  }

  /// Brings the runs to at most `limit`, which is at least 1, besides those without a stack: first their order goes,
  /// then the innermost functions of the lightest. Their time stays.
  mutating func limit(to limit: Int, in table: PageStacks) {
    guard runs.count > limit else { return }
    isInOrder = false
    var merged: [Run] = []
    for run in runs { Self.add(run, to: &merged) }
    let unread = merged.filter { $0.stack == PageStacks.none }
    merged.removeAll { $0.stack == PageStacks.none }
    merged.sort { ($1.weight, $0.stack) < ($0.weight, $1.stack) }
    while merged.count > limit, let lightest = merged.popLast() {
      // Into the run that has most of its callers.
      let shared = merged.indices.map { table.common(merged[$0].stack, lightest.stack) }
      guard let place = shared.indices.max(by: { (shared[$0], $1) < (shared[$1], $0) }) else { break }
      var whole = merged.remove(at: place)
      if lightest.stack != shared[place] { cut = cut.saturatingAdd(lightest.weight) }
      if whole.stack != shared[place] { cut = cut.saturatingAdd(whole.weight) }
      whole.stack = shared[place]
      whole.weight = whole.weight.saturatingAdd(lightest.weight)
      Self.add(whole, to: &merged)
    }
    runs = merged + unread
  }

  private static func add(_ run: Run, to runs: inout [Run]) {
    if let known = runs.firstIndex(where: { $0.stack == run.stack && $0.activity == run.activity }) {
      runs[known].weight = runs[known].weight.saturatingAdd(run.weight)
    } else {
      runs.append(run)
    }
  }
}
