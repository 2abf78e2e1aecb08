import TestPrograms
import Testing

@testable import StallwatchCLI

@Suite(.serialized) struct HelpTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test func everyVerbHasHelpWithAnExample() throws {
    let overview = try TestRun.run([Self.stallwatch, "--help"])
    let subcommands = overview.lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { $0.hasPrefix("  ") }
    // A verb stands at the margin of the list; what it does may go on in further lines.
    let verbs = subcommands.filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(verbs.contains("record") && verbs.contains("report"), "\(overview.text)")
    for verb in verbs where verb != "help" {
      let run = try TestRun.run([Self.stallwatch, verb, "--help"])
      #expect(run.exitCode == 0)
      #expect(run.errorText == "")
      #expect(run.lines.contains { $0.hasPrefix("  stallwatch \(verb)") }, "an example in \(verb)'s discussion")
    }
  }

  @Test func theVersionIsOneLine() throws {
    let run = try TestRun.run([Self.stallwatch, "--version"])
    #expect(run.exitCode == 0)
    #expect(run.text == "\(Version.current)\n")
  }
}
