#if os(Linux)
  import Foundation
  import Runtime
  import Testing

  /// The names of the functions of a stack, leaf first, inlined ones included. For tests alone: in a watched program nobody
  /// asks the loader.
  func functionNames(_ frames: [UInt64]) throws -> [String] {
    // What a Backtrace is made of in its JSON form: the size of an address, the leaf's program counter, then return
    // addresses, and a zero.
    var bytes: [UInt8] = [0x02]
    for (index, address) in frames.enumerated() {
      bytes.append(index == 0 ? 0x1f : 0x2f)
      bytes += withUnsafeBytes(of: address.bigEndian) { Array($0) }
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
    return symbolicated.frames.map { $0.symbol?.name ?? "?" }
  }
#endif
