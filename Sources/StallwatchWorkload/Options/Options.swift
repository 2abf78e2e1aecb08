/// What to inject, and where to write the truth about it.
struct Options {
  /// The seed of the plan. The same seed makes the same plan.
  var seed: UInt64 = 1
  /// The number of stalls over all loops, without near-misses and healthy nested runs. 50 take about ten seconds.
  var stalls = 50
  /// The shortest stall. Lengths are spread evenly over orders of magnitude, so short ones are more frequent.
  var minStall: Nanoseconds = 60_000_000
  /// The longest stall. Three quarters of the default are past 100 ms, a fifth past 500 ms.
  var maxStall: Nanoseconds = 900_000_000
  /// How long a loop waits before each stall, so that no two fall into one span.
  var idle: Nanoseconds = 20_000_000
  /// The number of private modes, made one after the other while the program runs.
  var modes = 3
  /// The number of secondary threads, each with a loop of its own.
  var threads = 2
  /// The share of stalls inside a nested run, 0…1.
  var nested = 0.3
  /// What stalls do with their time. Near-misses use only the kinds that end on time.
  var hows = How.allCases
  /// The factor by which holds of a kind last longer than planned; a kind without an entry lasts as planned.
  var slow: [How: Double] = [:]
  /// Near-misses last 70 to 92 % of this. Default 50 ms, Stallwatch's own default.
  var threshold: Nanoseconds = 50_000_000
  /// The number of repeating timers that run beside the stalls, over all loops.
  var timers = 0
  /// The least time for which the timers run.
  var length: Nanoseconds = 10_000_000_000
  /// Whether lanes other than run loops are held.
  var lanes = false
  /// The path of the truth file; nil for none.
  var truth: String?

  /// The default options.
  init() {}

  /// The default options, changed by `arguments`. Throws ``OptionsError``.
  init(arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--lanes" {
        lanes = true
        continue
      }
      guard Self.names.contains(name) else { throw OptionsError.unknown(name) }
      guard let text = rest.popFirst() else { throw OptionsError.missingValue(name) }
      try set(name, to: text)
    }
    guard minStall <= maxStall else { throw OptionsError.shortestAboveLongest }
  }

  private static let names = [
    "--seed", "--stalls", "--min-stall", "--max-stall", "--idle", "--modes", "--threads", "--nested", "--how",
    "--slow", "--threshold", "--timers", "--for", "--truth",
  ]

  private mutating func set(_ name: String, to text: String) throws {
    switch name {
    case "--seed": seed = try number(text, of: name)
    case "--stalls": stalls = try number(text, of: name, in: 0...1_000_000)
    case "--min-stall": minStall = try duration(text, of: name)
    case "--max-stall": maxStall = try duration(text, of: name)
    case "--idle": idle = try duration(text, of: name)
    case "--modes": modes = try number(text, of: name, in: 0...1_000)
    case "--threads": threads = try number(text, of: name, in: 0...1_000)
    case "--nested": nested = try share(text, of: name)
    case "--how": hows = try kinds(text, of: name)
    case "--slow": slow = try factors(text, of: name)
    case "--threshold": threshold = try duration(text, of: name)
    case "--timers": timers = try number(text, of: name, in: 0...10_000)
    case "--for": length = try duration(text, of: name)
    default: truth = text
    }
  }

  private func number<Number: FixedWidthInteger>(
    _ text: String, of name: String, in range: ClosedRange<Number> = Number.min...Number.max
  ) throws -> Number {
    guard let number = Number(text), range.contains(number) else {
      throw OptionsError.badValue(
        name, text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func kinds(_ text: String, of name: String) throws -> [How] {
    let kinds = text.split(separator: ",", omittingEmptySubsequences: false).map { How(rawValue: String($0)) }
    guard !kinds.contains(nil) else {
      throw OptionsError.badValue(
        name, text, expected: "some of " + How.allCases.map(\.rawValue).joined(separator: ",") + ", with commas")
    }
    return kinds.compactMap(\.self)
  }

  private func factors(_ text: String, of name: String) throws -> [How: Double] {
    try text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: [:]) { factors, pair in
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let how = How(rawValue: String(parts[0])), let factor = Double(parts[1]),
        (0.1...10).contains(factor)
      else {
        throw OptionsError.badValue(name, text, expected: "kinds with factors from 0.1 to 10, such as spin=1.2")
      }
      factors[how] = factor
    }
  }

  private func share(_ text: String, of name: String) throws -> Double {
    guard let share = Double(text), (0...1).contains(share) else {
      throw OptionsError.badValue(name, text, expected: "a share from 0 to 1")
    }
    return share
  }

  private func duration(_ text: String, of name: String) throws -> Nanoseconds {
    guard let duration = Nanoseconds(durationText: text), duration > 0 else {
      throw OptionsError.badValue(name, text, expected: "a duration such as 250ms or 2s")
    }
    return duration
  }
}

extension Nanoseconds {
  /// Parses a duration such as `250ms`, `2s`, `16.667ms` or `500us`; nil where it is not valid.
  init?(durationText text: String) {
    let units: [(suffix: String, scale: Double)] = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
    guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
      let value = Double(text.dropLast(unit.suffix.count)), value >= 0, value * unit.scale < 1e18
    else { return nil }
    self = Nanoseconds((value * unit.scale).rounded())
  }
}
