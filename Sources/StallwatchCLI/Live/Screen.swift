import StallwatchReport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal as a screen to draw on: what was on it comes back at the end, however that comes.
final class Screen {
  /// What the person or the system asks for.
  enum Input: Equatable {
    /// A key.
    case key(UInt8)
    /// The screen has another size.
    case resized
    /// To end.
    case end
    /// Nothing, for as long as was waited.
    case nothing
  }

  private var before = termios()
  private var shown: [String] = []

  /// Set by signals, read between two waits. In memory from the start, so that a handler never makes it.
  private static let hasEnded = Atomic<Bool>(false)
  private static let isResized = Atomic<Bool>(false)

  /// Takes the terminal. Throws ``Failure`` where stdin or stdout is none.
  init() throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Failure(.badInput, "top needs a terminal; --once prints one view")
    }
    Self.hasEnded.store(false, ordering: .relaxed)
    Self.isResized.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _ in Screen.hasEnded.store(true, ordering: .relaxed) } }
    signal(SIGWINCH) { _ in Screen.isResized.store(true, ordering: .relaxed) }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    // The other screen, without cursor, and without a line that is too long going on in the next (xterm's control
    // sequences).
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
  }

  /// Gives the terminal back as it was. Call once, at the end.
  func restore() {
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  /// Columns and lines.
  var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws what differs from what is shown.
  func draw(_ lines: [String], anew: Bool) {
    if anew { shown = [] }
    guard anew || lines != shown else { return }
    var text = anew ? "\u{1B}[2J" : ""
    for (place, line) in lines.enumerated() where anew || place >= shown.count || shown[place] != line {
      text += "\u{1B}[\(place + 1);1H\(line)\u{1B}[K"
    }
    if lines.count < shown.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
    shown = lines
    write(text)
  }

  /// Waits for a key or a signal, so many milliseconds at most.
  func wait(milliseconds: Int32) -> Input {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let ready = poll(&descriptor, 1, milliseconds)
    if Self.hasEnded.load(ordering: .relaxed) { return .end }
    if Self.isResized.exchange(false, ordering: .relaxed) { return .resized }
    guard ready > 0 else { return .nothing }
    var key: UInt8 = 0
    // A terminal that has gone reads as nothing for ever.
    return read(STDIN_FILENO, &key, 1) == 1 ? .key(key) : .end
  }

  private func write(_ text: String) { try? FileDescriptorOutput.write(text, to: STDOUT_FILENO) }
}
