import StallwatchSymbols

/// A stack as grouping sees it: what the run loop called, and the program's own functions from there to the leaf.
package struct FoldedStack: Sendable, Equatable {
  /// One function on the path.
  package struct Step: Sendable, Hashable {
    /// Its name for grouping. A function without a name has its image, build-id and offset.
    package var key: String
    /// Its name for people.
    package var label: String
    /// Its module; without one, the executable or library that contains it.
    package var module: String?
    /// Whether it is the program's own code (``OwnCode``).
    package var isOwn = false
    /// Where it stood, or called the next one; nil where that is unknown.
    package var location: SourceLocation?
  }

  /// The callout nearest the leaf; nil where the stack has none.
  package var callout: Callout?
  /// The functions below the callout that are not the system's, outermost first. Where there are none, the first function
  /// called.
  package var path: [Step]
  /// What the innermost own function called of others' code; nil where it stood in its own.
  package var called: Frame?
  /// The function in which the thread stood.
  package var leaf: Frame?

  /// Folds a stack, leaf first.
  init(_ frames: [Frame]) {
    let inside: ArraySlice<Frame>
    (callout, inside) = Self.inside(frames)
    leaf = frames.first
    var path: [Step] = []
    for frame in inside.reversed() where !frame.isSystem && !frame.isGlue {
      let step = Step(frame)
      // Functions that call themselves or each other count once, however deep the recursion is at the moment.
      if let earlier = path.firstIndex(where: { $0.key == step.key }) { path.removeSubrange(earlier...) }
      path.append(step)
    }
    let called = inside.last == .cut ? inside.dropLast() : inside
    if path.isEmpty, let first = called.last(where: { !$0.isGlue }) ?? called.last { path = [Step(first)] }
    self.path = path
    if let own = inside.firstIndex(where: { $0.isOwn && !$0.isGlue }) {
      self.called = inside[..<own].last { !$0.isGlue }
    }
  }

  /// The callout nearest the leaf, and the frames below it; without a callout, those below the item that is served, the
  /// run loop or Dispatch, or all. A run loop that an item runs belongs to the item.
  package static func inside(_ frames: [Frame]) -> (callout: Callout?, frames: ArraySlice<Frame>) {
    var item: Int?
    for (place, frame) in frames.enumerated() {
      guard let name = frame.name else { continue }
      if let callout = Callout(functionName: name) { return (callout, frames[..<(item ?? place)]) }
      if loopFunctions.contains(name) {
        return (nil, frames[..<(item ?? self.item(beyond: place, in: frames) ?? place)])
      }
      if item == nil, name.hasPrefix(itemPrefix) { item = place }
    }
    return (nil, frames[..<(item ?? frames.count)])
  }

  /// The item that runs the loop at a place; nil where a callout does, or the thread itself.
  private static func item(beyond place: Int, in frames: [Frame]) -> Int? {
    let next = frames[place...].firstIndex { frame in
      frame.name.map { $0.hasPrefix(itemPrefix) || Callout(functionName: $0) != nil } ?? false
    }
    return next.flatMap { frames[$0].name?.hasPrefix(itemPrefix) == true ? $0 : nil }
  }

  /// The names of the hooks' functions by which Dispatch, also from a run loop's callout, serves an item begin so.
  private static let itemPrefix = "stallwatch_serve_"
  private static let loopFunctions: Set = [
    "__CFRunLoopRun", "CFRunLoopRunSpecific", "CFRunLoopRunSpecificWithOptions", "CFRunLoopRunInMode", "CFRunLoopRun",
    "__CFRunLoopDoObservers", "__CFRunLoopDoBlocks", "__CFRunLoopDoSources0", "__CFRunLoopDoSource1",
    "__CFRunLoopDoTimer", "__CFRunLoopDoTimers",
  ]
}

extension FoldedStack.Step {
  /// The step for a frame.
  init(_ frame: Frame) {
    module = frame.module ?? frame.image
    (isOwn, location) = (frame.isOwn, frame.location)
    if let name = frame.groupingName {
      (key, label) = (name, name)
    } else {
      let hex = "0x" + String(frame.offset, radix: 16)
      (key, label) = ("\(frame.imageName ?? "") \(frame.buildID ?? "") \(hex)", frame.label)
    }
  }
}

extension Frame {
  /// Whether it is code that nobody wrote: the compiler put it between two functions or moved it out of one, or the
  /// hooks put it between the run loop and a timer's callout, or between Dispatch and what `sync` runs.
  package var isGlue: Bool {
    isThunk || name?.hasPrefix("stallwatch_timer_") == true || name?.hasPrefix("stallwatch_take_") == true
      || name?.hasPrefix("outlined ") == true
      || name?.hasPrefix("partial apply for ") == true
      || name?.hasPrefix("reabstraction thunk ") == true || name?.hasPrefix("thunk for ") == true
  }
}
