import StallwatchCore
import StallwatchSymbols

/// One stall in plain words.
package struct StallVerdict: Sendable, Equatable {
  /// Whole sentences, the most important first. Names from the program are cut to 80 columns.
  package var sentences: [String]

  /// The sentences as one paragraph.
  package var text: String { sentences.joined(separator: " ") }

  private static let longestName = 80
  /// How many of the functions are named that a pool served.
  private static let mostShown = 4
  /// The greatest share of running time in a pool of which none computes: threads run a little before they block.
  private static let mostRunning = 0.05

  init(_ detail: StallDetail) {
    sentences = [Self.held(detail.listed, waiter: detail.waiter)]
    // A pool's threads all have their own, which follow.
    if detail.listed.loopKind != .pool, let cause = detail.listed.analysis?.sentence {
      sentences.insert("\(cause).", at: 0)
    }
    if let state = Self.state(detail.listed) { sentences.append(state) }
    guard !detail.samples.isEmpty else {
      sentences.append("It was not sampled, so what held it is unknown.")
      return
    }
    sentences.append(Self.cause(detail))
    if detail.listed.loopKind.isOfItems, let served = Self.served(detail) { sentences.append(served) }
    if let owner = Self.owner(detail) { sentences.append(owner) }
  }

  private static func held(_ listed: ListedStall, waiter: Frame?) -> String {
    let (stall, began) = (listed.stall, listed.stall.began)
    if began.kind == .away { return away(listed) }
    let lane = listed.lane
    if listed.loopKind.isOfItems { return waited(listed, waiter) }
    let subject = lane.hasPrefix("the ") ? "T" + lane.dropFirst() : "The \(lane)"
    let verb = began.kind == .stall ? "was held for" : "was busy without a wait for"
    var text = "\(subject) \(verb) \(Figure.duration(stall.duration))"
    let place = LaneWords.place(mode: short(stall.mode), phase: began.phase, listed.loopKind)
    text += place.map { " \($0)" } ?? ""
    if began.depth > 1 { text += ", in a run nested \(began.depth) deep" }
    if let callout = listed.analysis?.callout { text += ", \(CauseWords.callout(callout))" }
    return text + "."
  }

  /// Of a lane whose stalls are waits.
  private static func waited(_ listed: ListedStall, _ waiter: Frame?) -> String {
    let (stall, lane) = (listed.stall, listed.lane)
    let duration = Figure.duration(stall.duration)
    // What waits in the standard library, such as a continuation, says nothing of the program.
    let who = waiter.flatMap { $0.isSystem ? nil : function($0.label, $0.location) }
    switch listed.loopKind {
    case .pinged: return "A ping of \(lane) waited for \(duration)."
    case .actor:
      return "A call of \(lane)\(who.map { ", from \($0)," } ?? "") waited for \(duration) while others were served."
    default:
      let item = who.map { ", \($0)," } ?? ""
      let shares = stall.cause.flatMap(CauseShares.init)
      guard listed.loopKind == .pool, let shares, shares[.running] <= mostRunning,
        stall.reason != StallEnded.freeThreads
      else {
        let why = stall.reason == StallEnded.freeThreads ? ", though threads were free, as behind a barrier" : ""
        return "An item of \(lane)\(item) waited for \(duration) while others were served\(why)."
      }
      return "The \(lane) was starved for \(duration): an item\(item) waited while all that it served was blocked."
    }
  }

  private static func away(_ listed: ListedStall) -> String {
    let thread = listed.loopName == "main" ? "The main thread" : "The thread of loop \(short(listed.loopName))"
    return "\(thread) was away from its loop for \(Figure.duration(listed.stall.duration)) while "
      + "\(listed.stall.dueWords), after a run in mode \(short(listed.stall.mode))."
  }

  private static func state(_ listed: ListedStall) -> String? {
    switch listed.stall.state {
    case .began: "It had not ended when the store was read."
    case .fatal: "The process died in it."
    case .cancelled: "It proved not to be a stall (\(short(listed.stall.reason ?? Figure.unknown)))."
    case .ended: nil
    }
  }

  private static func cause(_ detail: StallDetail) -> String {
    let place = detail.mainFunction.map { " in \(function($0.label, $0.location))" } ?? ""
    guard let shares = detail.listed.stall.cause.flatMap(CauseShares.init) else {
      return place.isEmpty ? "What it was doing is unknown." : "It was\(place)."
    }
    let time = "for \(Figure.share(shares[shares.main])) of the \(Figure.duration(shares.watched)) watched"
    switch shares.main {
    case .running: return "The thread was on a processor \(time)\(place.isEmpty ? "" : ", mostly\(place)")."
    case .starved:
      return "The thread was ready to run but had no processor \(time)\(place): other work kept the machine busy."
    case .blocked:
      let block = detail.listed.analysis?.blockedOn.map { ", mostly in \(CauseWords.blockedOn($0))" } ?? ""
      return "The thread was blocked \(time)\(block)\(place.isEmpty ? "" : ",\(place)")."
    }
  }

  /// All that was served, where that is more than one function.
  private static func served(_ detail: StallDetail) -> String? {
    let functions = detail.ownFunctions
    guard functions.count > 1 else { return nil }
    let shown = functions.prefix(mostShown).map {
      "\(function($0.frame.label, $0.frame.location)) (\(Figure.share($0.share)))"
    }
    let more = functions.count > mostShown ? ["\(functions.count - mostShown) more"] : []
    return "It waited for \(Figure.list(shown + more))."
  }

  private static func owner(_ detail: StallDetail) -> String? {
    guard let owner = detail.listed.analysis?.blockedOn?.owner else { return nil }
    let thread = "The lock was held by the thread \(short(owner.name)) (\(owner.threadID))"
    let own = detail.ownerFrames.first { !$0.isSystem && !$0.isGlue } ?? detail.ownerFrames.first
    return own.map { "\(thread), in \(function($0.label, $0.location))." } ?? "\(thread)."
  }

  private static func function(_ label: String, _ location: SourceLocation?) -> String {
    short(label) + (location.map { " at \(short($0.label))" } ?? "")
  }

  private static func short(_ name: String) -> String { DisplayText.name(name, to: longestName) }
}
