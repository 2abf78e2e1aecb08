import CoreFoundation
import Foundation

extension LoopDriver {
  /// Adds a source to a mode on first use, which also makes the mode. The source is never signalled; it keeps a run of
  /// the mode going while there is nothing to do.
  func prepare(_ mode: String) {
    guard preparedModes.insert(mode).inserted else { return }
    if mode == ModeName.tracking { CFRunLoopAddCommonMode(loop, modeName(mode)) }
    CallbackSource {}.add(to: loop, mode: modeName(mode))
  }

  /// CF's name of the mode in which the loop runs now. Avoids bridging and descriptions, which would take tens of
  /// microseconds in a span that is about to be measured.
  var currentModeName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let mode = CFRunLoopCopyCurrentMode(loop),
        CFStringGetCString(mode.string, buffer.baseAddress, buffer.count, CFStringBuiltInEncodings.UTF8.rawValue)
      else { return "" }
      return String(cString: buffer.baseAddress!)
    }
  }

  /// A mode's name as a CF value.
  func modeName(_ name: String) -> CFRunLoopMode {
    if let known = modeNames[name] { return known }
    let mode: CFRunLoopMode =
      switch name {
      case ModeName.standard: kCFRunLoopDefaultMode
      case ModeName.commonModes: kCFRunLoopCommonModes
      default: CFRunLoopMode.make(name)
      }
    modeNames[name] = mode
    return mode
  }
}

extension CFRunLoopMode {
  #if canImport(Darwin)
    fileprivate var string: CFString { rawValue }
    fileprivate static func make(_ name: String) -> CFRunLoopMode { CFRunLoopMode(name as CFString) }
  #else
    fileprivate var string: CFString { self }
    fileprivate static func make(_ name: String) -> CFRunLoopMode {
      CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
    }
  #endif
}
