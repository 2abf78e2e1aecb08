import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import Synchronization

/// The terminal as a drawing surface. Its earlier content comes back at the end, whatever ends the program.
final class Screen {
  /// What the person or the system asks for.
  enum Input: Equatable {
    /// A key that is one byte: a letter, a space, Enter (10), Escape (27).
    case key(UInt8)
    /// The arrow keys.
    case up, down
    /// The screen's size has changed.
    case resized
    /// A signal or the lost terminal ends the view.
    case end
    /// Nothing happened during the wait.
    case nothing
  }

  private var before = termios()
  private var shown: [String] = []

  /// Set by signals, read between two waits. `init()` touches both, so that no signal handler initialises them.
  private static let hasEnded = Atomic<Bool>(false)
  private static let isResized = Atomic<Bool>(false)

  /// Takes over the terminal. Throws ``Failure`` where stdin or stdout is not a terminal.
  init() throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Failure(.badInput, "top needs a terminal; use --once to print one view")
    }
    Self.hasEnded.store(false, ordering: .relaxed)
    Self.isResized.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _ in Screen.hasEnded.store(true, ordering: .relaxed) } }
    signal(SIGWINCH) { _ in Screen.isResized.store(true, ordering: .relaxed) }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    // Switches to the alternate screen, hides the cursor and stops long lines from wrapping (xterm's control
    // sequences).
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
  }

  /// Restores the terminal. Call once, at the end.
  func restore() {
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  /// The number of columns and lines; 80 × 24 where the system does not say.
  var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws the lines that differ from the shown ones, or all if `anew`.
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

  /// Waits for a key or a signal, at most this many milliseconds.
  func wait(milliseconds: Int32) -> Input {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let ready = poll(&descriptor, 1, milliseconds)
    if Self.hasEnded.load(ordering: .relaxed) { return .end }
    if Self.isResized.exchange(false, ordering: .relaxed) { return .resized }
    guard ready > 0 else { return .nothing }
    var key: UInt8 = 0
    // A lost terminal always reads as empty.
    guard read(STDIN_FILENO, &key, 1) == 1 else { return .end }
    return key == Self.escape ? sequence() : .key(key)
  }

  /// The first byte of the sequences that arrow keys send, or the key Escape.
  static let escape: UInt8 = 27

  /// How long the rest of a sequence may take, in milliseconds, before its first byte is the key Escape: as curses has it
  /// for terminals nearby.
  private static let sequencePatience: Int32 = 25

  /// What a sequence stands for whose first byte was read: the rest of it comes at once, or nearly so.
  private func sequence() -> Input {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, Self.sequencePatience) > 0 else { return .key(Self.escape) }
    var rest = [UInt8](repeating: 0, count: 2)
    let count = read(STDIN_FILENO, &rest, rest.count)
    // `[` in the terminal's normal mode, `O` in its application mode.
    guard count == 2, [UInt8(ascii: "["), UInt8(ascii: "O")].contains(rest[0]) else { return .nothing }
    switch rest[1] {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    default: return .nothing
    }
  }

  private func write(_ text: String) { try? FileDescriptorOutput.write(text, to: STDOUT_FILENO) }
}
