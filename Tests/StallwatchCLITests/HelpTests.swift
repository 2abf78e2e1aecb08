import TestPrograms
import Testing

@Suite(.serialized) struct HelpTests {
  private static let stallwatch = Built.product("stallwatch")
  private static let verbs = [
    "record", "report", "stalls", "show", "timers", "export", "ship", "symbolize", "dump", "doctor", "demo",
  ]

  @Test(arguments: verbs)
  func everyVerbHasHelpWithAnExample(verb: String) throws {
    let run = try TestRun.run([Self.stallwatch, verb, "--help"])
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    #expect(run.lines.contains { $0.hasPrefix("  stallwatch \(verb)") }, "an example in the discussion")
  }

  @Test(arguments: ["report", "stalls", "show", "timers", "export", "diff", "check", "top", "serve"])
  func everyVerbThatReadsHasTheFilters(verb: String) throws {
    let run = try TestRun.run([Self.stallwatch, verb, "--help"])
    for option in [
      "--since", "--until", "--last", "--session", "--loop", "--mode", "--cause", "--annotation", "--min-duration",
    ] { #expect(run.text.contains("  \(option) <"), "\(option)") }
  }

  @Test func everyVerbIsListed() throws {
    let run = try TestRun.run([Self.stallwatch, "--help"])
    #expect(run.exitCode == 0)
    for verb in Self.verbs { #expect(run.lines.contains { $0.hasPrefix("  \(verb) ") }, "\(verb)") }
  }

  @Test func theVersionIsOneLine() throws {
    let run = try TestRun.run([Self.stallwatch, "--version"])
    #expect(run.exitCode == 0)
    #expect(run.text.wholeMatch(of: #/\d+\.\d+\.\d+\n/#) != nil)
  }
}
