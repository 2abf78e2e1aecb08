import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Reads from a store what a page had no room for, when it is asked for.
package struct PageDetails<Contents: StoreContents> {
  private let contents: Contents
  private let search: SymbolSearch
  private let configuration: PageConfiguration

  /// The most slices of a loop in a range: two for each pixel of a wide screen.
  private static var mostSlices: Int { 8_000 }

  /// Details of `contents`, for a page with these limits.
  package init(_ contents: Contents, configuration: PageConfiguration, search: SymbolSearch = SymbolSearch()) {
    (self.contents, self.configuration, self.search) = (contents, configuration, search)
  }

  /// The story of the stall in this row; nil where there is none. Throws what the contents throw.
  package func story(of stall: Int64) throws -> StallStory? {
    try StallExaminer(contents, search: search).examine(stall).map { StallStory($0) }
  }

  /// What the loops of a session did in a range of its time; nil where there is no such session. Throws what the
  /// contents throw.
  package func busy(session row: Int64, range: Range<Nanoseconds>) throws -> BusyTime? {
    guard let session = try contents.sessions().first(where: { $0.id == row }) else { return nil }
    let loops = try contents.loops(session: row).map(\.id)
    // As many loops as any page shows; which, only the page knows.
    let most = Self.mostSlices / max(loops.count / configuration.lanes, 1)
    var busy = BusyTime(session, mostSlices: most, loops: loops, range: range)
    try contents.forEachWindow(session: row, withCells: true) { busy.add($0) }
    return busy
  }
}
