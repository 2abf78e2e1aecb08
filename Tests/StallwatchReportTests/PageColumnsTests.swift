import Foundation
import StallwatchCore
import StallwatchSymbols
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite("The page's columns")
struct PageColumnsTests {
  private func frames(_ names: String...) -> [Frame] {
    names.reversed().map { Frame(name: $0, image: "/app", offset: 1) }
  }

  @Test("hold each call path once, and cut paths where there is no room")
  func stacks() {
    var stacks = PageStacks(mostNodes: 5)
    let (inner, isWhole) = stacks.node(of: frames("a", "b", "c"))
    #expect(isWhole)
    #expect(stacks.node(of: frames("a", "b", "c")).node == inner)
    #expect(stacks.nodes.count == 5)
    let (cut, isCutWhole) = stacks.node(of: frames("a", "b", "d"))
    #expect(!isCutWhole)
    #expect(cut == stacks.nodes[inner].caller)
    #expect(stacks.common(inner, cut) == cut)
    #expect(stacks.node(of: []).node == PageStacks.none)
    // Not what was read, but cannot be shown.
    #expect(stacks.node(of: frames("x")).node == PageStacks.many)
  }

  @Test("hold no more functions than there is room for call paths")
  func functions() {
    var stacks = PageStacks(mostNodes: 5)
    for number in 0..<100 { _ = stacks.node(of: frames("function \(number)")) }
    #expect(stacks.nodes.count == 5)
    #expect(stacks.functions.count <= 6)
    #expect(stacks.node(of: frames("function 0")).isWhole)
  }

  @Test("keep the whole time of looks however few runs there may be")
  func runs() {
    var stacks = PageStacks(mostNodes: 100)
    let nodes = [frames("a", "b"), frames("a", "c"), frames("d")].map { stacks.node(of: $0).node }
    var runs = StackRuns()
    for turn in 0..<9 {
      let run = StackRuns.Run(stack: nodes[turn % 3], activity: .running, weight: turn % 3 == 2 ? 20 : 10)
      runs.add(run, isWhole: true)
    }
    #expect(runs.runs.count == 9)
    #expect(runs.isInOrder)
    runs.limit(to: 3, in: stacks)
    #expect(runs.runs.map(\.weight) == [60, 30, 30])
    #expect(!runs.isInOrder)
    #expect(runs.cut == 0)
    runs.limit(to: 2, in: stacks)
    #expect(runs.runs.map(\.weight).reduce(0, +) == 120)
    // `a` called both.
    #expect(runs.runs.contains { $0.stack == stacks.nodes[nodes[0]].caller && $0.weight == 60 })
    #expect(runs.cut == 60)
    runs.limit(to: 1, in: stacks)
    #expect(runs.runs == [StackRuns.Run(stack: PageStacks.many, activity: .running, weight: 120)])
  }

  @Test("pack numbers in sevens of bits, and levels in runs")
  func packing() {
    #expect(PackedNumbers([0, 1, 127, 128, 300]).text == Data([0, 1, 127, 128, 1, 0xAC, 2]).base64EncodedString())
    var signed = PackedNumbers()
    for number in [0, -1, 1, -2] as [Int64] { signed.add(signed: number) }
    #expect(signed.text == Data([0, 1, 2, 3]).base64EncodedString())
    var levels = PackedNumbers()
    levels.add(runsOf: [7, 7, 7, 9, 9, 9, 9, 9])
    #expect(levels.text == Data([7, 7, 7, 255, 9, 5]).base64EncodedString())
    #expect(PackedNumbers().text.isEmpty)
  }

  @Test("keep busy time in the store's finest cells, and coarser where there is no room")
  func busyTime() {
    let start = HandMadeContents.start
    var contents = HandMadeContents()
    contents.addSession(duration: .second)
    let quarter = 250 * Nanoseconds.millisecond
    var busy = BusyTime(contents.storedSessions[0], mostSlices: 100, loops: [1])
    busy.add(StoredWindow(loop: 1, mode: 1, startedNs: start, length: quarter, busy: quarter))
    busy.add(StoredWindow(loop: 1, mode: 1, startedNs: start + quarter, length: quarter, busy: 1, waiting: quarter))
    busy.add(StoredWindow(loop: 1, mode: 1, startedNs: start + 2 * quarter, length: quarter, waiting: quarter))
    #expect(busy.slice == quarter)
    // The whole, almost nothing, nothing, and not known.
    #expect(busy.levels[1] == [BusyTime.full, 1, 0, BusyTime.unknown])
    #expect(busy.size == 4)
    busy.coarsen()
    #expect(busy.slice == 2 * quarter)
    #expect(busy.levels[1] == [125, 0])
  }
}
