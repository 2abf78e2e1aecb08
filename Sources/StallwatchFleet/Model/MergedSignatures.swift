import StallwatchCore
import StallwatchReport
import StallwatchSymbols

/// The signatures of a fleet, with those taken together that are one bug (``CauseMerging``).
struct MergedSignatures: Sendable {
  struct Cause: Sendable {
    /// What the cause is called: of its signatures, the one with the most time.
    var signature: SignatureRow
    /// The keys of the other signatures.
    var absorbed: [String] = []

    var keys: [String] { [signature.signature] + absorbed }
  }

  private(set) var causes: [Cause] = []

  /// Merges signatures that held for so long in all. A key without a signature stands for itself.
  init(_ totals: [String: Nanoseconds], _ signatures: [String: SignatureRow]) {
    var merging = CauseMerging()
    for (key, _) in totals.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      let signature = signatures[key] ?? SignatureRow(unknown: key)
      let place = merging.place(
        of: key, near: signature.near.isEmpty ? nil : signature.near, site: CauseMerging.Site(signature))
      if place == causes.count {
        causes.append(Cause(signature: signature))
      } else {
        causes[place].absorbed.append(key)
      }
    }
  }
}

extension SignatureRow {
  /// A signature of which only the key is known.
  init(unknown key: String) {
    self.init(
      service: "", signature: key, title: key, function: "", file: "", line: 0, call: "", called: "", near: "",
      frames: [], version: 0)
  }

  /// The function that counts, with its place.
  package var place: Blame.Place? {
    guard !function.isEmpty else { return nil }
    let location = file.isEmpty ? nil : SourceLocation(path: file, line: line > 0 ? Int(line) : nil)
    return Blame.Place(function: function, location: location)
  }

  /// What it is called, with the line to change where that is known.
  package var sentence: String {
    guard let location = place?.location else { return title }
    return "\(title) at \(location.label)"
  }
}

extension CauseMerging.Site {
  init?(_ signature: SignatureRow) {
    self.init(signature.place, called: signature.called.isEmpty ? nil : signature.called)
  }
}
