/// Stacks as a tree, each told by the one below it and its last function: what every profile format is made of.
struct StackTable {
  /// A function at a place.
  struct Function: Hashable {
    var name: String
    var image: String?
    var file: String?
    var line: Int?
    var isSystem: Bool
    var isInlined: Bool
  }

  /// A stack.
  struct Stack: Hashable {
    /// The stack that called its last function; nil for a thread's first.
    var caller: Int?
    /// Its last function's place in the list.
    var function: Int
  }

  /// Every function once.
  private(set) var functions: [Function] = []
  /// Every stack once, behind its caller.
  private(set) var stacks: [Stack] = []
  private var functionPlaces: [Function: Int] = [:]
  private var stackPlaces: [Stack: Int] = [:]

  /// The place of a stack, which is given leaf first; nil for one without frames.
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

  /// The functions of the stack at `place`, the thread's first one first.
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
