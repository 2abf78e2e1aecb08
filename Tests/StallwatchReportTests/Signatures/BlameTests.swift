import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

/// Whom stalls blame, and in which words.
@Suite struct BlameTests {
  private func frame(_ name: String, _ line: Int? = nil, isOwn: Bool = true) -> Frame {
    Frame(
      name: name, module: isOwn ? "App" : nil, image: "/app", offset: 1,
      location: line.map { SourceLocation(path: "/src/App.swift", line: $0) }, isSystem: !isOwn, isOwn: isOwn)
  }

  /// The sentence for one look at these functions, leaf first.
  private func sentence(
    _ frames: [Frame], _ activity: ThreadActivity = .blocked, call: String? = nil, target: String? = nil,
    holder: Blame.Holder? = nil
  ) -> String? {
    let stack = WeighedStack(
      stack: FoldedStack(frames), weight: 5, call: call, target: target, holder: holder, activity: activity)
    return SignatureRule.cause(of: [stack]).map { "\(CauseSentence($0.blame))" }
  }

  @Test func aLockIsSaidWithWhoHoldsItAndWhere() {
    let rebuilt = Blame.Place(
      function: "Cache.rebuildIndex()", location: SourceLocation(path: "/src/App.swift", line: 22))
    #expect(
      sentence(
        [frame("NSLock.lock()", isOwn: false), frame("Cache.lookup(_:)", 25)], call: "futex", target: "futex",
        holder: Blame.Holder(thread: "indexer", place: rebuilt))
        == "Cache.lookup(_:) at App.swift:25 waits for a lock that the thread indexer holds in Cache.rebuildIndex() at "
        + "App.swift:22")
    #expect(
      sentence([frame("load()", 2)], call: "futex", holder: Blame.Holder(thread: "thread 12", place: nil))
        == "load() at App.swift:2 waits for a lock that thread 12 holds")
    #expect(
      sentence([frame("NSLock.lock()", isOwn: false), frame("load()", 2)], call: "futex")
        == "load() at App.swift:2 waits for a lock")
  }

  @Test func waitsAreSaidByWhatTheProgramCalled() {
    let own = frame("load()", 2)
    #expect(
      sentence(
        [frame("__libc_read", isOwn: false), frame("FileHandle.readToEnd()", isOwn: false), own], call: "read",
        target: "/a/b") == "load() at App.swift:2 waits in FileHandle.readToEnd(), by read of /a/b")
    #expect(
      sentence([frame("DispatchSemaphore.wait()", isOwn: false), own], call: "futex", target: "futex")
        == "load() at App.swift:2 waits for a semaphore")
    for (function, object) in [
      ("DispatchSemaphore.wait(wallTimeout:)", "a semaphore"), ("DispatchGroup.wait(wallTimeout:)", "a dispatch group"),
      ("DispatchWorkItem.wait(timeout:)", "a work item"), ("NSLock.lock(before:)", "a lock"),
    ] {
      #expect(
        sentence([frame(function, isOwn: false), own], call: "futex", target: "futex")
          == "load() at App.swift:2 waits for \(object)")
    }
    #expect(
      sentence([frame("usleep", isOwn: false), own], call: "clock_nanosleep") == "load() at App.swift:2 sleeps")
    #expect(sentence([own], call: "fsync", target: "/a/b") == "load() at App.swift:2 waits in fsync of /a/b")
  }

  @Test func whatWaitsForNothingComputesOrGetsNoProcessor() {
    let parse = frame("parse()", 7)
    #expect(sentence([parse], .running) == "parse() at App.swift:7 computes")
    #expect(
      sentence([frame("decode", isOwn: false), parse], .running) == "parse() at App.swift:7 computes in decode")
    #expect(sentence([parse], .starved) == "parse() at App.swift:7 gets no processor")
    #expect(sentence([parse], .blocked) == "parse() at App.swift:7 is blocked")
  }

  @Test func closuresOfTopLevelCodeAreSaidByTheirPlace() {
    #expect(sentence([frame("closure #2 in top-level code", 9)], .running) == "A closure at App.swift:9 computes")
  }

  /// The line inside a closure of the function is nearer than that of the call around it.
  @Test func theInnermostLineCounts() {
    let frames = [
      frame("closure #1 in load()", 31), frame("Sequence.forEach(_:)", isOwn: false), frame("load()", 30),
    ]
    #expect(sentence(frames, .running) == "load() at App.swift:31 computes")
  }

  @Test func ofDifferentLinesTheOneWithTheMostTimeCounts() {
    let samples = [(1, 2 as UInt64), (2, 5), (1, 2)].map { line, weight in
      WeighedStack(stack: FoldedStack([frame("load()", line)]), weight: weight, call: nil)
    }
    #expect(SignatureRule.cause(of: samples).map { $0.blame.own?.location?.line } == 2)
  }

  /// Here each half of the time goes to another function's `malloc`.
  @Test func whatOtherOwnFunctionsCallIsNotSaidOfTheirCaller() {
    let samples = ["make()", "drop()"].map { name in
      WeighedStack(
        stack: FoldedStack([frame("malloc", isOwn: false), frame(name, 3), frame("copy()", 1)]), weight: 5, call: nil)
    }
    #expect(
      SignatureRule.cause(of: samples).map { "\(CauseSentence($0.blame))" } == "copy() at App.swift:1 computes")
  }

  @Test func namesFromTheProgramAreHarmless() {
    #expect(sentence([frame("a\u{1B}[31m", 1)], .running) == "a�[31m at App.swift:1 computes")
  }
}
