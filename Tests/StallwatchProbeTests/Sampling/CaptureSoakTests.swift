#if os(Linux)
  import Foundation
  import TestPrograms
  import Testing

  /// The short form of tools/judge/soak-capture.
  @Suite("A soak", .serialized, .enabled(if: ThreadSanitizer.isOff, ThreadSanitizer.reason))
  struct CaptureSoakTests {
    @Test("of 20,000 samples of threads that do what is hard to look at loses none and cuts no wait short")
    func short() throws {
      let run = try TestRun.run([Built.product("capture-soak"), "20000"])
      #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
      #expect(run.lines.last == "pass")
    }
  }
#endif
