import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// Checked by a reader that follows the wire format of protocol buffers and the fields of pprof's profile.proto.
@Suite struct PprofTests {
  /// A message's fields by number.
  private struct Message {
    private(set) var numbers: [UInt64: [UInt64]] = [:]
    private(set) var contents: [UInt64: [[UInt8]]] = [:]

    init(_ bytes: some Collection<UInt8>) throws {
      var rest = Array(bytes)[...]
      while !rest.isEmpty {
        let key = try Self.varint(&rest)
        switch key & 7 {
        case 0: numbers[key >> 3, default: []].append(try Self.varint(&rest))
        case 2:
          let length = Int(try Self.varint(&rest))
          try #require(length <= rest.count)
          contents[key >> 3, default: []].append(Array(rest.prefix(length)))
          rest = rest.dropFirst(length)
        default: try #require(Bool(false), "wire type \(key & 7)")
        }
      }
    }

    func number(_ field: UInt64) -> UInt64 { numbers[field]?.last ?? 0 }
    func messages(_ field: UInt64) throws -> [Message] { try (contents[field] ?? []).map { try Message($0) } }
    func texts(_ field: UInt64) -> [String] { (contents[field] ?? []).map { String(decoding: $0, as: UTF8.self) } }

    func packed(_ field: UInt64) throws -> [UInt64] {
      try (contents[field] ?? []).flatMap { bytes in
        var (rest, values) = (bytes[...], [UInt64]())
        while !rest.isEmpty { values.append(try Self.varint(&rest)) }
        return values
      }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while let byte = bytes.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      throw CocoaError(.fileReadCorruptFile)
    }
  }

  /// The content of a gzip file, by the system's own `gzip`.
  private func unpacked(_ file: [UInt8]) throws -> [UInt8] {
    let directory = try TestDirectory()
    try Data(file).write(to: URL(fileURLWithPath: directory.file("profile.gz")))
    let run = try TestRun.run(["/usr/bin/env", "gzip", "-dc", directory.file("profile.gz")])
    #expect(run.exitCode == 0, "\(run.errorText)")
    return Array(run.output)
  }

  @Test func contentsOfAnyLengthArePacked() throws {
    for count in [0, 1, 1 << 20, 1 << 20 + 1, 5_000_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(try unpacked(Gzip.packed(bytes)) == bytes)
    }
  }

  @Test func samplesHaveTimesLabelsAndFunctionsWithLines() throws {
    let example = try SampledExample()
    var contents = example.contents
    contents.storedSessions[0].record.labels = SessionLabels(release: "4.2.0", tags: ["region": "eu"])
    let export = try StoreExport(contents)
    let profile = try Message(unpacked(try #require(try export.bytes(.pprof))))
    let texts = profile.texts(6)
    #expect(texts.first == "")
    #expect(Set(texts).count == texts.count)
    let types = try profile.messages(1).map { (texts[Int($0.number(1))], texts[Int($0.number(2))]) }
    #expect(types.map { "\($0.0)/\($0.1)" } == ["samples/count", "time/nanoseconds"])
    let samples = try profile.messages(2)
    var time: UInt64 = 0
    for stall in contents.storedStalls where stall.state != .cancelled {
      time += (contents.storedSamples[stall.id] ?? []).map(\.weight).reduce(0, +)
    }
    time += contents.storedProfiles.values.joined().map(\.weight).reduce(0, +)
    #expect(try samples.map { try $0.packed(2)[1] }.reduce(0, +) == time)
    let labels = try samples.map { sample in
      Dictionary(
        try sample.messages(3).map { (texts[Int($0.number(1))], texts[Int($0.number(2))]) },
        uniquingKeysWith: { first, _ in first })
    }
    #expect(labels.allSatisfy { $0["loop"] == "main" })
    #expect(labels.allSatisfy { $0["release"] == "4.2.0" && $0["tag.region"] == "eu" && $0["instance"] == nil })
    #expect(Set(labels.compactMap { $0["cause"] }).isSubset(of: ["running", "blocked", "starved"]))
    #expect(
      labels.contains {
        $0["mode"] == "kCFRunLoopDefaultMode" && $0["severity"] == "severe" || $0["severity"] == "hang"
      })
    let functions = Dictionary(
      try profile.messages(5).map { ($0.number(1), texts[Int($0.number(2))]) }, uniquingKeysWith: { first, _ in first })
    let locations = try profile.messages(4)
    let numbers = Set(locations.map { $0.number(1) })
    for sample in samples { #expect(Set(try sample.packed(1)).isSubset(of: numbers)) }
    var lines: [String: UInt64] = [:]
    for location in locations {
      for line in try location.messages(4) {
        let name = try #require(functions[line.number(1)])
        if line.number(2) > 0 { lines[name] = line.number(2) }
      }
    }
    #expect(lines.keys.contains { $0.hasPrefix("ImageStore.decode") })
    let images = try profile.messages(3)
    #expect(images.map { $0.number(1) } == (1...UInt64(images.count)).map { $0 })
    #expect(images.contains { !texts[Int($0.number(6))].isEmpty && $0.number(7) == 1 })
    // Its program's file is read until here.
    withExtendedLifetime(example) {}
  }
}
