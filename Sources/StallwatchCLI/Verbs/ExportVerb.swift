import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch export`: converts a store for other tools.
struct ExportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Converts a recording to another tool's format.",
    discussion: """
      speedscope   speedscope.app: a profile for each loop's stalls and busy time
      perfetto     ui.perfetto.dev: loops, stalls, samples and lock owners over time
      firefox      profiler.firefox.com: a thread for each loop, stalls as markers
      pprof        go tool pprof and others: sampled stacks with labels, as a gzip file
      collapsed    stacks with microseconds, for flame graph scripts
      jsonl        one stall per line, with the keys of stallwatch.stalls/1
      openmetrics  Prometheus and compatible tools: a page to scrape; see 'serve --metrics'
      prometheus   the same page in Prometheus's text format

      Examples:

        stallwatch export session.stallwatch --format speedscope -o session.speedscope.json
        stallwatch export session.stallwatch --format collapsed | flamegraph.pl > session.svg
        stallwatch export session.stallwatch --format jsonl --loop main --cause blocked
      """)

  @OptionGroup var input: StoreArgument

  @Option(help: "The output format.")
  var format: ExportFormat

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @OptionGroup var output: OutputOption

  func run() throws {
    let reading = try StoreReading(filter, symbols)
    let progress = ReadingProgress(isShown: !output.isTerminal)
    defer { progress.end() }
    let contents = try progress.open(input.store, reading)
    let export = try StoreExport(contents, search: reading.search)
    if format.isText {
      try OutputDestination.write(to: output.path, reading: input.store) { try export.write(format, into: $0) }
    } else if output.isTerminal {
      throw Failure(.badInput, "\(format.rawValue) is no text to show in a terminal; name a file with -o")
    } else if let bytes = try export.bytes(format) {
      try OutputDestination.write(bytes, to: output.path, reading: input.store)
    }
    progress.end()
    reading.noteUnmatchedNames()
    if let selection = contents.selection { StandardError.print("stallwatch: \(selection.text)") }
    for note in export.symbolNotes { StandardError.print("stallwatch: \(note.text)") }
  }
}

extension ExportFormat: ExpressibleByArgument {}
