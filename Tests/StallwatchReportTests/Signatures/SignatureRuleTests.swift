import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

@Suite struct SignatureRuleTests {
  /// A stack as names from the loop to the leaf; `~` marks the system's functions, `'` thunks, `@` a package's module.
  private func stack(_ names: String) -> FoldedStack {
    let frames = names.split(separator: ">").map { part -> Frame in
      var text = part.trimmingPrefix(" ")
      while text.last == " " { text = text.dropLast() }
      let isSystem = text.hasPrefix("~")
      let isThunk = text.hasPrefix("'")
      if isSystem || isThunk { text = text.dropFirst() }
      let parts = text.split(separator: "@", maxSplits: 1)
      return Frame(
        name: String(parts[0]), module: parts.count > 1 ? String(parts[1]) : "App", image: "/app", offset: 1,
        isSystem: isSystem, isOwn: !isSystem && parts.count == 1, isThunk: isThunk)
    }
    return FoldedStack(Array(frames.reversed()))
  }

  private static let timer =
    "main > ~CFRunLoopRunSpecific > ~__CFRunLoopRun > ~__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ > "
  private static let source =
    "main > ~CFRunLoopRunSpecific > ~__CFRunLoopRun > ~__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ > "

  private func signature(_ samples: (String, UInt64, String?)...) -> Signature? {
    SignatureRule.cause(of: samples.map { WeighedStack(stack: stack($0.0), weight: $0.1, call: $0.2) })?.signature
  }

  /// A process is waited for so, or a fetch, in a function that is no callout of that loop.
  @Test func anItemThatRunsALoopOfItsOwnCounts() throws {
    let loop = "~CFRunLoopRunSpecific > ~__CFRunLoopRun > "
    let item = "~_dispatch_worker_thread > ~stallwatch_serve_main > ~_dispatch_call_block_and_release > "
    let wait = "convert() > ~Process.waitUntilExit() > \(loop)~__CFRunLoopServiceFileDescriptors > ~ppoll"
    let found = try #require(signature((item + wait, 5, "ppoll")))
    #expect(found.frames == ["convert()"] && found.title == "convert() · ppoll")
    // Its callouts count as those of any loop, and so does a loop that a callout runs.
    #expect(
      signature(
        (
          item + wait.replacing("~__CFRunLoopService", with: "~__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__ > read() > ~"),
          5, "ppoll"
        ))?.frames == ["read()"])
    #expect(signature((Self.timer + wait, 5, "ppoll"))?.frames.contains("convert()") == false)
  }

  @Test func theProgramsFunctionsBelowTheCalloutCount() throws {
    let found = try #require(
      signature((Self.timer + "~fire > 'thunk > tick() > ~withLock > ImageStore.decode(_:) > ~fsync", 5, "fsync")))
    #expect(found.frames == ["tick()", "ImageStore.decode(_:)"])
    #expect(found.title == "ImageStore.decode(_:) · fsync")
    #expect(found.call == "fsync")
    #expect(found.key.wholeMatch(of: #/[0-9a-f]{12}/#) != nil)
  }

  @Test func whereTheAllocatorStoodDoesNotCount() {
    let one = signature((Self.timer + "tick() > store() > ~malloc > ~brk", 5, nil))
    let other = signature(
      (Self.timer + "tick() > store() > ~swift_allocObject > ~malloc", 5, nil),
      (Self.timer + "tick() > store() > ~free", 9, nil), (Self.timer + "tick() > store()", 1, nil))
    #expect(one == other)
    #expect(one?.title == "store()")
  }

  @Test func aClosureOfAFunctionThatIsOnTheStackIsPartOfIt() {
    let plain = signature((Self.timer + "tick() > store()", 5, nil))
    let closures = signature(
      (Self.timer + "tick() > store() > ~forEach > closure #1 in closure #2 in store()", 5, nil))
    #expect(plain == closures)
    let escaped = signature((Self.timer + "run(_:) > closure #1 in store()", 5, nil))
    #expect(escaped?.frames == ["run(_:)", "closure in store()"])
    let inner = signature((Self.timer + "tick() > store() > each(_:) > closure #1 in store() > sum()", 5, nil))
    #expect(inner?.frames.suffix(3) == ["each(_:)", "closure in store()", "sum()"])
  }

  @Test func howTheLoopCameToCallItDoesNotCount() {
    let inTimer = signature((Self.timer + "closure #1 in begin() > perform() > decode()", 1, nil))
    let elsewhere = signature((Self.timer + "'thunk > handle() > decode()", 1, nil))
    #expect(inTimer != nil && inTimer == elsewhere)
    #expect(signature((Self.source + "handle() > decode()", 1, nil)) == inTimer)
    #expect(signature((Self.timer + "handle() > decode()", 1, "read")) != inTimer)
  }

  @Test func whatPackagesDoCountsForTheOwnFunctionThatAskedThem() {
    let save = signature((Self.timer + "a > save() > execute@DB > step@DB > ~pwrite", 1, nil))
    #expect(save == signature((Self.timer + "save() > execute@DB > bind@DB > flush@DB > ~pwrite", 1, nil)))
    #expect(save?.frames == ["a", "save()"])
    #expect(signature((Self.timer + "execute@DB > step@DB", 1, nil))?.title == "step")
  }

  @Test func theHeaviestPathCounts() {
    let found = signature(
      (Self.timer + "tick() > decode()", 60, nil), (Self.timer + "tick() > layout()", 30, nil),
      (Self.timer + "other()", 10, nil))
    #expect(found?.frames == ["tick()", "decode()"])
    let split = signature((Self.timer + "tick() > decode()", 50, nil), (Self.timer + "tick() > layout()", 50, nil))
    #expect(split?.frames == ["tick()"])
    let many = signature((Self.timer + "a", 1, nil), (Self.timer + "b", 1, nil), (Self.timer + "c", 1, nil))
    #expect(many?.frames == [])
    #expect(many?.title == "many functions")
  }

  @Test func aCallCountsOnlyWhereItTookMostOfTheTime() {
    #expect(signature((Self.timer + "a", 4, "fsync"), (Self.timer + "a", 5, nil))?.call == nil)
    #expect(signature((Self.timer + "a", 6, "fsync"), (Self.timer + "a", 5, nil))?.call == "fsync")
    #expect(signature((Self.timer + "a", 3, "fsync"), (Self.timer + "a", 3, "read"))?.call == nil)
  }

  @Test func recursionAndBuildsDoNotCount() {
    let one = signature((Self.timer + "walk(_:) > walk(_:) > walk(_:) > closure #1 in visit()", 1, nil))
    let other = signature((Self.timer + "specialized walk(_:) > closure #2 in visit()", 1, nil))
    #expect(one?.key == other?.key)
    let deep = signature((Self.timer + "parse() > list() > item() > list() > item() > list()", 1, nil))
    #expect(deep?.frames == ["parse()", "list()"])
  }

  @Test func whatNearlyWasAnotherCauseSaysSo() {
    let nearly = signature(
      (Self.timer + "copy() > make()", 45, nil), (Self.timer + "copy() > drop()", 30, nil),
      (Self.timer + "copy()", 25, nil))
    #expect(nearly?.title == "copy()")
    #expect(nearly?.near == signature((Self.timer + "copy() > make()", 60, nil))?.key)
    #expect(signature((Self.timer + "copy() > make()", 30, nil), (Self.timer + "copy()", 70, nil))?.near == nil)
  }

  @Test func theCalloutNearestTheLeafCounts() {
    let nested = stack(
      Self.timer + "modal() > ~CFRunLoopRunSpecific > " + "~__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__ > work()")
    #expect(nested.callout == .block)
    #expect(nested.path.map(\.label) == ["work()"])
    let without = stack("main > ~CFRunLoopRunSpecific > ~__CFRunLoopRun > ~__CFRunLoopDoObservers > ~lock")
    #expect(without.callout == nil)
    #expect(without.path.map(\.label) == ["lock"])
  }

  @Test(arguments: Callout.allCases)
  func everyCalloutIsKnownByItsFunction(callout: Callout) {
    let functions = [
      "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__",
      "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__",
      "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__",
      "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__",
      "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__",
    ]
    #expect(functions.compactMap { Callout(functionName: $0) }.contains(callout))
  }

  @Test func theCalloutOfAStallIsTheHeaviest() {
    let samples = [
      WeighedStack(stack: stack(Self.timer + "a"), weight: 3, call: nil),
      WeighedStack(stack: stack(Self.source + "a"), weight: 5, call: nil),
      WeighedStack(stack: stack("a"), weight: 50, call: nil),
    ]
    #expect(SignatureRule.callout(of: samples) == .source0)
    #expect(SignatureRule.callout(of: Array(samples.suffix(1))) == nil)
  }

  @Test func functionsWithoutNamesGroupByImageBuildAndOffset() {
    func key(_ buildID: String, _ offset: UInt64) -> String? {
      let frames = [Frame(name: nil, image: "/opt/app", buildID: buildID, offset: offset)]
      return SignatureRule.cause(of: [WeighedStack(stack: FoldedStack(frames), weight: 1, call: nil)])?.signature.key
    }
    #expect(key("aa", 16) == key("aa", 16))
    #expect(Set([key("aa", 16), key("aa", 17), key("ab", 16)]).count == 3)
  }

  @Test func aStackThatStandsForLittleOfTheTimeSaysNothing() {
    let unread = WeighedStack(stack: FoldedStack([]), weight: 91, call: nil)
    let read = { (weight: UInt64) in WeighedStack(stack: self.stack(Self.timer + "a"), weight: weight, call: nil) }
    #expect(SignatureRule.cause(of: [unread, read(8)]) == nil)
    #expect(SignatureRule.cause(of: [unread, read(12)])?.signature.title == "a")
  }

  @Test func withoutReadableStacksThereIsNoSignature() {
    #expect(SignatureRule.cause(of: []) == nil)
    #expect(SignatureRule.cause(of: [WeighedStack(stack: FoldedStack([]), weight: 9, call: "read")]) == nil)
    #expect(
      signature((Self.timer + "a", 0, nil), (Self.timer + "a", .max, nil), (Self.timer + "a", .max, nil))?.title == "a")
    #expect(signature((Self.timer + "a", 0, nil))?.title == "a")
  }
}
