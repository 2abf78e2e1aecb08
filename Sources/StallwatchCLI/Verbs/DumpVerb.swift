import ArgumentParser
import StallwatchCore
import StallwatchFormats
import StallwatchLibc
import StallwatchProbe
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// `stallwatch dump`: what every thread of a running process does now.
struct DumpVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Shows what every thread of a process does now, and who waits for whom.",
    discussion: """
      Answers "my server hangs: what is it doing?" for any process, recorded or not. Reads each thread's name, state, CPU \
      time, stack, what it is blocked on and who holds the lock that it waits for. Never stops or signals the process. \
      Threads are read one after the other, within milliseconds; a deadlock is reported only if its threads have not run \
      meanwhile.

      The process's own user, or root, may read it; where the system allows less, the answer says what is missing and \
      how to allow it. Threads that run are sampled by the kernel's clock (perf_event_open).

      JSON has the schema stallwatch.dump/1; with --repeat, one document follows the other.

      Examples:

        stallwatch dump 4711
        stallwatch dump 4711 --repeat 5 --every 1s
        stallwatch dump 4711 --format json -o hang.json
      """)

  @Argument(help: ArgumentHelp("The number of the process.", valueName: "pid"))
  var process: Int32

  @Option(help: ArgumentHelp("Dump this many times, with each thread's load in between.", valueName: "count"))
  var `repeat` = 1

  @Option(
    help: ArgumentHelp("The time between two dumps.", valueName: "duration"), transform: DurationArgument.parse)
  var every = DurationArgument(.second)

  @OptionGroup var symbols: SymbolsOption

  @Option(help: "The output format.")
  var format: ListFormat = .text

  @OptionGroup var output: OutputOption

  /// A day between two dumps is more than anybody waits.
  private static let longestInterval = 86_400 * Nanoseconds.second

  func validate() throws {
    guard process > 0 else { throw ValidationError("The number of a process is 1 or more.") }
    guard (1...1_000_000).contains(`repeat`) else { throw ValidationError("--repeat must be 1 to 1000000.") }
    guard every.nanoseconds <= Self.longestInterval else { throw ValidationError("--every must be at most 1d.") }
  }

  func run() throws {
    #if os(Linux)
      let search = try symbols.search(root: "/proc/\(process)/root")
      let dumper = try opened()
      var earlier: ProcessDump?
      try OutputDestination.write(to: output.path) { sink in
        for place in 0..<`repeat` {
          if place > 0 { sleep(every.nanoseconds) }
          guard let dump = try next(dumper, after: earlier) else { return }
          let report = DumpReport(dump, since: earlier, recorded: recorded(of: dump, search), search: search)
          switch format {
          case .text: try sink((place > 0 ? "\n" : "") + DumpTextRenderer(style: output.style).render(report))
          case .json: try DumpJSONRenderer().render(report, into: sink)
          }
          earlier = dump
        }
      }
    #else
      throw Failure(.unable, "dump reads processes on Linux only; use 'sample \(process)' on this system")
    #endif
  }

  #if os(Linux)
    private func opened() throws -> ProcessDumper {
      do {
        return try ProcessDumper(process: process)
      } catch let error as ProbeError {
        throw Failure(.badInput, error.description)
      }
    }

    /// The next dump; nil when the process has ended after the first.
    private func next(_ dumper: ProcessDumper, after earlier: ProcessDump?) throws -> ProcessDump? {
      do {
        return try dumper.dump()
      } catch let error as ProbeError {
        guard earlier != nil else { throw Failure(.badInput, error.description) }
        StandardError.print("stallwatch: process \(process) has ended")
        return nil
      }
    }

    /// What the process's own recording says. A store that cannot be read now says nothing: the dump is what was asked for.
    private func recorded(of dump: ProcessDump, _ search: SymbolSearch) -> RecordedLanes? {
      guard let store = dump.store else { return nil }
      return try? StoreReader.undisturbed {
        try RecordedLanes(of: process, in: StoreReader(path: store), store: store, search: search)
      }
    }

    private func sleep(_ duration: Nanoseconds) {
      var time = timespec(tv_sec: Int(duration / .second), tv_nsec: Int(duration % .second))
      var rest = timespec()
      while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }
  #endif
}
