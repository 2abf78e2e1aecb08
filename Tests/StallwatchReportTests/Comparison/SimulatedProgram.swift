import Foundation
import StallwatchCore

@testable import StallwatchReport
@testable import StallwatchStore

/// A program whose sessions are drawn by chance, for judging what a comparison says of them.
///
/// It does not follow what the comparison takes for granted. Stalls come in bursts and the stalls of a burst are alike;
/// every session has a load, a machine and moods of its own; durations have several shapes, one of them cut by the
/// threshold; a slower machine slows some callouts and not those that wait; iterations follow the load only in part.
struct SimulatedProgram {
  /// A callout that may hold the loop.
  struct Callout {
    var name: String
    /// How many bursts an hour.
    var bursts: Double
    /// The mean number of calls in a burst.
    var burst: Double
    /// A typical duration, in milliseconds.
    var typical: Double
    /// The shape of durations around it.
    var shape: Shape
    /// Whether it waits for something outside the machine, which is no slower on a slower machine.
    var waits = false
  }

  enum Shape { case uniform, logNormal, twoKinds, longTail }

  var callouts = [
    Callout(name: "decode", bursts: 60, burst: 3, typical: 75, shape: .uniform),
    Callout(name: "layout", bursts: 90, burst: 2, typical: 110, shape: .logNormal),
    Callout(name: "parse", bursts: 40, burst: 4, typical: 140, shape: .twoKinds),
    Callout(name: "fetch", bursts: 60, burst: 3, typical: 180, shape: .longTail, waits: true),
    Callout(name: "save", bursts: 50, burst: 3, typical: 90, shape: .logNormal),
    // Nearly all of its calls are too short for a stall: a slower machine makes stalls of more of them.
    Callout(name: "redraw", bursts: 200, burst: 3, typical: 38, shape: .logNormal),
    Callout(name: "rarely", bursts: 3, burst: 2, typical: 300, shape: .longTail),
  ]
  /// The length of a session, in seconds.
  var length = 2_400.0
  /// How much slower the machine is.
  var slowness = 1.0
  /// How much slower each callout is, by name.
  var slower: [String: Double] = [:]
  /// How much larger bursts are, at the same number of stalls.
  var clumping = 1.0
  /// Hangs that no other session has.
  var newHangs = 0

  static let threshold: Nanoseconds = 50 * .millisecond

  /// One side of a comparison: so many sessions.
  func side(_ name: String, sessions: Int, _ random: inout SplitMix) -> ComparedSide {
    var side = ComparedSide()
    side.stores = [name]
    for number in 0..<sessions { side.sessions.append(session(number, &random)) }
    // Which of the sessions has a new hang is chance.
    for hang in 0..<newHangs {
      let place = Int.random(in: 0..<sessions, using: &random)
      let offset = Double.random(in: 0..<length, using: &random)
      side.sessions[place].addStall(
        cause: "hang", at: Nanoseconds(offset * 1e9), duration: Nanoseconds(600 + hang * 10) * .millisecond)
    }
    for session in side.sessions {
      for (key, cause) in session.causes {
        side.causes[key] = ComparedSide.Cause(
          signature: Signature(key: key, title: key, frames: [key], call: nil), blame: nil,
          worst: (ComparedSide.Place(store: name, stall: 1), cause.total))
      }
    }
    return side
  }

  private func session(_ number: Int, _ random: inout SplitMix) -> ComparedSession {
    var session = ComparedSession(duration: Nanoseconds(length * 1e9), threshold: Self.threshold)
    session.seconds = length
    let load = exp(0.15 * normal(&random))
    let machine = slowness * exp(0.03 * normal(&random))
    session.iterations = UInt64(length * 30 * pow(load, 0.6))
    for callout in callouts {
      let mood = (rate: exp(0.2 * normal(&random)), duration: exp(0.02 * normal(&random)))
      let speed = (callout.waits ? 1 : machine) * mood.duration * (slower[callout.name] ?? 1)
      let size = max(callout.burst * clumping, 1)
      var at = 0.0
      let rate = callout.bursts / clumping / 3_600 * load * mood.rate
      while true {
        at += -log(Double.random(in: .ulpOfOne...1, using: &random)) / rate
        guard at < length else { break }
        // The number of calls in a burst is geometric. They are alike, and follow each other in seconds.
        let alike = exp(0.08 * normal(&random))
        var call = at
        repeat {
          let duration = callout.typical * shape(callout.shape, &random) * alike * speed
          if duration >= 50, call < length {
            session.addStall(
              cause: callout.name, at: Nanoseconds(call * 1e9), duration: Nanoseconds(duration * 1e6))
          }
          call += Double.random(in: 0.2...2, using: &random)
        } while Double.random(in: 0..<1, using: &random) < 1 - 1 / size
      }
    }
    addSpans(to: &session, machine: machine, &random)
    return session
  }

  /// Spans of a mode, ten thousand in 40 windows, whose lengths wander from window to window.
  private func addSpans(to session: inout ComparedSession, machine: Double, _ random: inout SplitMix) {
    var (histogram, clumps, wander) = (DurationHistogram(), SpanClumps(), 0.0)
    var (total, longest): (Nanoseconds, Nanoseconds) = (0, 0)
    for window in 0..<40 {
      wander = 0.8 * wander + 0.1 * normal(&random)
      var busy: Nanoseconds = 0
      for _ in 0..<250 {
        let span = Nanoseconds(3e6 * exp(wander + 0.7 * normal(&random)) * machine)
        histogram.record(span)
        busy += span
        longest = max(longest, span)
      }
      total += busy
      clumps.add(
        StoredWindow(
          loop: 1, mode: 1, startedNs: Nanoseconds(window) * .second, length: .second, busy: busy, iterations: 250))
    }
    let spans = StoredMetric(count: 10_000, total: total, maximum: longest, histogram: histogram)
    let key = ComparedSession.ModeKey(loop: "main", mode: "default")
    session.modes[key] = ["span": .distribution(spans)]
    session.clumps[key] = clumps.clump(of: 1, spans: spans)
  }

  private func shape(_ shape: Shape, _ random: inout SplitMix) -> Double {
    switch shape {
    case .uniform: Double.random(in: 0.8...1.2, using: &random)
    case .logNormal: exp(0.2 * normal(&random))
    case .twoKinds: (Double.random(in: 0..<1, using: &random) < 0.6 ? 0.8 : 1.3) * exp(0.05 * normal(&random))
    case .longTail: pow(Double.random(in: 0.01...1, using: &random), -0.3)
    }
  }

  /// A standard normal value (Box and Muller, "A note on the generation of random normal deviates", Annals of
  /// Mathematical Statistics 29, 1958).
  private func normal(_ random: inout SplitMix) -> Double {
    let radius = (-2 * log(Double.random(in: .ulpOfOne...1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
