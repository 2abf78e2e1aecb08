import Foundation

/// The threads of a scenario beside the main thread.
final class Company: Sendable {
  private let stage: Stage
  private let busy = DispatchGroup()

  init(_ stage: Stage) { self.stage = stage }

  /// Starts a thread that has a run loop of its own.
  func startLoop(_ name: String, body: @escaping @Sendable () -> Void) {
    start(name) { [stage] in
      stage.loopBegins(name)
      stage.enter(loop: name)
      body()
    }
  }

  /// Starts a thread.
  func start(_ name: String, body: @escaping @Sendable () -> Void) {
    busy.enter()
    let thread = Thread { [busy] in
      nameThread(name)
      body()
      busy.leave()
    }
    thread.start()
  }

  /// Runs the main loop in its default mode, once, until all threads are through.
  func turnMain() {
    busy.notify(queue: .main) { Loop.current.stop() }
    Loop.run(ModeName.standard)
  }
}
