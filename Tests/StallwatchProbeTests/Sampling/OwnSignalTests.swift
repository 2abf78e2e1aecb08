#if os(Linux)
  import Foundation
  import TestPrograms
  import Testing

  /// Each case is a process of its own: a disposition is a process's.
  @Suite(
    "A signal by which threads are asked", .serialized, .enabled(if: ThreadSanitizer.isOff, ThreadSanitizer.reason))
  struct OwnSignalTests {
    private func run(_ signal: String, _ way: String) throws -> String {
      let run = try TestRun.run([Built.product("own-signal"), signal, way])
      #expect(run.exitCode == 0, "\(run.errorText)")
      return run.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What stands in the way where the program uses the signal.
    private func obstacle(_ signal: String) -> String {
      signal == "prof" ? "profilingOfTheProgram" : "urgentOfTheProgram"
    }

    @Test("is used where nobody else does, and is what it was afterwards", arguments: ["urg", "prof"])
    func free(signal: String) throws {
      let line = try run(signal, "default")
      #expect(line == "first 10 second 10 obstacle none timer false raise false disposition default")
    }

    @Test("stays with a program that handles it, before and after", arguments: ["urg", "prof"])
    func handlerBefore(signal: String) throws {
      let line = try run(signal, "handler-before")
      #expect(line == "first 0 second 0 obstacle \(obstacle(signal)) timer false raise true disposition own")
    }

    @Test("stays ignored in a program that ignores it", arguments: ["urg", "prof"])
    func ignored(signal: String) throws {
      let line = try run(signal, "ignored-before")
      #expect(line == "first 0 second 0 obstacle \(obstacle(signal)) timer false raise false disposition ignored")
    }

    @Test("stays with a program whose interval timer sends it, before and after")
    func timerBefore() throws {
      let line = try run("prof", "itimer-before")
      #expect(line == "first 0 second 0 obstacle profilingOfTheProgram timer true raise true disposition own")
    }

    @Test("goes to a program that installs a handler while it is used, for good", arguments: ["urg", "prof"])
    func handlerAfter(signal: String) throws {
      let line = try run(signal, "handler-after")
      #expect(line == "first 10 second 0 obstacle \(obstacle(signal)) timer false raise true disposition own")
    }

    @Test("goes to a program that sets it to its default while it is used, for good", arguments: ["urg", "prof"])
    func defaultAfter(signal: String) throws {
      let line = try run(signal, "default-after")
      #expect(line == "first 10 second 0 obstacle \(obstacle(signal)) timer false raise false disposition default")
    }

    @Test("goes to a program that starts an interval timer while it is used, for good")
    func timerAfter() throws {
      let line = try run("prof", "itimer-after")
      #expect(line == "first 10 second 0 obstacle profilingOfTheProgram timer true raise true disposition own")
    }

    @Test("is sent again once the kernel has timers again")
    func withoutTimers() throws {
      let line = try run("urg", "no-timers")
      #expect(line == "first 0 second 10 obstacle none timer false raise false disposition default")
    }
  }
#endif
