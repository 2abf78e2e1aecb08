import StallwatchCore

/// A stack, by the names of its functions. Stacks with the same names are the same, whatever their addresses.
package struct StackRow: FleetRow, Equatable {
  package var service: String
  /// A hash of the names.
  package var stack: UInt64
  /// The functions in source form, root first.
  package var frames: [String]
  package var version: UInt64

  package init(service: String, stack: UInt64, frames: [String], version: UInt64) {
    self.service = service
    self.stack = stack
    self.frames = frames
    self.version = version
  }

  package static let table = "stacks"
  package static let columns = ["service", "stack", "frames", "version"]

  package func encode(into encoder: inout RowEncoder) {
    encoder.put(service)
    encoder.put(stack)
    encoder.put(frames)
    encoder.put(version)
  }
}

/// The stacks that were seen in the stalls that began in one hour of a session, with the time that they stand for.
/// Flame graphs of a cause add them up.
package struct StackTimesRow: FleetRow {
  package struct Time: Sendable, Equatable {
    /// The key of the stall's signature; empty without one.
    package var signature: String
    package var stack: UInt64
    /// How many looks found it, and the watched time that they stand for.
    package var looks: UInt64
    package var weight: Nanoseconds

    package init(signature: String, stack: UInt64, looks: UInt64, weight: Nanoseconds) {
      self.signature = signature
      self.stack = stack
      self.looks = looks
      self.weight = weight
    }
  }

  package var origin: RowOrigin
  /// The hour's start, seconds since 1970.
  package var hour: UInt32
  package var times: [Time]
  package var version: UInt64

  package init(origin: RowOrigin, hour: UInt32, times: [Time], version: UInt64) {
    self.origin = origin
    self.hour = hour
    self.times = times
    self.version = version
  }

  package static let table = "stack_times"
  package static let columns =
    RowOrigin.columns + [
      "hour", "time.signature", "time.stack", "time.looks", "time.weight_ns", "version",
    ]

  package func encode(into encoder: inout RowEncoder) {
    origin.encode(into: &encoder)
    encoder.put(hour)
    encoder.put(times.map(\.signature))
    encoder.put(times.map(\.stack))
    encoder.put(times.map(\.looks))
    encoder.put(times.map(\.weight))
    encoder.put(version)
  }
}
