import StallwatchCore

/// Turns the sampled addresses of one session into functions. Caches every answer, so that it looks up an address once,
/// however many stalls contain it. Not thread-safe.
///
/// Reads the files itself instead of using the toolchain's `Runtime` module. That module runs every line table of a
/// file for every address, takes the nearest symbol before an address for its function, and ends the program on a
/// damaged file.
package final class Symbolicator {
  private let images: ImageTable
  private let search: SymbolSearch
  private var leaves: [UInt64: [Frame]] = [:]
  private var callers: [UInt64: [Frame]] = [:]
  private var functions: [String: Function] = [:]
  private var systemImages: [String: Bool] = [:]
  /// The images whose functions have no names, and why.
  package private(set) var obstacles: [ImageRecord: SymbolSearch.Obstacle] = [:]

  private struct Function {
    var name: String
    var groupingName: String
    var module: String?
    var isThunk: Bool
    var isSystem: Bool
  }

  /// A symbolicator for a session with these images.
  package init(images: [ImageRecord], search: SymbolSearch) {
    self.images = ImageTable(images)
    self.search = search
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
    let found = search.file(for: image)
    let calls = found.file?.calls(at: address &- image.base) ?? []
    // The kernel's own pages ([vdso]) are not a file, so nobody looks for one.
    let isFile = !image.path.hasPrefix("[")
    if let obstacle = found.obstacle, isFile {
      obstacles[image] = obstacle
    } else if calls.last?.rawName == nil, !isSystem, found.file?.wealth == .exports {
      obstacles[image] = .stripped
    }
    let unknown = Frame(
      name: nil, image: image.path, buildID: image.buildID, offset: shown &- image.base, isSystem: isSystem)
    let hasLines = found.file?.wealth == .lines
    guard !calls.isEmpty else {
      var frame = unknown
      frame.isOwn = search.own.contains(frame, declared: nil, hasLines: hasLines)
      return [frame]
    }
    return calls.enumerated().map { place, call in
      var frame = unknown
      frame.location = call.location
      frame.isInlined = place < calls.count - 1
      if let function = call.rawName.map(function) {
        frame.name = function.name
        frame.groupingName = function.groupingName
        frame.module = function.module
        frame.isThunk = function.isThunk
        frame.isSystem = isSystem || function.isSystem
      }
      frame.isOwn = search.own.contains(frame, declared: call.declared, hasLines: hasLines)
      search.see(frame)
      return frame
    }
  }

  private func function(_ rawName: String) -> Function {
    if let known = functions[rawName] { return known }
    let (name, isThunk) = Demangling.readable(rawName)
    let function = Function(
      name: name, groupingName: GroupingName.of(name), module: SystemCode.module(rawName: rawName), isThunk: isThunk,
      isSystem: SystemCode.isSystem(rawName: rawName))
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
