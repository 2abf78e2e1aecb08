import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// What a verb reads of stores, and how it names functions.
struct StoreReading {
  var request: FilterRequest
  var search: SymbolSearch

  /// What the options ask for. Throws ``Failure`` for a folder of symbols that cannot be read.
  init(_ filter: FilterOptions, _ symbols: SymbolsOption) throws {
    (request, search) = (filter.request, try symbols.search())
  }

  /// The same for a base store: its lanes, modes and least duration are those of the recording. Its sessions,
  /// releases, instances and moments are its own, and it may lack a cause or an annotation.
  var ofBase: StoreReading {
    var reading = self
    (reading.request.since, reading.request.until, reading.request.last) = (nil, nil, nil)
    (reading.request.labels[.release], reading.request.labels[.instance]) = (nil, nil)
    (reading.request.sessions, reading.request.causes, reading.request.annotations) = ([], [], [])
    return reading
  }

  /// Says on stderr which of the names given by `--own` nothing had.
  func noteUnmatchedNames() {
    for name in search.unmatchedOwnNames {
      StandardError.print(
        "stallwatch: --own \(DisplayText.name(name)): no image and no module on the stacks has this name; it changes nothing"
      )
    }
  }

  /// A reader of what is asked for. Throws ``Failure`` where the store at `path` has nothing of a name that is asked
  /// for, and what reading throws.
  func reader(of store: StoreReader, path: String) throws -> StoreReader {
    do {
      return try request.reader(of: store, search: search)
    } catch let error as FilterError {
      throw Failure(.badInput, "\(path): \(error)")
    }
  }
}
