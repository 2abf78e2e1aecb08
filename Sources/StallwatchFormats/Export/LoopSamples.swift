import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The samples of all stalls and the profiles, by loop, with their stacks in one table. Takes 24 bytes per sample.
struct LoopSamples {
  /// One sample of a stall or profile.
  struct Sample {
    var atNs: Nanoseconds
    var weight: Nanoseconds
    /// The index of its stack in the table; nil where it could not be read.
    var stack: Int?
  }

  /// The stacks of all samples.
  private(set) var table = StackTable()
  /// Samples of stalls by the loop's row, in the order in which the stalls began.
  private(set) var stalls: [Int64: [Sample]] = [:]
  /// Profiled stacks by the loop's row; they have no time.
  private(set) var profiles: [Int64: [Sample]] = [:]

  /// Reads all samples, except those of cancelled stalls. Throws what reading throws.
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
