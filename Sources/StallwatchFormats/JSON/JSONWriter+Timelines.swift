import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// Writes loops over time: lists with a number for each slice, null where nothing is known.
  mutating func timelines(_ name: String, _ timelines: [Timeline]) throws {
    try list(name, timelines) { writer, timeline in
      try writer.object { writer in
        try writer.field("session", timeline.session)
        try writer.field("slice_ns", timeline.slice)
        try writer.list("loops", timeline.lanes) { writer, lane in
          try writer.object { writer in
            try writer.field("loop", lane.loop)
            try writer.numbers("busy_ns", lane.slices) { $0.time.busy }
            try writer.numbers("waiting_ns", lane.slices) { $0.time.waiting }
            try writer.numbers("outside_ns", lane.slices) { $0.outside }
            try writer.numbers("iterations", lane.slices) { $0.iterations }
            try writer.numbers("longest_ns", lane.slices) { $0.longest }
            try writer.list("modes", lane.modes) { writer, run in
              try writer.object(inline: true) {
                try $0.field("slice", run.slice)
                try $0.field("mode", run.mode)
              }
            }
          }
        }
      }
    }
  }

  private mutating func numbers(
    _ name: String, _ slices: [Timeline.Slice], _ figure: (Timeline.Slice) -> UInt64
  ) throws {
    try key(name)
    try array(inline: true) { writer in
      for slice in slices { try writer.value(slice.isKnown ? figure(slice) : nil) }
    }
  }
}
