import StallwatchCore
import StallwatchStore

/// Where the busy time of a profiled loop went: its stacks in the page's ``PageStacks``.
package struct PageProfile: Sendable {
  /// The profile as in every report.
  package var profile: LoopProfile
  /// The time by stack.
  package var stacks: [(node: Int, weight: Nanoseconds)]
  /// The time of stacks that lost their innermost functions.
  package var cut: Nanoseconds = 0
  /// The time of the lightest stacks, where there are too many.
  package var leftOut: Nanoseconds = 0
}
