import StallwatchCore
import StallwatchStore

/// The samples of all stalls by loop, and the loops' profiles, with their stacks in one table. Holds 24 bytes a sample.
struct LoopSamples {
  /// A sample.
  struct Sample {
    var atNs: Nanoseconds
    var weight: Nanoseconds
    /// Its stack's place in the table; nil where it could not be read.
    var stack: Int?
  }

  /// The stacks of all samples.
  private(set) var table = StackTable()
  /// Samples of stalls by loop's row, stall by stall in the order of their start.
  private(set) var stalls: [Int64: [Sample]] = [:]
  /// Stacks of the profile by loop's row; they have no time.
  private(set) var profiles: [Int64: [Sample]] = [:]

  /// Reads all samples. Cancelled stalls were none, and their samples are left out. Throws what reading throws.
  init<Contents: StoreContents>(_ export: StoreExport<Contents>) throws {
    try export.contents.forEachSampledStall { stall, samples in
      guard stall.state != .cancelled else { return }
      for sample in samples {
        let place = table.place(of: try export.stacks.frames(sample.frames, session: stall.session))
        stalls[stall.loop, default: []].append(Sample(atNs: sample.atNs, weight: sample.weight, stack: place))
      }
    }
    for loop in export.loops {
      for stack in try export.contents.profile(loop: loop.id) {
        let place = table.place(of: try export.stacks.frames(stack.frames, session: loop.session))
        profiles[loop.id, default: []].append(Sample(atNs: 0, weight: stack.weight, stack: place))
      }
    }
  }
}
