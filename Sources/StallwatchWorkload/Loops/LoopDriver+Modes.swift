import CoreFoundation
import Foundation

extension LoopDriver {
  /// Gives a mode a source that is never signalled, so that a run of it goes on while there is nothing to do; the first
  /// time only. That makes the mode.
  func prepare(_ mode: String) {
    guard preparedModes.insert(mode).inserted else { return }
    if mode == ModeName.tracking { CFRunLoopAddCommonMode(loop, modeName(mode)) }
    CallbackSource {}.add(to: loop, mode: modeName(mode))
  }

  /// CF's name of the mode that the loop runs in at this moment.
  var currentModeName: String {
    CFRunLoopCopyCurrentMode(loop).map { name(of: $0) } ?? ""
  }

  /// A mode's name as CF wants it.
  func modeName(_ name: String) -> CFRunLoopMode {
    switch name {
    case ModeName.standard: kCFRunLoopDefaultMode
    case ModeName.commonModes: kCFRunLoopCommonModes
    default: CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
    }
  }

  private func name(of mode: CFRunLoopMode) -> String {
    #if canImport(Darwin)
      mode.rawValue as String
    #else
      String(describing: mode)
    #endif
  }
}
