// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "stallwatch",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Stallwatch", type: .static, targets: ["Stallwatch"]),
    .library(name: "StallwatchHooks", targets: ["StallwatchHooks"]),
    .library(name: "StallwatchLanes", type: .static, targets: ["StallwatchLanes"]),
    .library(name: "StallwatchNIO", type: .static, targets: ["StallwatchNIO"]),
    // Not static: an archive would leave the hooks out, which nothing calls by name.
    .library(name: "StallwatchTesting", targets: ["StallwatchTesting"]),
    .plugin(name: "Stalls", targets: ["Stalls"]),
    .library(name: "StallwatchInject", type: .dynamic, targets: ["StallwatchInject"]),
    .executable(name: "stallwatch", targets: ["StallwatchCLI"]),
    .executable(name: "stallwatch-workload", targets: ["StallwatchWorkload"]),
  ],
  traits: [
    .trait(name: "Command", description: "the command `stallwatch`; an app that embeds the library does without it"),
    .trait(name: "NIO", description: "the product StallwatchNIO, which watches event loops of SwiftNIO"),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    // The command's, and one of the tests'. A package that depends on this one with `traits: []` fetches none of them.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    // Of StallwatchNIO alone: fetched only with `traits: ["NIO"]`.
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
  ],
  targets: [
    // What is recorded, and what records it. A module depends on what stands above it (tools/build/modules).
    .target(name: "StallwatchLibc"),
    .target(name: "StallwatchCore"),
    .target(name: "CStallwatch"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "StallwatchStore", dependencies: ["StallwatchLibc", "StallwatchCore", "CStallwatch", "CSQLite"]),
    .systemLibrary(name: "CHooks"),  // the header of StallwatchHooks, without its code
    .target(
      name: "StallwatchProbe", dependencies: ["StallwatchLibc", "StallwatchCore", "CStallwatch", "CHooks"],
      // CoreFoundation's symbols live in libFoundation on Linux.
      linkerSettings: [.linkedLibrary("Foundation", .when(platforms: [.linux]))]),
    .target(name: "StallwatchHooks", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "Stallwatch", dependencies: ["StallwatchLibc", "StallwatchCore", "StallwatchProbe", "StallwatchStore"]),
    .target(name: "StallwatchInject", dependencies: ["StallwatchLibc", "Stallwatch"]),
    .target(name: "StallwatchLanes", dependencies: ["StallwatchCore", "StallwatchProbe", "Stallwatch"]),
    .target(
      name: "StallwatchNIO",
      dependencies: [
        "StallwatchCore", "StallwatchProbe", "Stallwatch",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
      ]),

    // What reads recordings, and how it shows them.
    .target(name: "CDemangling", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "StallwatchSymbols", dependencies: ["StallwatchLibc", "CDemangling", "CZlib", "StallwatchCore"]),
    .target(
      name: "StallwatchReport",
      dependencies: ["StallwatchLibc", "StallwatchCore", "StallwatchStore", "StallwatchSymbols"]),
    .plugin(
      name: "Stalls",
      capability: .command(
        intent: .custom(verb: "stalls", description: "Runs the tests under 'stallwatch record' and reports on them."))),
    // No test target of this package may depend on it: it has hooks, and all tests share a process
    // (tools/judge/testing).
    .target(
      name: "StallwatchTesting",
      dependencies: [
        "StallwatchLibc", "StallwatchCore", "StallwatchStore", "StallwatchProbe", "StallwatchHooks", "Stallwatch",
        "StallwatchReport",
      ]),
    .target(
      name: "StallwatchFormats",
      dependencies: ["CZlib", "StallwatchCore", "StallwatchReport", "StallwatchStore", "StallwatchSymbols"],
      // In the program itself: a command that is copied somewhere must not look for its files.
      resources: [
        "page.css", "page.js", "columns.js", "view.js", "lanes.js", "steering.js", "stall.js", "flames.js",
        "selection.js", "live.js",
      ].map { .embedInCode("HTML/\($0)") }),
    // From many programs: stores to ClickHouse and OpenTelemetry, and a fleet's questions back.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "StallwatchFleet", dependencies: ["StallwatchLibc", "CCurl"] + reading,
      resources: [
        "Migrations/001-rows.sql", "Queries/causes.sql", "Queries/durations.sql", "Queries/examples.sql",
        "Queries/frames.sql", "Queries/histograms.sql", "Queries/hours.sql", "Queries/lanes.sql", "Queries/losses.sql",
        "Queries/names.sql", "Queries/reach.sql", "Queries/sessions.sql", "Queries/signatures.sql",
        "Queries/spreads.sql", "Queries/stacks.sql", "Queries/stalls.sql", "Queries/timers.sql",
        "Queries/unit_causes.sql", "Queries/unit_lanes.sql", "Queries/unit_thresholds.sql", "Queries/worst.sql",
      ].map { .embedInCode("ClickHouse/\($0)") }),
    .executableTarget(
      name: "StallwatchCLI",
      dependencies: ["StallwatchLibc", "StallwatchProbe", "StallwatchFleet"] + reading + [
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Command"])),
      ]),
    .executableTarget(
      name: "StallwatchWorkload", dependencies: [.target(name: "CLinuxCalls", condition: .when(platforms: [.linux]))]),

    // A test target for each module that has tests of its own.
    .testTarget(name: "StallwatchCoreTests", dependencies: ["SeededNumbers", "StallwatchCore"]),
    .testTarget(
      name: "StallwatchStoreTests",
      dependencies: [
        "CSQLite", "SeededNumbers", "StallwatchStore", "store-writer",
        .product(name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Command"])),
      ],
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "StallwatchProbeTests",
      dependencies: ["CStallwatch", "StallwatchProbe", "TestPrograms", "capture-soak", "own-signal"]),
    .testTarget(
      name: "StallwatchHooksTests", dependencies: ["StallwatchReport", "StallwatchSymbols", "TestPrograms"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "StallwatchTests", dependencies: ["Stallwatch", "StallwatchStore", "TestPrograms", "readme-example"]),
    .testTarget(name: "StallwatchReportTests", dependencies: reading + ["SeededNumbers", "TestPrograms"]),
    .testTarget(
      name: "StallwatchFleetTests",
      dependencies: reading + ["SeededNumbers", "StallwatchFleet", "TestPrograms", "fleet-maker"]),
    .testTarget(
      name: "StallwatchCLITests",
      dependencies: reading + [
        "StallwatchCLI", "StallwatchInject", "StallwatchWorkload", "TestPrograms", "actors", "async-main",
        "dispatch-queues", "event-loops", "fleet-maker", "own-files", "pinged-lanes", "waiting-threads",
      ]),
    .testTarget(name: "StallwatchWorkloadTests", dependencies: ["StallwatchWorkload"]),
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "ScenarioJudging", "Scenarios", "StallwatchCLI", "StallwatchInject", "TestPrograms", "scenario-program",
        "scenario-program-embedded",
      ]),

    // What tests share: running other programs, and random numbers that can be had again.
    .target(name: "TestPrograms", path: "Tests/TestPrograms"),
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers"),

    // Programs that know nothing of Stallwatch, to be recorded.
    program("held-exit", "HeldExit"),  // held until it ends
    program("loop-storm", "LoopStorm"),  // threads with run loops that come and go
    .systemLibrary(name: "CLinuxCalls", path: "Tests/Programs/CLinuxCalls"),  // what Swift's Glibc module leaves out
    program("job-storm", "JobStorm"),  // as many jobs as the machine can do
    program("actors", "Actors"),  // default actors that call each other
    program("async-main", "AsyncMain"),  // Dispatch serves its main actor
    program("dispatch-queues", "DispatchQueues"),  // serves Dispatch's queues and Swift's pool
    program("feed-reader", "FeedReader", ["CSQLite"]),  // twenty bugs that hold its main thread
    program("event-loops", "EventLoops", ["CLinuxCalls"]),  // serves descriptors and has no run loop
    program("waiting-threads", "WaitingThreads", ["CLinuxCalls"]),  // its threads wait for each other
    program("stopped-loop", "StoppedLoop"),  // stopped, or so busy that it might be taken for one that was

    // Programs that embed the monitor. No test target may depend on one with hooks or with the counter of allocations.
    // What a test target depends on is linked into all tests: others of them test what the monitor does without hooks,
    // and under a sanitizer no process starts with the counter's malloc.
    program("readme-example", "ReadmeExample", ["Stallwatch"]),
    program("pinged-lanes", "PingedLanes", ["Stallwatch", "StallwatchLanes"]),  // has its queue and its actor pinged
    program("own-files", "OwnFiles", ["Stallwatch"]),  // closes what it does not know, then writes files of its own
    program("timer-counter", "TimerCounter", ["Stallwatch"]),  // counts its own timers
    program("unbound-hooks", "UnboundHooks", ["Stallwatch"]),  // hooks that are never called
    // The stores of a fleet, with the truth about it.
    program("fleet-maker", "FleetMaker", ["SeededNumbers", "StallwatchCore", "StallwatchStore"]),
    program("hooked-loop", "HookedLoop", ["Stallwatch", "StallwatchHooks"]),
    program("hooked-lanes", "HookedLanes", ["Stallwatch", "StallwatchHooks", "StallwatchLanes"]),
    program("growth-maker", "GrowthMaker", ["Stallwatch", "StallwatchHooks"]),  // timers, threads, annotations
    program("soak-maker", "SoakMaker", ["SeededNumbers", "Stallwatch"]),  // 100 loops, held as a seed has it
    program("steady-loop", "SteadyLoop", ["AllocationCounter", "Stallwatch"]),  // counts what the monitor allocates
    program("hooked-timers", "HookedTimers", ["AllocationCounter", "Stallwatch", "StallwatchHooks"]),
    .target(name: "AllocationCounter", path: "Tests/Programs/AllocationCounter"),

    // Programs that use one module by itself.
    .executableTarget(
      name: "store-writer", dependencies: ["StallwatchCore", "StallwatchStore"], path: "Tests/StoreWriterProgram"),
    program("own-signal", "OwnSignal", ["CStallwatch", "StallwatchProbe"]),  // sampled, and uses the signals itself
    program("capture-soak", "CaptureSoak", ["CaptureSoakWork", "StallwatchProbe"]),  // makes sampling hard
    program("pause-bench", "PauseBench", ["CStallwatch", "StallwatchProbe"]),  // measures how long a sample pauses
    program("look-cost", "LookCost", ["CStallwatch", "StallwatchCore", "StallwatchProbe"]),  // measures looks
    .target(
      name: "CaptureSoakWork", path: "Tests/Programs/CaptureSoakWork",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),

    // Ten ways of using a run loop, played by programs that are recorded, that embed the monitor, and that embed it
    // with hooks; the judge of what was reported of them; and a program that plays and judges many rounds.
    scenario("Scenarios"),
    scenario("EmbeddedScenarios", ["Scenarios", "Stallwatch"]),
    scenario("ScenarioJudging", ["Scenarios", "TestPrograms"]),
    scenario(program: "scenario-program", "ScenarioProgram", ["Scenarios"]),
    scenario(program: "scenario-program-embedded", "ScenarioProgramEmbedded", ["EmbeddedScenarios"]),
    scenario(program: "scenario-program-hooked", "ScenarioProgramHooked", ["EmbeddedScenarios", "StallwatchHooks"]),
    scenario(program: "scenario-rounds", "ScenarioRounds", ["ScenarioJudging", "Scenarios", "TestPrograms"]),

    // What reads broken programs and broken stores (tools/fuzz/all).
    .executableTarget(
      name: "symbol-fuzzer", dependencies: reading + ["SeededNumbers"], path: "Tests/Fuzz/SymbolFuzzer"),
    .executableTarget(
      name: "store-fuzzer", dependencies: reading + ["CSQLite", "SeededNumbers"], path: "Tests/Fuzz/StoreFuzzer"),
  ],
  swiftLanguageModes: [.v6]
)

/// What reads a recording and shows it.
var reading: [Target.Dependency] {
  ["StallwatchCore", "StallwatchFormats", "StallwatchReport", "StallwatchStore", "StallwatchSymbols"]
}

func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "Tests/Programs/\(folder)")
}

func scenario(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/Scenarios/\(name)")
}

func scenario(program name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "Tests/Scenarios/\(folder)")
}

// With TRAP_UNDEFINED=1, as in CI, the C code ends its process at undefined behaviour (tools/judge/sanitize undefined).
// Only then: a package with such flags cannot be another's dependency.
if Context.environment["TRAP_UNDEFINED"] == "1" {
  for target in package.targets where ["CCurl", "CDemangling", "CStallwatch", "StallwatchHooks"].contains(target.name) {
    target.cSettings = [.unsafeFlags(["-fsanitize=undefined", "-fsanitize-trap=undefined"])]
  }
}

// With OPTIMISED=1, as in CI, a debug build optimises what its tests, and the programs that they run, spend their time
// in. It keeps every check of a debug build, and tests can still look inside.
if Context.environment["OPTIMISED"] == "1" {
  let modules = [
    "StallwatchCore", "StallwatchStore", "StallwatchProbe", "StallwatchSymbols", "StallwatchReport",
    "StallwatchFormats", "StallwatchFleet", "StallwatchCLI",
  ]
  for target in package.targets where modules.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
  }
}
