import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchSymbols

@Suite(.serialized) struct ShowTests {
  @Test func theTextSaysWhatHeldTheLoop() throws {
    let example = try SampledExample()
    let detail = try #require(try example.detail(1))
    let text = StallTextRenderer().render(detail)
    let line = try example.program.line(of: "report(\"inlined\")")
    let place = "report(_:) at Loader.swift:\(try example.program.line(of: "try! Backtrace.capture"))."
    #expect(
      detail.verdict.sentences == [
        "\(place.dropLast()) waits for a lock that the thread writer holds in \(place)",
        "The main loop was held for 812 ms in mode kCFRunLoopDefaultMode, phase service.",
        "The thread was blocked for 92 % of the 760 ms watched, mostly in fsync of /var/cache/cache.db, in \(place)",
        "The lock was held by the thread writer (4711), in \(place)",
      ])
    for part in [
      "running 7.9 %, blocked 92 %, starved 0 % of 760 ms watched, in 10 samples.",
      "Blocked on fsync of /var/cache/cache.db for 684 ms.", "screen", "Import", "ImageStore.decode(_:)",
      "ImageStore.note(_:)", "Loader.swift:\(line)", "WHO HELD THE LOCK", "The thread writer (4711), in:",
      "closure #1 in static Program.main()", "report(_:) · fsync",
    ] { #expect(text.contains(part), "\(part)\n\(text)") }
    for line in text.split(separator: "\n") { #expect(DisplayText.width(of: String(line)) <= 100, "\(line)") }
  }

  @Test func theTimelineShowsEachSliceOnce() throws {
    let samples = [
      StackSample(atNs: 1_050, weight: 100, activity: .running, frames: []),
      StackSample(atNs: 1_150, weight: 100, activity: .blocked, frames: []),
      StackSample(atNs: 1_250, weight: 50, activity: .starved, frames: []),
    ]
    let line = try #require(SampleTimeline(samples, start: 1_000, duration: 300, width: 6))
    #expect(line.text == "·RRBBS")
    #expect(line.slice == 50)
    #expect(SampleTimeline(samples, start: 1_000, duration: 3, width: 80)?.text == "···")
    #expect(SampleTimeline([], start: 0, duration: 5, width: 5) == nil)
    #expect(SampleTimeline(samples, start: .max - 1, duration: .max, width: 7)?.text.count == 7)
  }

  @Test func starvationIsTheMachinesFault() throws {
    let detail = try #require(try SampledExample().detail(3))
    #expect(detail.verdict.sentences[2].hasPrefix("The thread was ready to run but had no processor for 90 % of"))
    #expect(detail.verdict.sentences[2].hasSuffix("other work kept the machine busy."))
    #expect(detail.listed.analysis?.blockedOn == nil)
  }

  @Test func whatWaitsInTheStandardLibraryIsNotNamed() throws {
    var detail = try #require(try SampledExample().detail(1))
    detail.listed.loopKind = .actor
    detail.waiter = Frame(name: "draw()", image: "/app", offset: 1)
    #expect(StallVerdict(detail).text.contains(", from draw(), waited for"))
    detail.waiter = Frame(name: "withUnsafeContinuation<A>(_:)", image: "/libswift", offset: 1, isSystem: true)
    let text = StallVerdict(detail).text
    #expect(text.contains(" waited for") && !text.contains("withUnsafeContinuation"), "\(text)")
  }

  @Test func aStallWithoutSamplesSaysSo() throws {
    let detail = try #require(try SampledExample().detail(4))
    #expect(detail.verdict.sentences.last == "It was not sampled, so what held it is unknown.")
    #expect(detail.listed.analysis == nil)
    #expect(!StallTextRenderer().render(detail).contains("CAUSE"))
  }

  @Test func thereIsNoStallThatIsNotThere() throws {
    #expect(try SampledExample().detail(99) == nil)
  }

  @Test func theDocumentHasExactlyItsKeys() throws {
    let example = try SampledExample()
    let detail = try #require(try example.detail(1))
    let json = try JSONText { try StallJSONRenderer().render(detail, into: $0) }.object
    #expect(json["schema"] as? String == "stallwatch.stall/1")
    #expect(
      Set(json.keys) == [
        "schema", "verdict", "stall", "signature_title", "sentence", "blocked_on_ns", "waiter", "samples", "timers",
        "calls", "symbols",
      ])
    let stall = try json.object("stall")
    #expect(try stall.object("cause").keys.sorted() == ["blocked", "running", "starved", "watched_ns"])
    let blockedOn = try stall.object("blocked_on")
    #expect(Set(blockedOn.keys) == ["system_call", "target", "owner"])
    #expect(try Set(blockedOn.object("owner").keys) == ["thread_id", "name"])
    #expect(stall["samples"] as? Int == 10)
    let sample = try json.list("samples")[1]
    #expect(
      Set(sample.keys) == ["at_ns", "weight_ns", "activity", "blocked_on", "frames", "owner_frames"])
    let frames = try sample.list("frames")
    #expect(Set(frames[0].keys) == ["name", "image", "offset", "file", "line", "inlined", "system"])
    #expect(frames.contains { $0["name"] as? String == "ImageStore.decode(_:)" && $0["inlined"] as? Bool == false })
    #expect(try !sample.list("owner_frames").isEmpty)
    let call = try json.list("calls")[0]
    #expect(Set(call.keys) == ["name", "image", "file", "line", "weight_ns", "children"])
    #expect(try call.number("weight_ns") == 760_000_000)
  }

  @Test func hostileTextDoesNotReachTheTerminal() throws {
    var example = try SampledExample()
    for name in HandMadeContents.hostileNames {
      example.contents.storedStalls[0].began.annotations = [name: name]
      example.contents.storedSamples[1] = [
        StackSample(
          atNs: .max, weight: .max, activity: .blocked, frames: [.max, 0, 1 << 63],
          blockedOn: BlockedOn(
            systemCall: name, target: name, owner: LockOwner(threadID: .max, name: name, frames: [0, .max])))
      ]
      let text = StallTextRenderer().render(try #require(try example.detail(1)))
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
      for line in text.split(separator: "\n") { #expect(DisplayText.width(of: String(line)) <= 100, "\(line)") }
    }
  }
}
