import StallwatchCore
import StallwatchReport

/// An event of Chrome's trace format.
enum PerfettoEvent {
  /// The things that an event can name.
  enum Named: String {
    case process = "process_name"
    case thread = "thread_name"
  }

  /// Names a process or thread.
  case name(Named, String)
  /// Labels of a process, which viewers show behind its name.
  case labels([String])
  /// A thread's position among the others.
  case order(Int)
  /// An event with a duration.
  case slice(String, category: String, from: Nanoseconds, to: Nanoseconds, arguments: [(String, String)])
  /// An event at one moment.
  case moment(String, at: Nanoseconds)
  /// A counter's value from a moment on; a process has one counter of a name.
  case counter(String, at: Nanoseconds, value: Double)
  /// The begin (`b`) or end (`e`) of an event that may overlap with others.
  case bound(String, phase: String, at: Nanoseconds, number: Int)
}

extension JSONWriter {
  /// An event on one line.
  mutating func event(_ event: PerfettoEvent, process: Int64, thread: UInt64) throws {
    try object(inline: true) { writer in
      switch event {
      case .name(let named, let name):
        try writer.field("ph", "M")
        try writer.field("name", named.rawValue)
        try writer.arguments([("name", name)])
      case .labels(let labels):
        try writer.field("ph", "M")
        try writer.field("name", "process_labels")
        try writer.arguments([("labels", labels.joined(separator: ","))])
      case .order(let place):
        try writer.field("ph", "M")
        try writer.field("name", "thread_sort_index")
        try writer.key("args")
        try writer.object(inline: true) { try $0.field("sort_index", place) }
      case .slice(let name, let category, let start, let end, let arguments):
        try writer.field("ph", "X")
        try writer.field("name", name)
        try writer.field("cat", category)
        try writer.field("ts", Self.microseconds(start))
        try writer.field("dur", Self.microseconds(end.since(start)))
        if !arguments.isEmpty { try writer.arguments(arguments) }
      case .moment(let name, let at):
        try writer.field("ph", "i")
        try writer.field("s", "t")
        try writer.field("name", name)
        try writer.field("ts", Self.microseconds(at))
      case .counter(let name, let at, let value):
        try writer.field("ph", "C")
        try writer.field("name", name)
        try writer.field("ts", Self.microseconds(at))
        try writer.key("args")
        try writer.object(inline: true) { try $0.field("value", value) }
      case .bound(let name, let phase, let at, let number):
        try writer.field("ph", phase)
        try writer.field("cat", "monitor")
        try writer.field("id", number)
        try writer.field("name", name)
        try writer.field("ts", Self.microseconds(at))
      }
      try writer.field("pid", process)
      try writer.field("tid", thread)
    }
  }

  private mutating func arguments(_ arguments: [(String, String)]) throws {
    try key("args")
    try object(inline: true) { for (name, value) in arguments { try $0.field(name, value) } }
  }

  private static func microseconds(_ time: Nanoseconds) -> Double { Double(time) / Double(Nanoseconds.microsecond) }
}
