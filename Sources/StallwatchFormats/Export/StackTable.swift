import StallwatchReport
import StallwatchSymbols

/// Stacks as a tree: each stack is its caller's stack plus one function, as profile formats store them.
struct StackTable {
  /// A function at a place in the source.
  struct Function: Hashable {
    var name: String
    var image: String?
    var file: String?
    var line: Int?
    var isSystem: Bool
    var isInlined: Bool
  }

  /// A caller's stack and the function that it called.
  struct Stack: Hashable {
    /// The index of the caller's stack; nil for a thread's first function.
    var caller: Int?
    /// The index of the last function in ``functions``.
    var function: Int
  }

  /// Every function, once.
  private(set) var functions: [Function] = []
  /// Every stack, once and behind its caller.
  private(set) var stacks: [Stack] = []
  private var functionPlaces: [Function: Int] = [:]
  private var stackPlaces: [Stack: Int] = [:]

  /// The index of a stack, given leaf first and added where it is new; nil for a stack without frames.
  mutating func place(of frames: [Frame]) -> Int? {
    var place: Int?
    for frame in frames.reversed() where !frame.isGlue {
      let function = Function(
        name: frame.label, image: frame.image, file: frame.location?.path, line: frame.location?.line,
        isSystem: frame.isSystem, isInlined: frame.isInlined)
      let stack = Stack(caller: place, function: self.place(of: function))
      if let known = stackPlaces[stack] {
        place = known
      } else {
        place = stacks.count
        stackPlaces[stack] = stacks.count
        stacks.append(stack)
      }
    }
    return place
  }

  /// The functions of the stack at `place`, the thread's first function first.
  func functions(ofStackAt place: Int?) -> [Int] {
    var functions: [Int] = []
    var next = place
    while let place = next {
      functions.append(stacks[place].function)
      next = stacks[place].caller
    }
    return functions.reversed()
  }

  private mutating func place(of function: Function) -> Int {
    if let known = functionPlaces[function] { return known }
    let place = functions.count
    functionPlaces[function] = place
    functions.append(function)
    return place
  }
}
