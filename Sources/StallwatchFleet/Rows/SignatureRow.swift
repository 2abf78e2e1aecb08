/// The names of a signature, which its key stands for.
package struct SignatureRow: FleetRow, Equatable {
  package var service: String
  /// The key: 12 hexadecimal digits.
  package var signature: String
  package var title: String
  /// The cause's function, and the place in it that was seen most; file empty and line 0 where unknown.
  package var function: String
  package var file: String
  package var line: UInt32
  /// The system call that the thread waited in; empty where it mostly did not wait.
  package var call: String
  /// What that function mostly called there; empty where it mostly called nothing.
  package var called: String
  /// The key of the cause that it nearly was (``Signature/near``); empty for none.
  package var near: String
  /// The cause's function, last, after its callers.
  package var frames: [String]
  package var version: UInt64

  package init(
    service: String, signature: String, title: String, function: String, file: String, line: UInt32, call: String,
    called: String, near: String, frames: [String], version: UInt64
  ) {
    self.service = service
    self.signature = signature
    self.title = title
    self.function = function
    self.file = file
    self.line = line
    self.call = call
    self.called = called
    self.near = near
    self.frames = frames
    self.version = version
  }

  package static let table = "signatures"
  package static let columns = [
    "service", "signature", "title", "function", "file", "line", "call", "called", "near", "frames", "version",
  ]

  package func encode(into encoder: inout RowEncoder) {
    encoder.put(service)
    encoder.put(signature)
    encoder.put(title)
    encoder.put(function)
    encoder.put(file)
    encoder.put(line)
    encoder.put(call)
    encoder.put(called)
    encoder.put(near)
    encoder.put(frames)
    encoder.put(version)
  }
}
