import Foundation

// Functions that await each other: by the time the innermost one blocks, nothing of the others is on its thread's stack.

/// On the main actor.
@MainActor enum Dinner {
  private static var courses = 0

  static func hold() async {
    try? await Task.sleep(for: .milliseconds(100))
    await Task { await serveDinner() }.value
    try? await Task.sleep(for: .milliseconds(100))
    await withTaskGroup(of: Int.self) { group in
      group.addTask { await servePicnic(2) }
      await group.waitForAll()
    }
    // At rest for as long as it takes the monitor to see it.
    try? await Task.sleep(for: .milliseconds(100))
    print(courses)
  }

  @inline(never) @_optimize(none)
  private static func serveDinner() async {
    await cookDinner()
    courses += 1
  }

  @inline(never) @_optimize(none)
  private static func cookDinner() async {
    courses += await boilWater() ? 1 : 0
  }

  @inline(never) @_optimize(none)
  private static func boilWater() async -> Bool {
    await Task.yield()
    burnWater()
    return true
  }

  @inline(never) @_optimize(none)
  private static func burnWater() { usleep(150_000) }

  @inline(never) @_optimize(none)
  private static func servePicnic(_ guests: Int) async -> Int {
    guests * (await packBasket())
  }

  @inline(never) @_optimize(none)
  private static func packBasket() async -> Int {
    var things = 0
    for _ in 0..<2 { things += await findThing(1) }
    return things
  }

  @inline(never) @_optimize(none)
  private static func findThing(_ after: Int) async -> Int {
    try? await Task.sleep(for: .milliseconds(after))
    searchKitchen()
    return 1
  }

  @inline(never) @_optimize(none)
  private static func searchKitchen() { usleep(120_000 + useconds_t(courses)) }
}

/// On the pool.
enum Breakfast {
  static func hold() async {
    let task = Task.detached { await serveBreakfast() }
    await eatBreakfast(task)
  }

  @inline(never) @_optimize(none)
  private static func eatBreakfast(_ task: Task<Int, Never>) async {
    print(await task.value)
  }

  @inline(never) @_optimize(none)
  private static func serveBreakfast() async -> Int {
    async let eggs = fryEggs()
    return await eggs + 1
  }

  @inline(never) @_optimize(none)
  private static func fryEggs() async -> Int {
    await heatPan()
    return 2
  }

  @inline(never) @_optimize(none)
  private static func heatPan() async {
    await Task.yield()
    print("asleep")
    fflush(nil)
    while true { waitForHeat() }
  }

  @inline(never) @_optimize(none)
  private static func waitForHeat() { usleep(600_000_000) }
}
