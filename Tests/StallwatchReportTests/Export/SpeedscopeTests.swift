import Foundation
import Testing

@testable import StallwatchReport

/// Checked against the rules of speedscope's published schema (`https://www.speedscope.app/file-format-schema.json`, made
/// from `file-format-spec.ts` in its repository): required keys, their types, and the one link between them, that a sample
/// is a list of places in `shared.frames`.
@Suite(.serialized) struct SpeedscopeTests {
  @Test func theFileFollowsThePublishedSchema() throws {
    let text = try SampledExample().export(.speedscope)
    let file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(file["$schema"] as? String == "https://www.speedscope.app/file-format-schema.json")
    let frames = try file.object("shared").list("frames")
    #expect(!frames.isEmpty)
    for frame in frames {
      #expect(Set(frame.keys).isSubset(of: ["name", "file", "line", "col"]))
      #expect(frame["name"] is String)
      #expect(frame["file"] == nil || frame["file"] is String)
      #expect(frame["line"] == nil || frame["line"] is Int)
    }
    let profiles = try file.list("profiles")
    #expect(profiles.map { $0["name"] as? String } == ["main: stalls", "main: busy time"])
    for profile in profiles {
      #expect(
        Set(profile.keys) == ["type", "name", "unit", "startValue", "endValue", "samples", "weights"])
      #expect(profile["type"] as? String == "sampled")
      #expect(
        ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"].contains(
          profile["unit"] as? String ?? ""))
      let samples = try #require(profile["samples"] as? [[Int]])
      let weights = try #require(profile["weights"] as? [UInt64])
      #expect(samples.count == weights.count)
      #expect(samples.joined().allSatisfy(frames.indices.contains))
      #expect(try profile.number("endValue") >= profile.number("startValue"))
      #expect(try profile.number("endValue") == weights.reduce(0, +))
    }
  }

  @Test func samplesAreTheStacksFromTheThreadsStartToTheLeaf() throws {
    let text = try SampledExample().export(.speedscope)
    let file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let frames = try file.object("shared").list("frames")
    let stalls = try file.list("profiles")[0]
    let samples = try #require(stalls["samples"] as? [[Int]])
    // Ten, one and two; the cancelled stall's is left out.
    #expect(samples.count == 13)
    let names = samples[0].map { frames[$0]["name"] as? String }
    #expect(names.first == "main")
    #expect(names.suffix(2) == ["ImageStore.note(_:)", "report(_:)"])
    #expect(samples.last == [])
  }
}
