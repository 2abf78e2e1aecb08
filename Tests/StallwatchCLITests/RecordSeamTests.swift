import TestPrograms
import Testing

/// Runtimes that are not what the hooks take them for, by stand-ins for one of their functions: what cannot be seen rightly is
/// switched off and said, and the program runs as without it.
@Suite(.serialized) struct RecordSeamTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// Records a part of the program of actors, where the hooks find a function as this code has it.
  private func record(_ part: String, standIn code: String) throws -> TestRun {
    let library = bench.files.file("stand-in.so")
    try Built.c([bench.files.write(code, to: "stand-in.c")], to: library, flags: ["-shared", "-fPIC"])
    let command = [Built.product("actors"), part]
    let alone = try TestRun.run(command)
    let run = try bench.record(command, environment: ["LD_PRELOAD": library])
    #expect(run.exitCode == 5 && alone.exitCode == 5)
    #expect(run.text == alone.text && run.text.hasSuffix("done\n"))
    return run
  }

  @Test func actorsAreNotWatchedWhereTasksSeemToGoOnElsewhere() throws {
    let run = try record(
      "delays",
      standIn: """
        typedef struct { const void *identity; unsigned long implementation; } executor;
        __attribute__((swiftcall)) executor swift_task_getCurrentExecutor(void) { return (executor){0, 0}; }
        """)
    #expect(run.errorText.contains("not all of actors (process "), "\(run.errorText)")
    #expect(run.errorText.contains("actors are not watched"))
    let report = try RecordedReport(of: bench.files.file("store.stallwatch"))
    #expect(report.health.losses["items"] ?? 0 > 0)
    // The first task that waits is one of the actor before.
    #expect(!report.loops.contains { $0.name == "actors.Shelf.Box" })
    // Swift's pool is watched as ever.
    #expect(report.loops.contains { $0.kind == "pool" && $0.iterations > 10 })
  }

  @Test func queuesAreNotWatchedWhereTheyDoNotShowTheirLabels() throws {
    let run = try record(
      "storm", standIn: #"const char *dispatch_queue_get_label(void *queue) { return queue ? "other" : "none"; }"#)
    #expect(run.errorText.contains("not all of actors (process "), "\(run.errorText)")
    #expect(run.errorText.contains("queues of its libdispatch"))
  }
}
