import TestPrograms
import Testing

@testable import StallwatchCLI

@Suite(.serialized) struct HelpTests {
  private static let stallwatch = Built.product("stallwatch")
  private static let verbs = StallwatchCommand.configuration.subcommands.map { $0._commandName }

  @Test(arguments: verbs)
  func everyVerbHasHelpWithAnExample(verb: String) throws {
    let run = try TestRun.run([Self.stallwatch, verb, "--help"])
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    #expect(run.lines.contains { $0.hasPrefix("  stallwatch \(verb)") }, "an example in the discussion")
  }

  @Test func theVersionIsOneLine() throws {
    let run = try TestRun.run([Self.stallwatch, "--version"])
    #expect(run.exitCode == 0)
    #expect(run.text == "\(Version.current)\n")
  }
}
