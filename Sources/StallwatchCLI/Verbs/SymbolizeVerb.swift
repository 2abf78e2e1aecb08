import ArgumentParser
import StallwatchFormats
import StallwatchReport
import StallwatchStore

/// `stallwatch symbolize`: writes function names into a store.
struct SymbolizeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolize",
    abstract: "Writes the names of functions into a store, so that it can be read anywhere.",
    discussion: """
      'record' does this by itself when its program has ended. Use 'symbolize' for what an embedded monitor recorded, \
      and for what had no names then: with --symbols it also takes them from unstripped builds and debug files. A file \
      counts only if it has the recorded build-id. Of each address the store keeps what the file that says most knows: \
      function, file and line, and the functions that were inlined there.

      'symbolize' also removes names that nothing in the store needs any more. You can interrupt it at any moment, and \
      run it while the store is being recorded into. JSON has the schema stallwatch.symbolize/1.

      Examples:

        stallwatch symbolize app.stallwatch
        stallwatch symbolize app.stallwatch --symbols ~/debug-files --format json
      """)

  @OptionGroup var input: StoreArgument

  @OptionGroup var symbols: SymbolsOption

  @Option(help: "The output format.")
  var format: ListFormat = .text

  func run() throws {
    let search = try symbols.search()
    let progress = ReadingProgress()
    defer { progress.end() }
    let namer = try StoreNamer(input.store, checking: true)
    defer { namer.close() }
    let outcome = try StoreSymbolizer(namer, search: search).run { done, all in
      progress.update("\(Figure.count(done)) of \(Figure.count(all, "stack"))", verb: "naming")
    }
    try namer.removeUnused()
    progress.end()
    try OutputDestination.writeToStandardOutput { sink in
      switch format {
      case .text: try sink(SymbolizeRenderer.text(outcome))
      case .json: try SymbolizeRenderer.json(outcome, into: sink)
      }
    }
  }
}
