import Foundation

/// Everything that the program will do, loop by loop. Depends only on the options: the same options make the same plan.
struct Plan {
  /// A loop's name, `main` or its thread's, and its steps in order.
  struct Loop: Sendable {
    var name: String
    var steps: [Step] = []
  }

  /// The loops, the main loop first.
  private(set) var loops: [Loop]

  /// Makes a plan with a quarter as many near-misses as stalls. After every tenth hold comes a healthy nested run.
  init(options: Options) {
    loops = [Loop(name: "main")] + (0..<options.threads).map { Loop(name: "worker-\($0 + 1)") }
    var planner = Planner(options: options)
    let nearMisses = (options.stalls + 3) / 4
    let holds = options.stalls + nearMisses
    for place in 0..<holds {
      let isNearMiss = options.stalls == 0 || place * nearMisses / holds != (place + 1) * nearMisses / holds
      append(planner.hold(isNearMiss: isNearMiss, loop: chooseLoop(&planner), progress: progress(place, of: holds)))
      if options.nested > 0, place % 10 == 9 {
        append(planner.healthyNestedRun(loop: chooseLoop(&planner), progress: progress(place, of: holds)))
      }
    }
  }

  /// Prints one line per step.
  func printLines() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for loop in loops {
      for step in loop.steps {
        print(#"{"loop":"\#(loop.name)","step":\#(String(decoding: try encoder.encode(step), as: UTF8.self))}"#)
      }
    }
  }

  private mutating func append(_ planned: (loop: Int, step: Step)) {
    loops[planned.loop].steps.append(planned.step)
  }

  /// The main loop gets twice as many steps as another, because it has one more callout to show.
  private func chooseLoop(_ planner: inout Planner) -> Planner.LoopChoice {
    let index = max(0, Int(planner.generator.next() % UInt64(loops.count + 1)) - 1)
    return Planner.LoopChoice(index: index, lastMode: loops[index].steps.last?.mode)
  }

  private func progress(_ place: Int, of total: Int) -> Double { Double(place) / Double(total) }
}
