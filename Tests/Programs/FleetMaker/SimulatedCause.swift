import StallwatchCore

/// A bug that every instance has, in functions at addresses of its own.
struct SimulatedCause {
  /// The function that is to blame, its source and line.
  var function: String
  var file: String
  var line: Int
  /// How often it holds a lane, in an hour of use.
  var perHour: Double
  /// The geometric mean of its durations, in milliseconds, and the spread of their logarithms.
  var middle: Double
  var spread = 0.35
  /// The call that it waits in, and for what; nil where it computes.
  var waitsIn: (call: String, target: String)?
  /// Whether it comes with release 2.0, or goes with it.
  var release: String?
  /// Whether it holds the queue `images` instead of the main run loop.
  var isOnQueue = false

  /// All of them. The first is the one that can be made slower.
  static let all = [
    SimulatedCause(
      function: "Thumbnails.scale(_:)", file: "Sources/Feed/Thumbnails.swift", line: 41, perHour: 4, middle: 120),
    SimulatedCause(function: "Feed.decode(_:)", file: "Sources/Feed/Feed.swift", line: 88, perHour: 6, middle: 90),
    SimulatedCause(
      function: "Store.save()", file: "Sources/Feed/Store.swift", line: 17, perHour: 2, middle: 180,
      waitsIn: ("fsync", "/var/lib/feed/cache.db")),
    SimulatedCause(
      function: "Settings.read()", file: "Sources/Feed/Settings.swift", line: 9, perHour: 0.5, middle: 400,
      waitsIn: ("read", "/etc/feed.conf")),
    SimulatedCause(function: "Search.index(_:)", file: "Sources/Feed/Search.swift", line: 120, perHour: 1, middle: 700),
    SimulatedCause(function: "Layout.measure(_:)", file: "Sources/Feed/Layout.swift", line: 64, perHour: 9, middle: 65),
    SimulatedCause(
      function: "Images.fetch(_:)", file: "Sources/Feed/Images.swift", line: 33, perHour: 3, middle: 250,
      waitsIn: ("recv", "192.0.2.7:443"), isOnQueue: true),
    SimulatedCause(
      function: "Images.crop(_:)", file: "Sources/Feed/Images.swift", line: 71, perHour: 2, middle: 110, isOnQueue: true
    ),
    SimulatedCause(
      function: "Migration.run()", file: "Sources/Feed/Migration.swift", line: 5, perHour: 0.2, middle: 1_500,
      release: "2.0"),
    SimulatedCause(
      function: "OldCache.sweep()", file: "Sources/Feed/OldCache.swift", line: 12, perHour: 0.8, middle: 300,
      release: "1.0"),
  ]

  /// The addresses of its stack, leaf first, and what stands there.
  static func address(_ number: Int) -> UInt64 { base + 0x1000 + UInt64(number) * 0x100 }
  static let base: UInt64 = 0x5555_0000_0000
  static let caller = base + 0x800
  static let main = base + 0x400
}
