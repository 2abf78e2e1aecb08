/// Finds the functions that await a running asynchronous function: in its own task by the contexts that lead from each to
/// its caller's, then in the task that awaits this one, and so on. A context begins with two words: the caller's context, and
/// the function by which the caller goes on.
///
/// Nothing is believed of what is read: it may have changed meanwhile, or never have been a context.
struct AwaitingFunctions {
  /// What was found.
  struct Chain: Equatable {
    /// The first addresses of the functions that will go on, innermost first.
    var functions: [UInt64] = []
    /// Whether they are all: the last is awaited by nobody.
    var isWhole = false
  }

  let layout: TaskLayout
  /// The word at an address; nil where it cannot be read.
  let word: (UInt64) -> UInt64?
  /// Whether a function of some image begins at an address.
  let isFunction: (UInt64) -> Bool

  /// The most contexts that are followed.
  static let mostContexts = 64
  /// How far before a task's outermost context the task begins at most, in bytes. The task's result lies in between.
  private static let farthestTask: UInt64 = 1_024
  /// A context or a task lies at a multiple of this.
  private static let alignment: UInt64 = 16

  /// The functions that await the one with this context.
  func find(from context: UInt64) -> Chain {
    var chain = Chain()
    var seen: [UInt64] = []
    var context = context
    while context != 0, context % Self.alignment == 0, seen.count < Self.mostContexts, !seen.contains(context) {
      seen.append(context)
      guard let caller = word(context), let function = word(context &+ 8), isFunction(function) else { return chain }
      if caller != 0 {
        chain.functions.append(function)
        context = caller
      } else {
        // The outermost function returns to the runtime.
        guard layout.code.contains(function) else { return chain }
        guard let waiting = task(around: context).flatMap(awaiter) else {
          chain.isWhole = true
          return chain
        }
        // It waits in a function of the runtime's.
        guard let resume = word(waiting &+ TaskLayout.resume), layout.code.contains(resume),
          let next = word(waiting &+ TaskLayout.resumeContext)
        else { return chain }
        context = next
      }
    }
    return chain
  }

  /// The task with this outermost context, which is made together with it; nil where it is not found.
  private func task(around context: UInt64) -> UInt64? {
    stride(from: layout.taskSize / Self.alignment * Self.alignment, through: Self.farthestTask, by: Int(Self.alignment))
      .lazy.map { context &- $0 }.first(where: isTask)
  }

  private func isTask(_ address: UInt64) -> Bool {
    address % Self.alignment == 0 && word(address) == layout.metadata && flags(of: address)?.isTask == true
  }

  private func flags(of task: UInt64) -> TaskFlags? {
    word(task &+ TaskLayout.flags).map { TaskFlags(rawValue: UInt32(truncatingIfNeeded: $0)) }
  }

  /// A task that waits for this one's result, or for one from its group; nil where none does.
  private func awaiter(of task: UInt64) -> UInt64? {
    guard let flags = flags(of: task) else { return nil }
    var part = task &+ layout.taskSize
    var parent: UInt64?
    if flags.contains(.child) {
      parent = word(part)
      part &+= 16
    }
    if flags.contains(.groupChild) {
      guard let parent, isTask(parent), let group = word(part), isAwaited(group, by: parent) else { return nil }
      return parent
    }
    // The last that came, above the result's state: 0 while there is none.
    guard flags.contains(.future), let waiting = word(part), waiting != 0, waiting & 3 == 0, isTask(waiting) else {
      return nil
    }
    return waiting
  }

  /// Whether a task waits for the next result of a group: only then does the group name it.
  private func isAwaited(_ group: UInt64, by task: UInt64) -> Bool {
    (0..<Self.groupWords).contains { word(group &+ $0 * 8) == task }
  }

  /// The size of a group in words (NumWords_TaskGroup in swift/ABI/MetadataValues.h).
  private static let groupWords: UInt64 = 32
}

/// What a job says of itself (JobFlags in swift/ABI/MetadataValues.h).
private struct TaskFlags: OptionSet {
  let rawValue: UInt32
  static let child = TaskFlags(rawValue: 1 << 24)
  static let future = TaskFlags(rawValue: 1 << 25)
  static let groupChild = TaskFlags(rawValue: 1 << 26)
  /// Whether the job is a task.
  var isTask: Bool { rawValue & 0xff == 0 }
}
