import StallwatchReport
import StallwatchSymbols

/// A profile in the format of pprof (github.com/google/pprof, proto/profile.proto), filled sample by sample. Samples of
/// one stack with the same labels are one.
struct PprofProfile {
  /// An image. Its addresses begin at 0, so that those of several processes are one.
  private struct Mapping: Hashable {
    var path: String
    var buildID: String
  }

  private struct Function: Hashable {
    var name: UInt64
    var file: UInt64
  }

  private struct Line: Hashable {
    var function: UInt64
    var line: UInt64
  }

  /// An address with the functions there, those that were inlined first.
  private struct Location: Hashable {
    var mapping: UInt64
    var address: UInt64
    var lines: [Line]
  }

  private struct Label: Hashable {
    var key: UInt64
    var text: UInt64
  }

  private struct Sample: Hashable {
    var locations: [UInt64]
    var labels: [Label]
  }

  /// Things with numbers from 1 on, in the order in which they came.
  private struct Table<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var numbers: [Element: UInt64] = [:]

    mutating func number(of element: Element) -> UInt64 {
      if let known = numbers[element] { return known }
      elements.append(element)
      numbers[element] = UInt64(elements.count)
      return UInt64(elements.count)
    }
  }

  private var texts = Table<String>()
  private var mappings = Table<Mapping>()
  private var functions = Table<Function>()
  private var locations = Table<Location>()
  private var samples = Table<Sample>()
  /// By the number of the sample.
  private var values: [UInt64: (count: UInt64, time: UInt64)] = [:]
  /// The last address of each mapping that was seen, and whether any function of it has a name, and a line.
  private var ends: [UInt64: UInt64] = [:]
  private var named: Set<UInt64> = []
  private var lined: Set<UInt64> = []

  /// Adds a stack, leaf first, that was seen `count` times and stands for `time`, in nanoseconds.
  mutating func add(_ frames: [Frame], count: UInt64, time: UInt64, labels: [(String, String?)]) {
    var stack: [UInt64] = []
    var inlined: [Frame] = []
    for frame in frames where !frame.isGlue {
      inlined.append(frame)
      guard !frame.isInlined else { continue }
      stack.append(location(of: inlined))
      inlined = []
    }
    if !inlined.isEmpty { stack.append(location(of: inlined)) }
    let labels = labels.compactMap { key, text in
      text.map { Label(key: number(ofText: key), text: number(ofText: DisplayText.harmless($0))) }
    }
    let sample = samples.number(of: Sample(locations: stack, labels: labels))
    let known = values[sample] ?? (0, 0)
    values[sample] = (known.count.saturatingAdd(count), known.time.saturatingAdd(time))
  }

  private mutating func location(of frames: [Frame]) -> UInt64 {
    let outer = frames[frames.count - 1]
    let mapping = outer.image.map { path in
      mappings.number(of: Mapping(path: path, buildID: outer.buildID ?? ""))
    }
    if let mapping {
      ends[mapping] = max(ends[mapping] ?? 0, outer.offset)
      if frames.contains(where: { $0.name != nil }) { named.insert(mapping) }
      if frames.contains(where: { $0.location?.line != nil }) { lined.insert(mapping) }
    }
    let lines = frames.map { frame in
      let function = Function(
        name: number(ofText: DisplayText.harmless(frame.label)),
        file: frame.location.map { number(ofText: DisplayText.harmless($0.path)) } ?? 0)
      return Line(function: functions.number(of: function), line: UInt64(max(frame.location?.line ?? 0, 0)))
    }
    return locations.number(of: Location(mapping: mapping ?? 0, address: outer.offset, lines: lines))
  }

  /// The number of a text in the table, whose first is the empty one.
  private mutating func number(ofText text: String) -> UInt64 { text.isEmpty ? 0 : texts.number(of: text) }

  /// The message. Times are in nanoseconds, `startedAt` since 1970-01-01 UTC.
  mutating func message(startedAt: UInt64, duration: UInt64) -> [UInt8] {
    let types = [("samples", "count"), ("time", "nanoseconds")].map { (number(ofText: $0), number(ofText: $1)) }
    let paths = mappings.elements.map { (number(ofText: DisplayText.harmless($0.path)), number(ofText: $0.buildID)) }
    var profile = ProtobufWriter()
    for (type, unit) in types {
      profile.message(field: 1) {
        $0.number(type, field: 1)
        $0.number(unit, field: 2)
      }
    }
    for (place, sample) in samples.elements.enumerated() {
      let value = values[UInt64(place + 1)] ?? (0, 0)
      profile.message(field: 2) { message in
        message.numbers(sample.locations, field: 1)
        message.numbers([value.count, value.time].map { min($0, UInt64(Int64.max)) }, field: 2)
        for label in sample.labels {
          message.message(field: 3) {
            $0.number(label.key, field: 1)
            $0.number(label.text, field: 2)
          }
        }
      }
    }
    for (place, path) in paths.enumerated() {
      let number = UInt64(place + 1)
      profile.message(field: 3) {
        $0.number(number, field: 1)
        $0.number((ends[number] ?? 0).saturatingAdd(1), field: 3)
        $0.number(path.0, field: 5)
        $0.number(path.1, field: 6)
        // A reader then looks for no names itself.
        $0.number(named.contains(number) ? 1 : 0, field: 7)
        $0.number(lined.contains(number) ? 1 : 0, field: 8)
        $0.number(lined.contains(number) ? 1 : 0, field: 9)
        $0.number(lined.contains(number) ? 1 : 0, field: 10)
      }
    }
    for (place, location) in locations.elements.enumerated() {
      profile.message(field: 4) { message in
        message.number(UInt64(place + 1), field: 1)
        message.number(location.mapping, field: 2)
        message.number(location.address, field: 3)
        for line in location.lines {
          message.message(field: 4) {
            $0.number(line.function, field: 1)
            $0.number(line.line, field: 2)
          }
        }
      }
    }
    for (place, function) in functions.elements.enumerated() {
      profile.message(field: 5) {
        $0.number(UInt64(place + 1), field: 1)
        $0.number(function.name, field: 2)
        $0.number(function.name, field: 3)
        $0.number(function.file, field: 4)
      }
    }
    profile.text("", field: 6)
    for text in texts.elements { profile.text(text, field: 6) }
    profile.number(min(startedAt, UInt64(Int64.max)), field: 9)
    profile.number(min(duration, UInt64(Int64.max)), field: 10)
    profile.number(types[1].0, field: 14)
    return profile.bytes
  }
}
