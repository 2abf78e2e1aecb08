#if os(Linux)
  import StallwatchCore

  /// Finds out what a system call in progress waits for. Reads the process's memory, through `SafeMemory`, and its
  /// descriptors; changes nothing.
  struct BlockedOnResolver {
    let process: ProcessFolder

    /// What a thread is blocked on, without a lock's owner. `call` is nil for a thread blocked outside of system calls;
    /// `letter` is its state in proc(5).
    func resolve(_ call: SystemCall?, letter: @autoclosure () -> Character) -> BlockedOn {
      guard let call else {
        // Stopped by a signal or a debugger; otherwise it waits for the page of a fault.
        return BlockedOn(systemCall: "Tt".contains(letter()) ? "stop" : "page fault")
      }
      let name = SystemCallName.name(of: call.number)
      return BlockedOn(
        systemCall: name, target: SystemCallSubject.of(name).flatMap { target(of: call, $0) })
    }

    /// Whether the call and its arguments alone say what it waits for, without the program's memory and descriptors.
    static func isPlain(_ call: SystemCall) -> Bool {
      switch SystemCallSubject.of(SystemCallName.name(of: call.number)) {
      case nil, .time, .signal, .child: true
      case .descriptors(_, let count): call.arguments[count] != 1
      default: false
      }
    }

    private func target(of call: SystemCall, _ subject: SystemCallSubject) -> String? {
      func number(_ place: Int) -> Int32 { Int32(truncatingIfNeeded: call.arguments[place]) }
      switch subject {
      case .descriptor(let place):
        return number(place) < 0 ? nil : DescriptorTarget.describe(number(place), of: process)
      case .path(let place): return Self.path(at: call.arguments[place])
      case .pathAt(let directory, let place):
        guard let path = Self.path(at: call.arguments[place]) else { return nil }
        guard !path.hasPrefix("/"), number(directory) >= 0,
          let base = DescriptorTarget.describe(number(directory), of: process)
        else {
          return path
        }
        return path.isEmpty ? base : "\(base)/\(path)"
      case .peer(_, _, let descriptor) where process != .own:
        return DescriptorTarget.describe(number(descriptor), of: process)
      case .peer(let address, let length, let descriptor):
        let bytes = SafeMemory.bytes(at: call.arguments[address], count: min(Int(max(number(length), 0)), 128))
        return SocketName.describe(address: bytes, of: number(descriptor))
      case .descriptors(let array, let count):
        return polled(at: call.arguments[array], count: Int(clamping: call.arguments[count]))
      case .descriptorSets(let first, let limit):
        let sets = call.arguments[first..<first + 3].filter { $0 != 0 }
        return "select of \(Self.counted(Self.descriptorsIn(sets, limit: Int(number(limit)))))"
      case .watched(let place):
        return DescriptorTarget.watchedCount(number(place), of: process).map { "epoll of \(Self.counted($0))" }
      case .time: return "sleep"
      case .signal: return "signal"
      case .child(let place): return number(place) > 0 ? "process \(number(place))" : "any child process"
      case .futex: return "futex"
      }
    }

    private static func path(at address: UInt64) -> String? {
      let bytes = SafeMemory.bytes(at: address, count: 4_096)
      guard let end = bytes.firstIndex(of: 0) else { return nil }
      return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private func polled(at address: UInt64, count: Int) -> String {
      // A pollfd begins with its descriptor.
      if count == 1, let descriptor = SafeMemory.load(Int32.self, at: address),
        let target = DescriptorTarget.describe(descriptor, of: process)
      {
        return "poll of \(target)"
      }
      return "poll of \(Self.counted(count))"
    }

    private static func descriptorsIn(_ sets: [UInt64], limit: Int) -> Int {
      let size = min(max(limit, 0), 65_536) / 8 + 1
      var union = [UInt8](repeating: 0, count: size)
      for set in sets {
        for (place, byte) in SafeMemory.bytes(at: set, count: size).enumerated() { union[place] |= byte }
      }
      // Bits beyond the limit do not count, though the last byte may contain some.
      return union.enumerated().reduce(0) { count, entry in
        count + (0..<8).count { entry.element & 1 << $0 != 0 && entry.offset * 8 + $0 < limit }
      }
    }

    private static func counted(_ count: Int) -> String { count == 1 ? "1 descriptor" : "\(count) descriptors" }
  }
#endif
