import Foundation

/// What to hold, and where to write the truth about it.
struct Options {
  /// The same seed makes the same plan.
  var seed: UInt64 = 1
  /// The number of holds of more than the threshold.
  var stalls = 70
  /// In nanoseconds.
  var threshold: UInt64 = 50_000_000
  /// The path of the truth file; nil for none.
  var truth: String?

  /// Ends the process at what it does not know.
  init(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let name = rest.popFirst() {
      guard let text = rest.popFirst() else { Self.refuse(name) }
      switch (name, UInt64(text), text.hasSuffix("ms") ? UInt64(text.dropLast(2)) : nil) {
      case ("--seed", let number?, _): seed = number
      case ("--stalls", let number?, _): stalls = Int(number)
      case ("--threshold", _, let milliseconds?): threshold = milliseconds * 1_000_000
      case ("--truth", _, _): truth = text
      default: Self.refuse("\(name) \(text)")
      }
    }
  }

  private static func refuse(_ argument: String) -> Never {
    FileHandle.standardError.write(Data("nio-holds: bad argument: \(argument)\n".utf8))
    exit(2)
  }
}
