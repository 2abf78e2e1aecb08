import StallwatchCore
import StallwatchStore

/// Sums stalls by signature, and takes those together that are one bug (``CauseMerging``).
package struct SignatureFolding {
  /// The stalls of one signature.
  private struct Entry {
    var signature: Signature
    /// The blame with the most time.
    var blame: Blame
    var sum: StallSum

    var report: SignatureReport {
      SignatureReport(
        signature: signature, blame: blame, count: sum.count, total: sum.total, worst: sum.worst,
        worstStall: sum.worstStall, cause: sum.cause)
    }
  }

  /// The number of sampled stalls without a signature.
  package private(set) var unreadCount = 0
  private var entries: [Signature: Entry] = [:]
  /// Time by whom stalls of a signature blame.
  private var blames: [Signature: [Blame: Nanoseconds]] = [:]
  /// The most different blames summed for one signature: the same line comes first in all but odd recordings.
  private static let mostBlames = 64

  /// The sums, and where signatures went.
  struct Folded {
    /// The one with the most time first.
    var reports: [SignatureReport]
    /// The signatures that went into another, with that one.
    var merged: [Signature: Signature]
  }

  /// Without stalls.
  package init() {}

  /// Adds sampled stalls of one cause, none of them cancelled; nil where their looks show none.
  package mutating func add(_ sum: StallSum, _ cause: SignatureRule.Cause?) {
    guard let (signature, blame) = cause else {
      unreadCount += sum.count
      return
    }
    var entry = entries[signature] ?? Entry(signature: signature, blame: blame, sum: sum)
    if entries[signature] != nil { entry.sum.add(sum) }
    let known = blames[signature]?[blame]
    if known != nil || (blames[signature]?.count ?? 0) < Self.mostBlames {
      let time = (known ?? 0).saturatingAdd(sum.total)
      blames[signature, default: [:]][blame] = time
      if time > blames[signature]?[entry.blame] ?? 0 { entry.blame = blame }
    }
    entries[signature] = entry
  }

  /// The sums of all bugs.
  func folded() -> Folded {
    var kept: [Entry] = []
    var merged: [Signature: Signature] = [:]
    var merging = CauseMerging()
    for entry in Self.sorted(entries.values) {
      let place = merging.place(
        of: entry.signature.key, near: entry.signature.near, site: CauseMerging.Site(entry.blame))
      if place < kept.count {
        merged[entry.signature] = kept[place].signature
        kept[place].sum.add(entry.sum)
      } else {
        kept.append(entry)
      }
    }
    return Folded(reports: Self.sorted(kept).map(\.report), merged: merged)
  }

  /// The sums of all signatures as their stalls show them, none taken into another.
  package var unmerged: [SignatureReport] { Self.sorted(entries.values).map(\.report) }

  /// The signatures of all stalls of `contents` that count with another one, with that one: as a report counts them.
  /// Takes a pass over all samples.
  package static func merged<Contents: StoreContents>(
    in contents: Contents, stacks: StackReader<Contents>
  ) throws -> [Signature: Signature] {
    try CauseSums.signatures(of: contents, stacks: stacks).folded().merged
  }

  /// What belongs to no signature of a store with these stalls.
  func unattributed(of counts: StallCounts) -> Unattributed {
    var rest = Unattributed()
    rest.unreadCount = unreadCount
    rest.unsampledCount = max(counts.listedCount - unreadCount - entries.values.map(\.sum.count).reduce(0, +), 0)
    let attributed = entries.values.map(\.sum.total).saturatingSum()
    rest.total = rest.count == 0 ? 0 : max(counts.listedTotal, attributed) - attributed
    return rest
  }

  private static func sorted(_ entries: some Sequence<Entry>) -> [Entry] {
    entries.sorted { ($1.sum.total, $0.signature.key) < ($0.sum.total, $1.signature.key) }
  }
}
