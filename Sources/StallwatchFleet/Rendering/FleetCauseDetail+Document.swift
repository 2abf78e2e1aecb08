import StallwatchCore
import StallwatchFormats
import StallwatchReport

extension FleetCauseDetail {
  /// The paths that texts list; JSON and the page have all.
  private static let mostStacks = 30

  /// The cause as a document.
  package var document: FleetDocument {
    FleetDocument(
      title: "Stallwatch fleet: \(item.cause.title)", verdict: verdict,
      mood: item.state == .gone ? .good : .bad,
      sections: [
        parts("By release", "release", releases), parts("By instance", "instance", instances), stackSection,
        exampleSection,
      ].compactMap(\.self),
      flame: stacks.isEmpty ? nil : ("Where the time went", flame), command: "cause \(item.cause.signature.signature)",
      json: write)
  }

  private var verdict: String {
    let stalls = item.stalls
    return "\(DisplayText.name(item.cause.signature.sentence)) held \(DisplayText.name(service)) "
      + "\(Figure.times(stalls.count)) for \(Figure.duration(stalls.total)) in all, "
      + "\(Figure.duration(stalls.worst)) at worst, on \(Figure.count(item.cause.instances, "instance")) "
      + "(\(Figure.share(item.share))), from \(FleetWords.moment(stalls.first)) to \(FleetWords.moment(stalls.last)). "
      + "It is \(item.state.rawValue)."
  }

  private func parts(_ title: String, _ word: String, _ parts: [Part]) -> ReportSection {
    var table = Table(columns: [
      .name(word), .figure("instances"), .figure("of"), .figure("stalls"), .figure("an hour"), .figure("held"),
      .figure("worst"), .word("first seen").leaving(2), .word("last seen").leaving(1),
    ])
    for part in parts {
      table.rows.append(
        [
          FleetWords.name(part.name), Figure.count(part.instances), Figure.count(part.ofInstances),
          Figure.count(part.stalls.count), Figure.rate(part.rate), Figure.duration(part.stalls.total),
          Figure.duration(part.stalls.worst), FleetWords.moment(part.stalls.first),
          part.stalls.count > 0 ? FleetWords.moment(part.stalls.last) : Figure.unknown,
        ].map { Table.Cell($0) })
    }
    return ReportSection(title: title, table: word == "instance" ? table.without(1..<3) : table)
  }

  private var stackSection: ReportSection? {
    guard !stacks.isEmpty else { return nil }
    var table = Table(columns: [.figure("time"), .figure("looks"), .longName("stack, the callee last")])
    for stack in stacks.prefix(Self.mostStacks) {
      table.rows.append(
        [
          Figure.duration(stack.weight), Figure.count(stack.looks), stack.frames.suffix(6).joined(separator: " ▸ "),
        ].map { Table.Cell($0) })
    }
    let rest = stacks.count - table.rows.count
    return ReportSection(
      title: "Stacks", table: table,
      notes: (rest > 0 ? ["and \(Figure.count(rest)) more."] : []) + [
        "Of stalls of all lanes in whole hours; the page shows them as a flame graph."
      ])
  }

  private var exampleSection: ReportSection? {
    guard !examples.isEmpty else { return nil }
    var table = Table(columns: [
      .word("when"), .figure("held"), .name("instance"), .name("release"), .name("lane").leaving(1),
      .word("look at it with"),
    ])
    for stall in examples {
      table.rows.append(
        [
          FleetWords.moment(stall.started), Figure.duration(stall.duration), FleetWords.name(stall.unit.instance),
          FleetWords.name(stall.unit.release), FleetWords.name(stall.lane), stall.command,
        ].map { Table.Cell($0) })
    }
    let isLocal = examples.allSatisfy { $0.store != nil }
    return ReportSection(
      title: "Examples", table: table,
      notes: isLocal ? [] : ["STORE is the instance's own store, or any copy of it that still has the stall."])
  }

  private var flame: String {
    var roots: [StillFlame.Node] = []
    for stack in stacks { Self.add(stack.frames[...], stack.weight, to: &roots) }
    let whole = stacks.map(\.weight).saturatingSum()
    return StillFlame.html(
      roots.map { Self.titled($0, whole: Double(whole)) }, whole: Double(whole),
      label: "Flame graph of \(item.cause.title); the table of stacks says the same")
  }

  private static func add(_ frames: ArraySlice<String>, _ weight: Nanoseconds, to nodes: inout [StillFlame.Node]) {
    guard let first = frames.first else { return }
    let place = nodes.firstIndex { $0.label == first } ?? nodes.count
    if place == nodes.count { nodes.append(StillFlame.Node(label: first, title: "", weight: 0, color: "var(--even)")) }
    nodes[place].weight += Double(weight)
    add(frames.dropFirst(), weight, to: &nodes[place].children)
  }

  private static func titled(_ node: StillFlame.Node, whole: Double) -> StillFlame.Node {
    var node = node
    let time = Figure.duration(Nanoseconds(min(node.weight, 1e18)))
    node.title = "\(node.label): \(time), \(Figure.share(node.weight / max(whole, 1)))"
    node.color = "color-mix(in srgb, #f2a65a \(Int(30 + 50 * node.weight / max(whole, 1)))%, var(--ground))"
    node.children = node.children.sorted { ($1.weight, $0.label) < ($0.weight, $1.label) }.map {
      titled($0, whole: whole)
    }
    return node
  }
}

extension FleetStall {
  /// The command that opens it where its store is.
  package var command: String { "stallwatch show \(store.map { ShellWord.quoted($0) } ?? "STORE") \(id)" }
}
