import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

@Suite("Code that nobody wrote")
struct GlueTests {
  @Test("is in no signature: the hooks' functions before what a timer or sync calls neither")
  func hooks() {
    let frame = { (name: String) in Frame(name: name, image: "/usr/bin/app", offset: 1) }
    let called = frame("ImageStore.decode(_:)")
    let timer = frame("__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__")
    let hooked = FoldedStack([called, frame("stallwatch_timer_fires"), timer])
    #expect(hooked.path == FoldedStack([called, timer]).path)
    #expect(hooked.callout == .timer)
    let (synced, caller) = (frame("stallwatch_take_turn"), frame("ImageStore.load(_:)"))
    #expect(FoldedStack([called, synced, caller]).path == FoldedStack([called, caller]).path)
    for name in ["partial apply for f()", "thunk for @escaping @callee_guaranteed () -> ()"] {
      #expect(FoldedStack([frame(name), called, timer]).path.map(\.label) == ["ImageStore.decode(_:)"])
    }
  }
}
