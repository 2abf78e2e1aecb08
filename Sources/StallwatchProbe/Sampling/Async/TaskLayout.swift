/// How the tasks of a process's Swift runtime lie in memory, and its own code (swift/ABI/Task.h, and
/// stdlib/public/Concurrency/Debug.h for what it says of itself to debuggers).
package struct TaskLayout: Equatable {
  /// The runtime's code.
  var code: Range<UInt64>
  /// The first word of each task.
  var metadata: UInt64
  /// How many bytes a task has before what only tasks of some kinds have.
  var taskSize: UInt64

  // Offsets in bytes in a task, the same on all systems with addresses of 64 bits: its flags, the function that it goes on
  // with, as in any job, and what that function gets.
  static let flags: UInt64 = 0x20
  static let resume: UInt64 = 0x38
  static let resumeContext: UInt64 = 0x40
  /// The version of these that the runtime has to name, and the name under which it does.
  package static let version: UInt32 = 1
  package static let versionName = prefix + "internal_layout_version"
  private static let prefix = "_swift_concurrency_debug_"
  /// No task without what follows ``resumeContext``, and none many times as large as any so far.
  private static let sizes: Range<UInt64> = 0x48..<0x400

  /// A layout as given.
  init(code: Range<UInt64>, metadata: UInt64, taskSize: UInt64) {
    (self.code, self.metadata, self.taskSize) = (code, metadata, taskSize)
  }

  #if os(Linux)
    /// The layout that a mapped runtime says it has; nil where it says nothing or another one.
    init?(code: Range<UInt64>, header: UInt64) {
      guard let headers = ElfImageHeaders(at: header), let symbols = MappedSymbols(headers) else { return nil }
      func value<Value: BitwiseCopyable>(_ type: Value.Type, _ name: String) -> Value? {
        symbols.address(of: name).flatMap { SafeMemory.load(type, at: $0) }
      }
      guard value(UInt32.self, Self.versionName) == Self.version,
        let size = value(UInt64.self, Self.prefix + "asyncTaskSize"), Self.sizes.contains(size), size % 8 == 0,
        let metadata = value(UInt64.self, Self.prefix + "asyncTaskMetadata"), metadata != 0
      else { return nil }
      self.init(code: code, metadata: metadata, taskSize: size)
    }
  #endif
}
