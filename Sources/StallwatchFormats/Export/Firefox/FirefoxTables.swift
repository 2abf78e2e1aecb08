import StallwatchReport

/// The tables of a Firefox thread: texts, functions, frames and stacks, which refer to each other by index.
struct FirefoxTables {
  /// A function without its line.
  struct Function: Hashable {
    var name: Int
    var file: Int?
    /// The index of its library among the thread's resources; -1 for none.
    var resource: Int
  }

  /// A function at a line.
  package struct Frame: Hashable {
    package var function: Int
    package var line: Int?
    package var isSystem: Bool
  }

  private(set) var texts: [String] = []
  private(set) var functions: [Function] = []
  private(set) var frames: [Frame] = []
  /// Each stack's caller, or nil, and its last frame.
  private(set) var stacks: [(caller: Int?, frame: Int)] = []
  /// The libraries' indices in the file's list, with their names.
  private(set) var resources: [(library: Int, name: Int)] = []
  private var textPlaces: [String: Int] = [:]
  private var functionPlaces: [Function: Int] = [:]
  private var framePlaces: [Frame: Int] = [:]
  private var stackPlaces: [Int: Int] = [:]
  private var resourcePlaces: [Int: Int] = [:]
  private let table: StackTable
  private let libraries: [String: Int]

  /// Tables for the stacks of `table`, with the file's `libraries`.
  init(_ table: StackTable, libraries: [String]) {
    self.table = table
    self.libraries = Dictionary(uniqueKeysWithValues: libraries.enumerated().map { ($1, $0) })
  }

  /// The index of a text, which is added where it is new.
  mutating func text(_ text: String) -> Int {
    if let known = textPlaces[text] { return known }
    textPlaces[text] = texts.count
    texts.append(text)
    return texts.count - 1
  }

  /// The index here of the stack at index `place` in the common table.
  mutating func stack(_ place: Int) -> Int {
    // Callers first, because a stack must come after its caller.
    var missing: [Int] = []
    var next: Int? = place
    while let place = next, stackPlaces[place] == nil {
      missing.append(place)
      next = table.stacks[place].caller
    }
    for place in missing.reversed() {
      let stack = table.stacks[place]
      let frame = frame(table.functions[stack.function])
      stackPlaces[place] = stacks.count
      stacks.append((stack.caller.flatMap { stackPlaces[$0] }, frame))
    }
    return stackPlaces[place]!
  }

  private mutating func frame(_ source: StackTable.Function) -> Int {
    let function = Function(
      name: text(source.name), file: source.file.map { text($0) }, resource: source.image.map { resource($0) } ?? -1)
    if functionPlaces[function] == nil {
      functionPlaces[function] = functions.count
      functions.append(function)
    }
    let frame = Frame(function: functionPlaces[function]!, line: source.line, isSystem: source.isSystem)
    if let known = framePlaces[frame] { return known }
    framePlaces[frame] = frames.count
    frames.append(frame)
    return frames.count - 1
  }

  private mutating func resource(_ image: String) -> Int {
    guard let library = libraries[image] else { return -1 }
    if let known = resourcePlaces[library] { return known }
    resourcePlaces[library] = resources.count
    resources.append((library, text(image.split(separator: "/").last.map(String.init) ?? image)))
    return resources.count - 1
  }
}
