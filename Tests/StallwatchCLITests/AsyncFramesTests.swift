import Foundation
import TestPrograms
import Testing

/// Stacks of threads that run a task go on with the functions that await what they run.
@Suite(.serialized) struct AsyncFramesTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// Whether the lines name these functions in this order.
  private func name(_ functions: [String], in text: String) -> Bool {
    var rest = functions[...]
    for line in text.split(separator: "\n") where rest.first.map(line.contains) == true { rest.removeFirst() }
    return rest.isEmpty
  }

  @Test func aStallOfTheMainActorShowsWhoAwaitsTheHeldFunctionInItsTaskAndInOthers() throws {
    let run = try bench.record([Built.product("async-main"), "chain"])
    #expect(run.exitCode == 5)
    #expect(run.text == "2\ndone\n")
    #expect(run.errorText == "")
    let store = bench.files.file("store.stallwatch")
    let report = try RecordedReport(of: store)
    for functions in [
      ["burnWater()", "boilWater()", "cookDinner()", "serveDinner()", "Dinner.hold()", "AsyncMain.main()"],
      ["searchKitchen()", "findThing(_:)", "packBasket()", "servePicnic(_:)", "Dinner.hold()", "AsyncMain.main()"],
    ] {
      let stall = try #require(report.stall(in: functions[0]), "\(functions[0])")
      let shown = try TestRun.run([Built.product("stallwatch"), "show", store, "\(stall.id)"])
      #expect(shown.exitCode == 0)
      #expect(name(functions.reversed(), in: shown.text), "\(shown.text)")
      #expect(!shown.text.contains("unknown]"))
    }
    // In graphs, callers come first.
    let collapsed = try TestRun.run([Built.product("stallwatch"), "export", store, "--format", "collapsed"])
    #expect(
      collapsed.lines.contains { line in
        name(["serveDinner()", "cookDinner()", "boilWater()", "burnWater()"], in: line.replacing(";", with: "\n"))
      }, "\(collapsed.text)")
  }

  @Test func aDumpShowsThemOfAProgramThatNobodyWatches() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Built.product("async-main"))
    process.arguments = ["asleep"]
    process.standardOutput = output
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    _ = output.fileHandleForReading.availableData
    let functions = [
      "waitForHeat()", "heatPan()", "fryEggs()", "serveBreakfast()", "eatBreakfast(_:)", "Breakfast.hold()",
      "AsyncMain.main()", "swift_job_run",
    ]
    var dump = ""
    // It may still be on its way to where it sleeps.
    while !dump.contains(functions[0]) {
      try #require(process.isRunning)
      dump = try TestRun.run([Built.product("stallwatch"), "dump", "\(process.processIdentifier)"]).text
    }
    #expect(name(functions, in: dump), "\(dump)")
  }
}
