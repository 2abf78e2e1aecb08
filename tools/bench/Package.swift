// swift-tools-version: 6.1
import PackageDescription

/// Some programs use what Stallwatch keeps within its package. The compiler knows that package by its folder's name.
/// Such a target has no package access of its own: SwiftPM would name this package after ours.
let withinStallwatch: [SwiftSetting] = [
  .unsafeFlags([
    "-package-name",
    String(
      Context.packageDirectory.split(separator: "/").dropLast(2).last!.lowercased().map {
        $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
      }),
  ])
]

// A package of its own, so that building Stallwatch does not build its benchmarks.
let package = Package(
  name: "stallwatch-bench",
  platforms: [.macOS(.v15)],
  products: [.library(name: "PeerTechniques", type: .dynamic, targets: ["PeerTechniques"])],
  dependencies: [.package(name: "stallwatch", path: "../..", traits: [])],
  targets: [
    // What observers cost that do nothing, or only read a clock; and the counter of instructions.
    .target(name: "BareObservers"),
    // How others detect stalls, written afresh from their descriptions.
    .target(name: "Techniques"),
    // The same as a library to preload, so that all of them watch one run of a program.
    .target(name: "PeersAtStart"),
    .target(name: "PeerTechniques", dependencies: ["Techniques", "PeersAtStart"]),
    // One loop, or some, turning in a known way under one monitor; prints what that cost.
    .executableTarget(
      name: "loop-cost",
      dependencies: ["BareObservers", "Steps", "Techniques", .product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/LoopCost", packageAccess: false, swiftSettings: withinStallwatch),
    // Threads that wake and write as often as the monitor does, and do nothing else.
    .executableTarget(
      name: "bare-threads", dependencies: [.product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/BareThreads", packageAccess: false, swiftSettings: withinStallwatch),
    // The counter clock against the monotonic clock.
    .executableTarget(
      name: "clock-check", dependencies: [.product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/ClockCheck", packageAccess: false, swiftSettings: withinStallwatch),
    // Stalls through the store's writer, and the same rows through SQLite alone.
    .executableTarget(
      name: "store-cost", dependencies: [.product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/StoreCost", packageAccess: false, swiftSettings: withinStallwatch),
    // Days of watching through the store's writer, by a clock of their own.
    .executableTarget(
      name: "store-week", dependencies: [.product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/StoreWeek", packageAccess: false, swiftSettings: withinStallwatch),
    // The schedule that Node's monitor is given too, in a run loop.
    .executableTarget(name: "scheduled-loop", path: "Sources/ScheduledLoop"),
    // Counts instructions; and those of what runs on watched threads, which are held.
    .target(name: "Steps"),
    .executableTarget(
      name: "activities", dependencies: ["Steps", .product(name: "Stallwatch", package: "stallwatch")],
      path: "Sources/Activities", packageAccess: false, swiftSettings: withinStallwatch),
  ],
  swiftLanguageModes: [.v6]
)
