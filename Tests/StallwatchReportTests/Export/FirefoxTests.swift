import Foundation
import Testing

@testable import StallwatchFormats

/// Checked against the structure of the processed profile format, version 48, as the Firefox Profiler's documentation and
/// types give it: every table a set of columns of one length, every place in another table within it, prefixes before the
/// stacks that grow from them.
@Suite(.serialized) struct FirefoxTests {
  private func profile() throws -> [String: Any] {
    let text = try SampledExample().export(.firefox)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// The columns of a table; each has the table's length.
  private func table(_ name: String, of thread: [String: Any], columns: Set<String>) throws -> [String: [Any]] {
    let table = try thread.object(name)
    let length = try #require(table["length"] as? Int)
    let arrays = table.compactMapValues { $0 as? [Any] }
    #expect(Set(arrays.keys) == columns, "\(name)")
    for (key, column) in arrays { #expect(column.count == length, "\(name).\(key)") }
    return arrays
  }

  private func places(_ column: [Any]?, within count: Int, allowing extra: Int? = nil) throws {
    for case let place as Int in try #require(column) {
      #expect((0..<count).contains(place) || place == extra, "\(place) of \(count)")
    }
  }

  @Test func theFileDescribesItself() throws {
    let profile = try profile()
    let meta = try profile.object("meta")
    #expect(meta["preprocessedProfileVersion"] as? Int == 48)
    #expect(meta["version"] as? Int == 28)
    #expect(meta["startTime"] as? Double == 1_777_630_830_000)
    for key in ["interval", "processType", "stackwalk", "product", "symbolicated"] {
      #expect(meta[key] != nil, "\(key)")
    }
    for category in try meta.list("categories") {
      #expect(category["name"] is String && category["color"] is String)
      #expect((category["subcategories"] as? [String])?.isEmpty == false)
    }
    let schema = try meta.list("markerSchema")
    #expect(schema.map { $0["name"] as? String } == ["Stall"])
    for library in try profile.list("libs") {
      #expect(
        Set(library.keys) == ["arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"])
    }
  }

  @Test func tablesPointIntoEachOther() throws {
    let profile = try profile()
    let categories = try profile.object("meta").list("categories").count
    let libraries = try profile.list("libs").count
    let threads = try profile.list("threads")
    #expect(threads.count == 1)
    let thread = threads[0]
    #expect(thread["name"] as? String == "main")
    #expect(thread["isMainThread"] as? Bool == true)
    #expect(thread["pid"] as? String == "4001")
    let texts = try #require(thread["stringArray"] as? [String])
    let samples = try table("samples", of: thread, columns: ["stack", "time", "weight"])
    let stacks = try table("stackTable", of: thread, columns: ["frame", "prefix", "category", "subcategory"])
    let frames = try table(
      "frameTable", of: thread,
      columns: [
        "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "implementation",
        "line", "column",
      ])
    let functions = try table(
      "funcTable", of: thread,
      columns: ["isJS", "relevantForJS", "name", "resource", "fileName", "lineNumber", "columnNumber"])
    let resources = try table("resourceTable", of: thread, columns: ["lib", "name", "host", "type"])
    _ = try table("nativeSymbols", of: thread, columns: ["libIndex", "address", "name", "functionSize"])
    let count = { (table: [String: [Any]]) in table.values.first?.count ?? 0 }
    try places(samples["stack"], within: count(stacks))
    try places(stacks["frame"], within: count(frames))
    try places(stacks["category"], within: categories)
    try places(frames["func"], within: count(functions))
    try places(frames["category"], within: categories)
    try places(functions["name"], within: texts.count)
    try places(functions["fileName"], within: texts.count)
    try places(functions["resource"], within: count(resources), allowing: -1)
    try places(resources["lib"], within: libraries)
    try places(resources["name"], within: texts.count)
    for (place, prefix) in try #require(stacks["prefix"]).enumerated() {
      if let prefix = prefix as? Int { #expect(prefix < place) }
    }
    #expect(try thread.object("samples")["weightType"] as? String == "tracing-ms")
    let times = try #require(samples["time"] as? [Double])
    #expect(times == times.sorted())
    #expect(times.count == 13)
    #expect(times.first == 1_050)
  }

  @Test func stallsAreMarkers() throws {
    let thread = try profile().list("threads")[0]
    let markers = try table(
      "markers", of: thread, columns: ["data", "name", "startTime", "endTime", "phase", "category"])
    #expect(markers["startTime"] as? [Double] == [1_000, 3_000, 5_000, 7_000])
    #expect(markers["endTime"] as? [Double] == [1_812, 3_090, 5_150, 7_060])
    #expect(markers["phase"] as? [Int] == [1, 1, 1, 1])
    let data = try #require(markers["data"] as? [[String: Any]])
    let keys = Set(FirefoxMarker.fields.map(\.key)).union(["type"])
    #expect(data.allSatisfy { Set($0.keys).isSubset(of: keys) && $0["type"] as? String == "Stall" })
    #expect(data[0]["blockedOn"] as? String == "fsync of /var/cache/cache.db")
  }
}
