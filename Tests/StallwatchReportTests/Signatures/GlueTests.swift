import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

@Suite("Code that nobody wrote")
struct GlueTests {
  @Test("is in no signature: the hooks' function before a timer's callout neither")
  func hooks() {
    let frame = { (name: String) in Frame(name: name, image: "/usr/bin/app", offset: 1) }
    let called = frame("ImageStore.decode(_:)")
    let timer = frame("__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__")
    let hooked = FoldedStack([called, frame("stallwatch_timer_fires"), timer])
    #expect(hooked.path == FoldedStack([called, timer]).path)
    #expect(hooked.callout == .timer)
    #expect(
      FoldedStack([frame("partial apply for f()"), called, timer]).path.map(\.label) == ["ImageStore.decode(_:)"])
  }
}
