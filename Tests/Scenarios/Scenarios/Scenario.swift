/// One of the ways in which programs really use run loops, small enough to know what a monitor has to see of it.
///
/// It lasts at most a second and a half, plants holds of 120 ms and more where a stall is expected, and keeps everything
/// else below 5 ms; it sleeps instead of computing, so that a busy machine changes little.
public struct Scenario: Sendable {
  /// What the scenario programs call it.
  public let name: String
  /// What a monitor has to see.
  public let expectation: Expectation
  private let body: @Sendable (Stage) -> Void

  /// A scenario. `body` is called on the main thread and returns when all its threads are through.
  init(_ name: String, expecting expectation: Expectation, body: @escaping @Sendable (Stage) -> Void) {
    self.name = name
    self.expectation = expectation
    self.body = body
  }

  /// All of them.
  public static let all: [Scenario] = [
    .residentWorker, .modeSwitching, .deferredWork, .lastResortLoop, .stoppingObserver, .heavyObservers,
    .slicedIdleWork, .commonModes, .nestedRuns, .endingLoop,
  ]

  /// The scenario of that name.
  public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

  /// Plays it on the main thread, and prints on standard output, as JSON lines, what a monitor has to see, with the holds
  /// as measured. True when the program itself did what it was meant to do.
  ///
  /// - Parameter loopBegins: Called with the name of each loop but the main one, on its own thread and before anything else
  ///   is done there.
  public func run(loopBegins: @escaping @Sendable (_ name: String) -> Void = { _ in }) -> Bool {
    let stage = Stage(expectation, loopBegins: loopBegins)
    body(stage)
    return stage.finish(scenario: name)
  }
}
