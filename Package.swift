// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "stallwatch",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Stallwatch", type: .static, targets: ["Stallwatch"]),
    .library(name: "StallwatchHooks", targets: ["StallwatchHooks"]),
    .library(name: "StallwatchInject", type: .dynamic, targets: ["StallwatchInject"]),
    .executable(name: "stallwatch", targets: ["StallwatchCLI"]),
    .executable(name: "stallwatch-workload", targets: ["StallwatchWorkload"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "StallwatchCore"),
    .target(name: "CStallwatch"),
    .target(
      name: "StallwatchStore",
      dependencies: ["StallwatchCore", "CStallwatch", "CSQLite"]),
    // CoreFoundation's symbols live in libFoundation on Linux.
    .target(
      name: "StallwatchProbe", dependencies: ["StallwatchCore", "CStallwatch"],
      linkerSettings: [.linkedLibrary("Foundation", .when(platforms: [.linux]))]),
    .target(name: "StallwatchHooks", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "Stallwatch",
      dependencies: ["StallwatchCore", "StallwatchProbe", "StallwatchStore"]),
    .target(name: "StallwatchInject", dependencies: ["Stallwatch"]),
    .target(name: "CDemangling", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "StallwatchReport",
      dependencies: ["CDemangling", "StallwatchCore", "StallwatchStore"],
      // In the program itself: a command that is copied somewhere must not look for its files.
      resources: ["page.css", "page.js", "timeline.js", "flames.js", "live.js"].map {
        .embedInCode("Renderers/HTML/\($0)")
      }),
    .executableTarget(
      name: "StallwatchCLI",
      dependencies: [
        "StallwatchCore", "StallwatchReport", "StallwatchStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]),
    .executableTarget(name: "StallwatchWorkload"),

    // The programs that the scenario tests run: the first knows nothing of Stallwatch, the others embed it, the last with
    // hooks. Then who judges what was reported of them, and a program that plays and judges many rounds.
    .target(name: "Scenarios", path: "Tests/Scenarios/Scenarios"),
    .executableTarget(name: "scenario-program", dependencies: ["Scenarios"], path: "Tests/Scenarios/ScenarioProgram"),
    .target(
      name: "EmbeddedScenarios", dependencies: ["Scenarios", "Stallwatch"], path: "Tests/Scenarios/EmbeddedScenarios"),
    .executableTarget(
      name: "scenario-program-embedded", dependencies: ["EmbeddedScenarios"],
      path: "Tests/Scenarios/ScenarioProgramEmbedded"),
    .executableTarget(
      name: "scenario-program-hooked", dependencies: ["EmbeddedScenarios", "StallwatchHooks"],
      path: "Tests/Scenarios/ScenarioProgramHooked"),
    .target(
      name: "ScenarioJudging", dependencies: ["Scenarios", "TestPrograms"], path: "Tests/Scenarios/ScenarioJudging"),
    .executableTarget(
      name: "scenario-rounds", dependencies: ["Scenarios", "ScenarioJudging", "TestPrograms"],
      path: "Tests/Scenarios/ScenarioRounds"),

    // A program that counts what the monitor adds to it. No test target may depend on it, or on what uses the counter:
    // its malloc would be linked into the tests' own process, and no sanitizer starts there.
    .target(name: "AllocationCounter", path: "Tests/Programs/AllocationCounter"),
    .executableTarget(
      name: "steady-loop", dependencies: ["AllocationCounter", "Stallwatch"], path: "Tests/Programs/SteadyLoop"),
    // A program that is held until it ends, for tools/holds.
    .executableTarget(name: "held-exit", path: "Tests/Programs/HeldExit"),
    // A program that embeds the monitor with the hooks. No test target may depend on it: the hooks would be linked into
    // the tests' own process, where others test what the monitor does without them.
    .executableTarget(
      name: "hooked-loop", dependencies: ["Stallwatch", "StallwatchHooks"], path: "Tests/Programs/HookedLoop"),
    // A program whose hooks are never called.
    .executableTarget(name: "unbound-hooks", dependencies: ["Stallwatch"], path: "Tests/Programs/UnboundHooks"),
    // A program to be stopped, or so busy that it might be taken for one that was.
    .executableTarget(name: "stopped-loop", path: "Tests/Programs/StoppedLoop"),
    // A program that counts its own timers while the embedded library does, without hooks.
    .executableTarget(name: "timer-counter", dependencies: ["Stallwatch"], path: "Tests/Programs/TimerCounter"),
    // The same, with timers that do known things.
    .executableTarget(
      name: "hooked-timers", dependencies: ["AllocationCounter", "Stallwatch", "StallwatchHooks"],
      path: "Tests/Programs/HookedTimers"),
    // A program that closes what it does not know, and then writes files of its own.
    .executableTarget(name: "own-files", dependencies: ["Stallwatch"], path: "Tests/Programs/OwnFiles"),
    // The example that the README shows.
    .executableTarget(name: "readme-example", dependencies: ["Stallwatch"], path: "Tests/Programs/ReadmeExample"),
    // A program that reads broken programs (tools/fuzz-symbols).
    .executableTarget(
      name: "symbol-fuzzer", dependencies: ["SeededNumbers", "StallwatchCore", "StallwatchReport"],
      path: "Tests/Fuzz/SymbolFuzzer"),
    // Threads with run loops that come and go, for tools/storms. It knows nothing of Stallwatch.
    .executableTarget(name: "loop-storm", path: "Tests/Programs/LoopStorm"),
    // Timers, threads and annotations that come and go for as long as one likes, for tools/growth.
    .executableTarget(
      name: "growth-maker", dependencies: ["Stallwatch", "StallwatchHooks"], path: "Tests/Programs/GrowthMaker"),
    // What tests share that run other programs.
    .target(name: "TestPrograms", path: "Tests/TestPrograms"),
    // Random numbers that tests and fuzzers can have again.
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers"),

    .testTarget(name: "StallwatchCoreTests", dependencies: ["SeededNumbers", "StallwatchCore"]),
    // A process that writes a store, for the store's tests to kill and to run side by side.
    .executableTarget(
      name: "store-writer", dependencies: ["StallwatchCore", "StallwatchStore"], path: "Tests/StoreWriterProgram"),
    .testTarget(
      name: "StallwatchStoreTests",
      dependencies: [
        "SeededNumbers", "StallwatchStore", "store-writer", "CSQLite",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      resources: [.copy("Fixtures")]),
    // Breaks stores and asks each all that the command's verbs ask.
    .executableTarget(
      name: "store-fuzzer",
      dependencies: ["SeededNumbers", "StallwatchCore", "StallwatchReport", "StallwatchStore", "CSQLite"],
      path: "Tests/Fuzz/StoreFuzzer"),
    .testTarget(
      name: "StallwatchHooksTests", dependencies: ["StallwatchReport", "TestPrograms"], exclude: ["Fixtures"]),
    // Programs whose threads are sampled: one that uses their signals itself, one that makes it hard, one that measures.
    .executableTarget(
      name: "own-signal", dependencies: ["CStallwatch", "StallwatchProbe"], path: "Tests/Programs/OwnSignal"),
    .target(
      name: "CaptureSoakWork", path: "Tests/Programs/CaptureSoakWork",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "capture-soak", dependencies: ["CaptureSoakWork", "StallwatchProbe"], path: "Tests/Programs/CaptureSoak"),
    .executableTarget(
      name: "pause-bench", dependencies: ["CStallwatch", "StallwatchProbe"], path: "Tests/Programs/PauseBench"),
    .testTarget(
      name: "StallwatchProbeTests",
      dependencies: ["StallwatchProbe", "CStallwatch", "TestPrograms", "capture-soak", "own-signal"]),
    .testTarget(
      name: "StallwatchTests",
      dependencies: ["Stallwatch", "StallwatchStore", "TestPrograms", "readme-example"]),
    .testTarget(name: "StallwatchReportTests", dependencies: ["StallwatchReport", "TestPrograms"]),
    .testTarget(
      name: "StallwatchCLITests",
      dependencies: [
        "StallwatchCLI", "StallwatchWorkload", "StallwatchInject", "StallwatchReport", "StallwatchStore",
        "TestPrograms", "own-files",
      ]),
    .testTarget(name: "StallwatchWorkloadTests", dependencies: ["StallwatchWorkload"]),
    // Not scenario-program-hooked: what a test target depends on is linked into all tests, and they are to have no hooks.
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "Scenarios", "ScenarioJudging", "TestPrograms", "scenario-program", "scenario-program-embedded",
        "StallwatchCLI", "StallwatchInject",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// With TRAP_UNDEFINED=1, as in CI, the C code ends its process at undefined behaviour (tools/sanitize undefined). Only
// then: a package with such flags cannot be another's dependency.
if Context.environment["TRAP_UNDEFINED"] == "1" {
  for target in package.targets where ["CDemangling", "CStallwatch", "StallwatchHooks"].contains(target.name) {
    target.cSettings = [.unsafeFlags(["-fsanitize=undefined", "-fsanitize-trap=undefined"])]
  }
}

// With OPTIMISED=1, as in CI, a debug build optimises what its tests, and the programs that they run, spend their time in. It
// keeps every check of a debug build, and tests can still look inside.
if Context.environment["OPTIMISED"] == "1" {
  let modules = ["StallwatchCore", "StallwatchStore", "StallwatchProbe", "StallwatchReport", "StallwatchCLI"]
  for target in package.targets where modules.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
  }
}
