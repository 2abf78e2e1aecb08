#if os(Linux)
  import Foundation
  import Runtime
  import Testing

  /// The names of the functions of a stack, leaf first, inlined ones included. For tests alone: in a watched program nobody
  /// asks the loader.
  func functionNames(_ frames: [UInt64]) throws -> [String] { try #require(try functionNames(of: [frames]).first) }

  /// The same of many stacks at once: a name takes the loader milliseconds, and stacks have most of their frames in common.
  func functionNames(of stacks: [[UInt64]]) throws -> [[String]] {
    let leaves = Set(stacks.compactMap(\.first)).sorted()
    let callers = Set(stacks.flatMap { $0.dropFirst() }).sorted()
    // What a Backtrace is made of in its JSON form: the size of an address, program counters, return addresses, and a zero.
    var bytes: [UInt8] = [0x02]
    for (kind, addresses) in [(0x1f, leaves), (0x2f, callers)] as [(UInt8, [UInt64])] {
      for address in addresses {
        bytes.append(kind)
        bytes += withUnsafeBytes(of: address.bigEndian) { Array($0) }
      }
    }
    bytes.append(0)
    let images = Runtime.ImageMap.capture()
    let template = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Backtrace.capture(limit: 1)))
    var object = try #require(template as? [String: Any])
    object["backtrace"] = Data(bytes).base64EncodedString()
    let data = try JSONSerialization.data(withJSONObject: object)
    var backtrace = try JSONDecoder().decode(Backtrace.self, from: data)
    backtrace.images = images
    let symbolicated = try #require(backtrace.symbolicated(options: [.showInlineFrames, .useSymbolCache]))
    // What was inlined at an address comes before the function that is there.
    var names: [[String]] = [[]]
    for frame in symbolicated.frames {
      names[names.count - 1].append(frame.symbol?.name ?? "?")
      if !frame.inlined { names.append([]) }
    }
    names.removeLast()
    try #require(names.count == leaves.count + callers.count)
    let ofLeaf = Dictionary(uniqueKeysWithValues: zip(leaves, names))
    let ofCaller = Dictionary(uniqueKeysWithValues: zip(callers, names.dropFirst(leaves.count)))
    return stacks.map { stack in stack.prefix(1).flatMap { ofLeaf[$0]! } + stack.dropFirst().flatMap { ofCaller[$0]! } }
  }
#endif
