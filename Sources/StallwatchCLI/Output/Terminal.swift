import StallwatchFormats
import StallwatchLibc

/// What the environment says about the terminal behind a file descriptor.
enum Terminal {
  /// The style for text on `descriptor`: as wide as the terminal, with colour only on a terminal that supports it
  /// and never with NO_COLOR.
  static func style(for descriptor: Int32) -> TerminalStyle {
    var style = TerminalStyle()
    guard isatty(descriptor) == 1 else { return style }
    style.isColoured = value("NO_COLOR") == nil && value("TERM") != "dumb"
    if let columns = columns(of: descriptor) { style.width = max(narrowest, columns) }
    return style
  }

  /// The width that columns of figures need. On a narrower terminal lines wrap.
  private static let narrowest = 60

  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The value of an environment variable; nil where it is unset or empty.
  private static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
