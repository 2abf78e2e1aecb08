import StallwatchCore

/// Turns the sampled addresses of one session into functions. Caches every answer, so that it looks up an address once,
/// however many stalls contain it. Not thread-safe.
///
/// Names come from the recording itself, where it has some, and from files. The one that says more counts; where both
/// say as much, it is the recording, which needs no file.
///
/// Reads the files itself instead of using the toolchain's `Runtime` module. That module runs every line table of a
/// file for every address, takes the nearest symbol before an address for its function, and ends the program on a
/// damaged file.
package final class Symbolicator {
  /// What the recording knows of the addresses of images with a build-id.
  package typealias Names = (_ buildID: String) -> ImageNames?
  /// Takes what a file said about an address, because the recording knew less.
  package typealias Finding = (_ buildID: String, _ offset: UInt64, ImageNames.Answer) -> Void

  private let images: ImageTable
  private let search: SymbolSearch
  private let names: Names
  private let found: Finding
  private var leaves: [UInt64: [Frame]] = [:]
  private var callers: [UInt64: [Frame]] = [:]
  private var functions: [String: NamedFunction] = [:]
  private var systemImages: [String: Bool] = [:]
  /// The images whose functions have no names, and why.
  package private(set) var obstacles: [ImageRecord: SymbolSearch.Obstacle] = [:]

  /// A symbolicator for a session with these images.
  package init(
    images: [ImageRecord], search: SymbolSearch, names: @escaping Names = { _ in nil },
    found: @escaping Finding = { _, _, _ in }
  ) {
    self.images = ImageTable(images)
    (self.search, self.names, self.found) = (search, names, found)
    search.see(images)
  }

  /// The functions of a stack, leaf first. An inlined function is a frame of its own.
  ///
  /// - Parameter addresses: like ``StackSample/frames``: where the thread stood, then return addresses.
  package func frames(_ addresses: [UInt64]) -> [Frame] {
    var frames: [Frame] = []
    frames.reserveCapacity(addresses.count * 2)
    for (place, address) in addresses.enumerated() {
      frames += place == 0 ? leaf(address) : caller(address)
    }
    return frames
  }

  private func leaf(_ address: UInt64) -> [Frame] {
    if let known = leaves[address] { return known }
    let frames = look(up: address, shown: address)
    leaves[address] = frames
    return frames
  }

  /// A return address may belong to the next function or line; the call is the instruction before it.
  private func caller(_ address: UInt64) -> [Frame] {
    if let known = callers[address] { return known }
    let frames = look(up: address == 0 ? 0 : address - 1, shown: address)
    callers[address] = frames
    return frames
  }

  private func look(up address: UInt64, shown: UInt64) -> [Frame] {
    if shown == StackSample.cutMark { return [.cut] }
    if shown == StackSample.unknownAwaiterMark { return [.unknownAwaiter] }
    guard let image = images[address] else { return [Frame(name: nil, image: nil, offset: shown)] }
    let isSystem = isSystem(image.path)
    let answer = answer(at: address &- image.base, of: image)
    if let answer, answer.calls.last?.function == nil, !isSystem, answer.wealth == .exports {
      obstacles[image] = .stripped
    }
    let unknown = Frame(
      name: nil, image: image.path, buildID: image.buildID, offset: shown &- image.base, isSystem: isSystem)
    guard let answer, !answer.calls.isEmpty else {
      var frame = unknown
      frame.isOwn = search.own.contains(
        frame, isOwnSource: OwnCode.isOwnSource(nil, hasLines: answer?.wealth == .lines))
      return [frame]
    }
    return answer.calls.enumerated().map { place, call in
      var frame = unknown
      frame.location = call.file.map { SourceLocation(path: $0, line: call.line) }
      frame.isInlined = place < answer.calls.count - 1
      if let function = call.function {
        frame.name = function.name
        frame.groupingName = GroupingName.of(function.name)
        frame.module = function.module
        frame.isThunk = function.isThunk
        frame.isSystem = isSystem || function.isSystem
      }
      frame.isOwn = search.own.contains(frame, isOwnSource: call.isOwnSource)
      search.see(frame)
      return frame
    }
  }

  /// What is known of an address: from the recording, or from a file where that says more. Nil where there is neither.
  private func answer(at offset: UInt64, of image: ImageRecord) -> ImageNames.Answer? {
    let buildID = image.buildID?.lowercased()
    let recorded = buildID.flatMap(names)?[offset]
    // Nothing says more.
    if let recorded, recorded.wealth == .lines { return recorded }
    let result = search.file(for: image)
    guard let file = result.file else {
      // The kernel's own pages ([vdso]) are not a file, so nobody looks for one.
      if recorded == nil, let obstacle = result.obstacle, !image.path.hasPrefix("[") { obstacles[image] = obstacle }
      return recorded
    }
    if let recorded, recorded.wealth >= file.wealth { return recorded }
    let hasLines = file.wealth == .lines
    let calls = file.calls(at: offset).map { call in
      NamedCall(
        function: call.rawName.map(function), file: call.location?.path, line: call.location?.line,
        isOwnSource: OwnCode.isOwnSource(call.declared, hasLines: hasLines))
    }
    let answer = ImageNames.Answer(wealth: file.wealth, calls: calls)
    if let buildID { found(buildID, offset, answer) }
    return answer
  }

  private func function(_ rawName: String) -> NamedFunction {
    if let known = functions[rawName] { return known }
    let (name, isThunk) = Demangling.readable(rawName)
    let function = NamedFunction(
      name: name, module: SystemCode.module(rawName: rawName), isSystem: SystemCode.isSystem(rawName: rawName),
      isThunk: isThunk)
    functions[rawName] = function
    return function
  }

  private func isSystem(_ path: String) -> Bool {
    if let known = systemImages[path] { return known }
    let answer = SystemCode.isSystem(image: path)
    systemImages[path] = answer
    return answer
  }
}
