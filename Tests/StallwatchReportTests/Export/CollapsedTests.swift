import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats

/// Checked by a reader of the format that flame graph scripts take: functions with `;` between them, a space, a number.
@Suite(.serialized) struct CollapsedTests {
  private func lines(_ text: String) throws -> [(stack: [String], weight: Int)] {
    try text.split(separator: "\n").map { line in
      let space = try #require(line.lastIndex(of: " "))
      let weight = try #require(Int(line[line.index(after: space)...]))
      #expect(weight > 0)
      return (line[..<space].split(separator: ";").map(String.init), weight)
    }
  }

  @Test func stacksHaveTheirMicroseconds() throws {
    let lines = try lines(try SampledExample().export(.collapsed))
    let stalls = lines.filter { $0.stack[0] == "main: stalls" }
    // 760 ms and 40 ms in one stack, 100 ms in another, 10 ms that could not be read.
    #expect(stalls.map(\.weight).sorted() == [10_000, 100_000, 800_000])
    let decode = try #require(stalls.first { $0.weight == 800_000 })
    #expect(decode.stack.prefix(2) == ["main: stalls", "main"])
    #expect(decode.stack.suffix(2) == ["ImageStore.note(_:)", "report(_:)"])
    #expect(stalls.contains { $0.stack == ["main: stalls"] })
    #expect(lines.filter { $0.stack[0] == "main: busy time" }.map(\.weight).reduce(0, +) == 1_000_000)
  }

  @Test func namesDoNotBreakTheFormat() throws {
    var contents = HandMadeContents.hostile
    for stall in contents.storedStalls {
      contents.storedSamples[stall.id] = [
        StackSample(atNs: 0, weight: .millisecond, activity: .running, frames: [.max, 7])
      ]
    }
    var text = ""
    try StoreExport(contents).write(.collapsed) { text += $0 }
    let lines = try lines(text)
    #expect(lines.count == HandMadeContents.hostileNames.count)
    #expect(lines.allSatisfy { $0.stack.count == 3 })
  }
}

@Suite(.serialized) struct StallLinesTests {
  @Test func everyStallIsOneLineWithTheKeysOfTheList() throws {
    let text = try SampledExample().export(.jsonl)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 5)
    for line in lines {
      let stall = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(
        Set(stall.keys) == [
          "id", "session", "loop", "loop_name", "thread_id", "mode", "phase", "callout", "depth", "kind", "started_ns",
          "started_at", "duration_ns", "detected_after_ns", "severity", "state", "reason", "cause", "blocked_on",
          "signature", "samples", "annotations", "service", "release", "environment", "instance", "tags",
        ])
    }
  }

  @Test(arguments: ExportFormat.allCases)
  func anEmptyStoreAndAHostileOneCanBeExported(format: ExportFormat) throws {
    for contents in [HandMadeContents(), .hostile, .busy, .killed] {
      var text = ""
      let export = try StoreExport(contents)
      if let bytes = try export.bytes(format) {
        #expect(bytes.starts(with: [0x1F, 0x8B]))
        continue
      }
      try export.write(format) { text += $0 }
      if ![.collapsed, .jsonl, .openmetrics, .prometheus].contains(format) {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
      }
    }
  }
}
