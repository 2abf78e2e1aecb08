#if os(Linux)
  import Foundation
  import TestPrograms
  import Testing

  /// Each case is a process of its own: a disposition is a process's.
  @Suite("SIGPROF", .serialized)
  struct OwnSigprofTests {
    private func run(_ way: String) throws -> String {
      let run = try TestRun.run([Built.product("own-sigprof"), way])
      #expect(run.exitCode == 0, "\(run.errorText)")
      return run.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("is used where nobody else does, and is what it was afterwards")
    func free() throws {
      let line = try run("default")
      #expect(line == "first 10 second 10 obstacle none timer false raise false disposition default")
    }

    @Test("stays with a program that handles it, before and after")
    func handlerBefore() throws {
      let line = try run("handler-before")
      #expect(line == "first 0 second 0 obstacle handlerOfTheProgram timer false raise true disposition own")
    }

    @Test("stays ignored in a program that ignores it")
    func ignored() throws {
      let line = try run("ignored-before")
      #expect(line == "first 0 second 0 obstacle handlerOfTheProgram timer false raise false disposition ignored")
    }

    @Test("stays with a program whose interval timer sends it, before and after")
    func timerBefore() throws {
      let line = try run("itimer-before")
      #expect(line == "first 0 second 0 obstacle timerOfTheProgram timer true raise true disposition own")
    }

    @Test("goes to a program that installs a handler while it is used, for good")
    func handlerAfter() throws {
      let line = try run("handler-after")
      #expect(line == "first 10 second 0 obstacle handlerOfTheProgram timer false raise true disposition own")
    }

    @Test("goes to a program that starts an interval timer while it is used, for good")
    func timerAfter() throws {
      let line = try run("itimer-after")
      #expect(line == "first 10 second 0 obstacle timerOfTheProgram timer true raise true disposition own")
    }
  }
#endif
