import StallwatchCore
import StallwatchReport
import StallwatchStore

/// A stall as a marker of the Firefox Profiler.
struct FirefoxMarker {
  var stall: StoredStall
  /// What the stall's samples show.
  var analysis: StallAnalysis?

  /// The type of the markers in the file's own schema.
  static let type = "Stall"
  /// The fields of a marker: key and label.
  static let fields: [(key: String, label: String)] = [
    ("stall", "Stall"), ("severity", "Severity"), ("mode", "Mode"), ("phase", "Phase"), ("cause", "Cause"),
    ("blockedOn", "Blocked on"), ("signature", "Signature"),
  ]

  /// The values by key of ``fields``; unknown values are left out.
  var values: [(key: String, value: String)] {
    let values: [(String, String?)] = [
      ("stall", String(stall.id)), ("severity", stall.severity.name), ("mode", stall.mode),
      ("phase", stall.began.phase.name), ("cause", stall.cause.map { CauseWords.split($0) }),
      ("blockedOn", analysis?.blockedOn.map(CauseWords.blockedOn)), ("signature", analysis?.signature?.title),
      ("cause", analysis?.sentence),
    ]
    return values.compactMap { key, value in value.map { (key, $0) } }
  }

  /// All stalls by their loop's row, without cancelled ones. Throws what reading throws.
  static func all(_ export: StoreExport<some StoreContents>) throws -> [Int64: [FirefoxMarker]] {
    var markers: [Int64: [FirefoxMarker]] = [:]
    try export.contents.forEachStall { stall in
      guard stall.state != .cancelled else { return }
      let samples = try export.contents.samples(stall: stall.id)
      let analysis = try export.stacks.analysis(of: samples, session: stall.session)
      markers[stall.loop, default: []].append(FirefoxMarker(stall: stall, analysis: analysis))
    }
    return markers
  }
}
