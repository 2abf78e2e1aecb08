import StallwatchSymbols

/// Takes causes together that are one bug.
///
/// A stall's few looks leave it to chance which side of a half something falls on. So a cause goes into a heavier one if it
/// nearly was that one (``Signature/near``), or is the same call at the same line, and only waited for something else in
/// there, or for nothing.
package struct CauseMerging {
  /// A call at a line of code.
  package struct Site: Hashable {
    private let place: Blame.Place
    private let called: String

    /// Nil where the line, or what was called there, is unknown.
    package init?(_ place: Blame.Place?, called: String?) {
      guard let place, place.location?.line != nil, let called else { return nil }
      (self.place, self.called) = (place, called)
    }

    init?(_ blame: Blame) { self.init(blame.own, called: blame.called) }
  }

  private var places: [String: Int] = [:]
  private var sites: [Site: Int] = [:]
  private var count = 0

  /// Before the first cause.
  package init() {}

  /// The place of the next cause among those that are kept, in the order in which they came: that of the one which it goes
  /// into, or as many as were kept so far. To be asked for all causes, the one with the most time first.
  package mutating func place(of key: String, near: String?, site: Site?) -> Int {
    if let place = near.flatMap({ places[$0] }) ?? site.flatMap({ sites[$0] }) { return place }
    places[key] = count
    if let site { sites[site] = count }
    count += 1
    return count - 1
  }
}
