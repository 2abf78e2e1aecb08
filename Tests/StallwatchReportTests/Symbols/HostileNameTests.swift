import Foundation
import Testing

@testable import StallwatchSymbols

/// Names that come to gigabytes when they are written out: they stay as they are, within bounds, and others do not suffer.
@Suite(.serialized) struct HostileNameTests {
  private static let honest = "$s1a1xAA1bVySi_SitGvp"

  /// The function `a.f` of a pair of a pair of a pair…: each level refers twice to the one within.
  private static func swiftName(levels: Int) -> String {
    let references = (4..<4 + levels).map { "_" + reference($0) + "tG" }.joined()
    return "$s1a1fyyAA1bVy" + String(repeating: "ADy", count: levels) + "Si_SitG" + references + "F"
  }

  private static func reference(_ index: Int) -> String {
    if index < 26 { return "A" + String(UnicodeScalar(UInt8(65 + index))) }
    return index == 26 ? "A_" : "A\(index - 27)_"
  }

  /// The function `f(p<p<p<…>, …>, …>)` of C++, in the same way.
  private static func cxxName(levels: Int) -> String {
    let references = (0..<levels).map { "S" + ($0 == 0 ? "" : String($0 - 1, radix: 36).uppercased()) + "_E" }
    return "_Z1f1pI" + String(repeating: "S_I", count: levels) + "iiE" + references.dropFirst().joined() + "S_E"
  }

  @Test(arguments: [swiftName(levels: 26), swiftName(levels: 60), cxxName(levels: 30), cxxName(levels: 200)])
  func stayAsTheyAre(_ name: String) {
    let demangler = DemanglerProcess()
    #expect(demangler.answer(name, .readable).text == nil)
    #expect(demangler.answer(name, .full).text == nil)
    #expect(demangler.answer(Self.honest, .readable).text == "x")
    #expect(demangler.answer(Self.honest, .full).text == "a.x : a.b<(Swift.Int, Swift.Int)>")
    #expect(Demangling.readable(name).name == name)
  }

  @Test func takeNoMoreMemoryThanTheirBound() {
    let demangler = DemanglerProcess()
    #expect(demangler.answer(Self.swiftName(levels: 60), .readable).text == nil)
    #expect(demangler.largestMemory > 0)
    // The process begins as a copy of this one.
    #expect(demangler.largestMemory < Self.ownLargestMemory() + (256 << 20))
  }

  @Test func areNotTriedForEver() {
    let demangler = DemanglerProcess()
    for levels in 60..<160 { #expect(demangler.answer(Self.swiftName(levels: levels), .readable).text == nil) }
    #expect(demangler.refused == 8)
    // Also those that are well: whoever made these names may have made a thousand.
    #expect(demangler.answer(Self.honest, .readable).text == nil)
  }

  @Test func ofAnyLanguageHaveNoTextWhereNoneIsKnown() {
    let demangler = DemanglerProcess()
    for name in ["", "main", "$s", "_Z", "_ZZ", "$s\u{1}", "_R", String(repeating: "$s1a", count: 5_000)] {
      #expect(demangler.answer(name, .readable).text == nil, "\(name)")
    }
    #expect(demangler.answer("_Z1fi", .readable).text == "f(int)")
    #expect(demangler.refused == 0)
  }

  @Test func aProcessThatIsKilledCostsNoName() throws {
    let demangler = DemanglerProcess()
    #expect(demangler.answer(Self.honest, .readable).text == "x")
    kill(try #require(demangler.process), SIGKILL)
    #expect(demangler.answer(Self.honest, .readable).text == "x")
    #expect(demangler.refused == 0)
  }

  @Test func thatAreMadeAtRandomEndTheProcessAtMost() {
    let demangler = DemanglerProcess()
    var generator = RandomBytes(state: 20)
    let seeds = [Self.honest, Self.swiftName(levels: 8), Self.cxxName(levels: 6), "$sSS5countSivg", "$s1a1bV1txSgvgTq"]
    for _ in 0..<4_000 {
      var bytes = Array(seeds.randomElement(using: &generator)!.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 2..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0x21...0x7E, using: &generator)
        case 1: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
        default: bytes.remove(at: place)
        }
        if bytes.count < 4 { break }
      }
      _ = demangler.answer(String(decoding: bytes, as: UTF8.self), .readable)
    }
    #expect(demangler.answer(Self.honest, .readable).text == "x" || demangler.refused == 8)
  }

  /// The most memory that this process had resident, in bytes.
  private static func ownLargestMemory() -> UInt64 {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (UInt64(line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0) << 10
  }

  private struct RandomBytes: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
