import Foundation
import StallwatchCore
import TestPrograms
import Testing

/// What the documents say, held against the program.
@Suite("The documentation", .serialized)
struct DocumentationTests {
  private static let catalogue = "\(Built.package)/Sources/Stallwatch/Stallwatch.docc"
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(Built.package)/\(path)", encoding: .utf8)
  }

  private func article(_ name: String) throws -> String { try text("Sources/Stallwatch/Stallwatch.docc/\(name).md") }

  /// A store with stalls of 20 ms in it.
  private func madeStore() throws -> String {
    let store = directory.file("s.stallwatch")
    let run = try TestRun.run(
      [Built.product("steady-loop"), "busy", "0.5", store], environment: ["STALLWATCH_THRESHOLD": "10ms"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    return store
  }

  private func rows(_ sql: String, in store: String) throws -> [String] {
    let run = try TestRun.run(["/usr/bin/env", "sqlite3", "-readonly", store, sql])
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(sql)\n\(run.errorText)")
    return run.lines
  }

  @Test("names every table and view of the store, and every column of the tables in its table's section")
  func schema() throws {
    let article = try article("TheStore")
    let store = try madeStore()
    let tables = try rows("SELECT name FROM sqlite_schema WHERE type = 'table'", in: store)
    #expect(tables.count == 25)
    for table in tables {
      let section = try #require(article.components(separatedBy: "\n### \(table)\n").dropFirst().first, "\(table)")
      let end = section.range(of: "\n##")?.lowerBound ?? section.endIndex
      let documented = section[..<end].matches(of: #/\n\| `(\w+)` \|/#).map { String($0.1) }
      #expect(try documented == rows("SELECT name FROM pragma_table_info('\(table)')", in: store), "\(table)")
    }
    for view in try rows("SELECT name FROM sqlite_schema WHERE type = 'view'", in: store) {
      #expect(article.contains("- `\(view)`:"))
    }
  }

  @Test("shows queries that run")
  func queries() throws {
    let queries = try article("TheStore").matches(of: #/```sql\n(.*?)```/#.dotMatchesNewlines()).map { String($0.1) }
    #expect(queries.count >= 4)
    let store = try madeStore()
    #expect(try !rows(queries[0], in: store).isEmpty, "the store has stalls")
    for query in queries { _ = try rows(query, in: store) }
  }

  @Test("names every verb and every option of the command line")
  func verbs() throws {
    let article = try article("CommandLine")
    let listed = { (words: [String]) -> [String] in
      let help = try TestRun.run([Built.product("stallwatch")] + words + ["--help"]).text
      let parts = help.components(separatedBy: "SUBCOMMANDS:\n")
      return parts.dropFirst().flatMap { $0.matches(of: #/(?m)^  (\w+) /#) }.map { String($0.1) }
        .filter { $0 != "See" }
    }
    let verbs = try listed([]).flatMap { verb in
      let parts = try listed([verb])
      return parts.isEmpty ? [verb] : parts.map { "\(verb) \($0)" }
    }
    #expect(verbs.count >= 5)
    #expect(verbs.contains { $0.contains(" ") })
    let section = { (title: String) in
      let rest = try #require(article.components(separatedBy: "\n## \(title)\n").dropFirst().first, "\(title)")
      return rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    }
    let common = [
      "[FILTER]…": try section("Reading a part of a store"), "[FLEET]…": try section("What of a fleet is asked"),
    ]
    for verb in verbs {
      let own = try section(verb)
      let shared = common.filter { own.contains($0.key) }.map { String($0.value) }
      let text = shared.reduce(String(own), +)
      let help = try TestRun.run([Built.product("stallwatch")] + verb.components(separatedBy: " ") + ["--help"]).text
      let options = help.matches(of: #/(?m)^  (-\w)?(?:, )?(--[a-z-]+)/#)
      for option in options {
        if ["--version", "--help"].contains(option.2) { continue }
        let names = [option.1, option.2].compactMap { $0 }
        #expect(names.contains { text.contains($0) }, "\(verb) \(option.0)")
      }
      // What is documented once for several verbs holds of each of them.
      for entry in shared.flatMap({ $0.matches(of: #/(?m)^(?:- |\| )`-.*?(?=:|\| )/#) }) {
        for name in entry.0.matches(of: #/`(--[a-z-]+)/#) {
          #expect(options.contains { $0.2 == name.1 }, "\(verb) \(name.1)")
        }
      }
    }
    for verb in verbs { #expect(try text("README.md").contains("`stallwatch \(verb)"), "README.md: \(verb)") }
  }

  @Test("names every environment variable")
  func environment() throws {
    for variable in MonitorVariable.allCases {
      #expect(try article("CommandLine").contains("| `\(variable.rawValue)` |"))
      #expect(try text("README.md").contains("`\(variable.rawValue)`"))
    }
    for name in try namesInSources(#/"(STALLWATCH_[A-Z]+)"/#) {
      #expect(try article("CommandLine").contains("`\(name)`"))
    }
  }

  /// What `pattern` captures in the sources, each once.
  private func namesInSources(_ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
    let paths = try #require(FileManager.default.enumerator(atPath: "\(Built.package)/Sources"))
    var names: Set<String> = []
    for case let path as String in paths where path.hasSuffix(".swift") || path.hasSuffix(".c") {
      names.formUnion(try text("Sources/\(path)").matches(of: pattern).map { String($0.1) })
    }
    return names
  }

  @Test("names every key of the JSON reports")
  func json() throws {
    let article = try article("TheJSONReport")
    let store = try madeStore()
    for arguments in [["report", store], ["stalls", store], ["timers", store], ["show", store, "1"], ["doctor"]] {
      let run = try TestRun.run([Built.product("stallwatch")] + arguments + ["--format", "json"])
      let document = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
      let schema = try #require(document["schema"] as? String)
      #expect(article.contains("\n## \(schema)\n"))
      for key in keys(of: document) { #expect(article.contains("`\(key)`"), "\(schema): \(key)") }
    }
  }

  /// All keys of a document but those that come from the recorded program.
  private func keys(of value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(keys(of: $1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.reduce(into: Set(object.keys)) { keys, member in
      if !["annotations", "losses", "tags"].contains(member.key) { keys.formUnion(self.keys(of: member.value)) }
    }
  }

  @Test("links to files that are there, and to each article from the first page")
  func links() throws {
    let articles = try FileManager.default.contentsOfDirectory(atPath: Self.catalogue)
      .filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }
    #expect(articles.count >= 7)
    for name in articles {
      for link in try article(name).matches(of: #/<doc:(\w+)>/#) {
        #expect(articles.contains(String(link.1)), "\(name).md: \(link.0)")
      }
      #expect(try name == "Stallwatch" || article("Stallwatch").contains("- <doc:\(name)>"), "\(name)")
    }
    for page in ["README.md", "CONTRIBUTING.md"] {
      for link in try text(page).matches(of: #/\]\(([^)#:]+)\)/#) {
        #expect(FileManager.default.fileExists(atPath: "\(Built.package)/\(link.1)"), "\(page): \(link.1)")
      }
    }
  }

  @Test("shows in the README what the program says of the README's example")
  func report() throws {
    let run = try TestRun.run(["\(Built.package)/tools/build/readme-report", "--check", "--built", Built.products])
    #expect(run.exitCode == 0, "\(run.errorText)")
  }

  @Test("lists every script, and calls none that is not there")
  func scripts() throws {
    let contributing = try text("CONTRIBUTING.md")
    let listed = Set(contributing.matches(of: /\n\| `(tools\/[\w\/-]+)/).map { String($0.1) })
    var scripts: Set<String> = []
    for folder in ["tools", "tools/build", "tools/judge", "tools/fuzz", "tools/bench"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(Built.package)/\(folder)") {
        let path = "\(Built.package)/\(folder)/\(name)"
        let isScript = FileManager.default.contents(atPath: path)?.starts(with: Data("#!".utf8)) == true
        if isScript { scripts.insert("\(folder)/\(name)") }
      }
    }
    #expect(scripts.count > 20)
    #expect(listed == scripts)
  }

  @Test("says of every module what it is for")
  func modules() throws {
    let contributing = try text("CONTRIBUTING.md")
    for module in try FileManager.default.contentsOfDirectory(atPath: "\(Built.package)/Sources") {
      #expect(contributing.contains("| `\(module)` |"), "\(module)")
    }
  }
}
