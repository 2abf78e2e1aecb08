/// What CF was calling when a stall was sampled.
package enum Callout: String, CaseIterable, Sendable {
  /// A timer's callback.
  case timer
  /// The perform function of a source that the program signals itself.
  case source0
  /// The perform function of a source that a port signals.
  case source1
  /// A block queued on the loop.
  case block
  /// Blocks queued on the main dispatch queue.
  case mainQueue = "main-queue"
  /// An observer's callback.
  case observer

  /// The callout that this function makes; nil for other functions. CF makes each kind of callout from a function of
  /// its own, so that stacks show it (CFRunLoop.c).
  init?(functionName: String) {
    guard let callout = Self.functions[functionName] else { return nil }
    self = callout
  }

  private static let functions: [String: Callout] = [
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__": .timer,
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__": .source0,
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__": .source1,
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__": .block,
    "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__": .mainQueue,
    "_dispatch_main_queue_callback_4CF": .mainQueue,
    "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__": .observer,
  ]
}
