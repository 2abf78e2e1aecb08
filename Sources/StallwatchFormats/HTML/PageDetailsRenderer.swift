import StallwatchReport

/// Details that a served page asks for, as JSON for its script.
package enum PageDetailsRenderer {
  /// The story of a stall.
  package static func text(_ story: StallStory) throws -> String {
    try text { try PageData.write(story, to: &$0) }
  }

  /// What loops did in a range of time.
  package static func text(_ busy: BusyTime) throws -> String {
    try text { writer in
      try writer.object {
        try $0.field("start", busy.start)
        try $0.field("slice", busy.slice)
        try $0.list("lanes", busy.levels.sorted { $0.key < $1.key }) { writer, lane in
          var packed = PackedNumbers()
          packed.add(runsOf: lane.value)
          try writer.object {
            try $0.field("loop", lane.key)
            try $0.field("slices", lane.value.count)
            try $0.field("busy", packed.text)
          }
        }
      }
    }
  }

  private static func text(_ write: (inout JSONWriter) throws -> Void) throws -> String {
    let parts = Parts()
    var writer = JSONWriter { parts.text += $0 }
    try write(&writer)
    try writer.finish()
    return parts.text
  }

  private final class Parts {
    var text = ""
  }
}
