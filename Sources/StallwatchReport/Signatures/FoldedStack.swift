/// A stack as grouping sees it: what the run loop called, and the program's own functions from there to the leaf.
struct FoldedStack: Sendable, Equatable {
  /// A function.
  struct Step: Sendable, Hashable {
    /// Its name for grouping; for a function without a name the image, its build-id and the offset in it.
    var key: String
    /// Its name for people.
    var label: String
    /// The module that it belongs to; where it has none, the executable or library that it lies in.
    var module: String?
  }

  /// What CF was calling, by the callout nearest the leaf; nil where no such function is on the stack.
  var callout: Callout?
  /// The program's own functions below the callout, the callout's first. Where there are none, the first function that was
  /// called at all.
  var path: [Step]
  /// Where the thread stood.
  var leaf: Frame?

  /// Folds a stack, leaf first.
  init(_ frames: [Frame]) {
    let inside: ArraySlice<Frame>
    (callout, inside) = Self.inside(frames)
    leaf = frames.first
    var path: [Step] = []
    for frame in inside.reversed() where !frame.isSystem && !frame.isGlue {
      let step = Step(frame)
      // A function that calls itself counts once, however deep it is at the moment.
      if path.last?.key != step.key { path.append(step) }
    }
    let called = inside.last == .cut ? inside.dropLast() : inside
    if path.isEmpty, let first = called.last(where: { !$0.isGlue }) ?? called.last { path = [Step(first)] }
    self.path = path
  }

  /// The frames below the callout nearest the leaf, and which that is; without one, those below the run loop, or all.
  static func inside(_ frames: [Frame]) -> (callout: Callout?, frames: ArraySlice<Frame>) {
    for (place, frame) in frames.enumerated() {
      guard let name = frame.name else { continue }
      if let callout = Callout(functionName: name) { return (callout, frames[..<place]) }
      if loopFunctions.contains(name) { return (nil, frames[..<place]) }
    }
    return (nil, frames[...])
  }

  private static let loopFunctions: Set = [
    "__CFRunLoopRun", "CFRunLoopRunSpecific", "CFRunLoopRunSpecificWithOptions", "CFRunLoopRunInMode", "CFRunLoopRun",
    "__CFRunLoopDoObservers", "__CFRunLoopDoBlocks", "__CFRunLoopDoSources0", "__CFRunLoopDoSource1",
    "__CFRunLoopDoTimer", "__CFRunLoopDoTimers",
  ]
}

extension FoldedStack.Step {
  /// The step of a frame.
  init(_ frame: Frame) {
    module = frame.module ?? frame.image
    if let name = frame.groupingName {
      (key, label) = (name, name)
    } else {
      let hex = "0x" + String(frame.offset, radix: 16)
      (key, label) = ("\(frame.imageName ?? "") \(frame.buildID ?? "") \(hex)", frame.label)
    }
  }
}

extension Frame {
  /// Whether it is code that nobody wrote, which the compiler put between two functions or moved out of one; or the hooks',
  /// which stand between the run loop and a timer's callout.
  var isGlue: Bool {
    isThunk || name?.hasPrefix("stallwatch_timer_") == true || name?.hasPrefix("outlined ") == true
      || name?.hasPrefix("partial apply for ") == true
      || name?.hasPrefix("reabstraction thunk ") == true
  }
}
