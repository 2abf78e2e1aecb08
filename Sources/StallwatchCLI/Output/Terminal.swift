import StallwatchReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the environment says about the terminal behind a file descriptor.
enum Terminal {
  /// The style for text that goes to `descriptor`: colour only on a terminal that has some and never with NO_COLOR, and
  /// no wider than the terminal.
  static func style(for descriptor: Int32) -> TerminalStyle {
    var style = TerminalStyle()
    guard isatty(descriptor) == 1 else { return style }
    style.isColoured = value("NO_COLOR") == nil && value("TERM") != "dumb"
    if let columns = columns(of: descriptor) { style.width = min(style.width, max(narrowest, columns)) }
    return style
  }

  /// The columns of figures need so many; on a narrower terminal lines wrap.
  private static let narrowest = 80

  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// An environment variable that is set and not empty.
  private static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
