import StallwatchCore

/// Finds the code that an item which waits is to run, or that waits for it. Used on the watchdog's thread only.
enum WaitingCode {
  /// Where a block of Swift's has the function that it was made of, in bytes (the first that it captures, after the header
  /// of the Blocks ABI).
  private static let closure: UInt64 = 32
  /// Where a block has its own function.
  private static let invoke: UInt64 = 16
  /// Where a block that Dispatch has made of another one, as for a `DispatchWorkItem`, has a mark of it, and the other one
  /// (`dispatch_block_private_data_s`, src/queue_internal.h of swift-corelibs-libdispatch).
  private static let mark: UInt64 = 32
  private static let markOfItem: UInt64 = 0xd159_b10c
  private static let original: UInt64 = 72
  /// Where a task that has not begun has its function, and what that captures, before that. It goes on with a function of
  /// the runtime's, which calls it (stdlib/public/Concurrency/Task.cpp).
  private static let entry: UInt64 = 24
  private static let captures: UInt64 = 16
  /// Where captures begin, after the header of an object, and where the first function may be: types of a generic function
  /// come before it, and the actor that one of type `@isolated(any)` captures.
  private static let firstCaptures: [UInt64] = [16, 24, 32, 40]
  private static let runtime = "/libswift_Concurrency.so"
  /// The libraries through which programs wait for their turn in a queue.
  private static let waysToWait = [
    "/libdispatch.so", "/libswiftDispatch.so", "/libswiftCore.so", "/libFoundation.so", "/libFoundationEssentials.so",
    "/libFoundationNetworking.so",
  ]

  /// The address of that code; nil where it is not known, or the item no longer waits. `image`: the image of the process
  /// that has an address; `stack`: the stack of a thread, as of a sample.
  static func address(
    of item: QueueItem, image: (UInt64) -> ImageRecord?, stack: (_ thread: UInt64) -> [UInt64]
  ) -> UInt64? {
    #if os(Linux)
      let waitingNs = item.waitingNs
      let work = item.work
      guard waitingNs != 0, work.function != 0 else { return nil }
      var code = work.function
      if item.waitsForTurn {
        guard let call = caller(goingOnAt: work.context, image, { stack(item.threadID) }) else { return nil }
        code = call
      } else if work.isBlock {
        guard let made = function(ofBlock: work.context, of: code, image) else { return nil }
        code = made
      } else if isRuntime(code, image), work.context != 0 {
        guard let job = function(of: work.context, image) else { return nil }
        code = job
      }
      return item.waitingNs == waitingNs && image(code) != nil ? code : nil
    #else
      return nil
    #endif
  }

  #if os(Linux)
    private static func isRuntime(_ code: UInt64, _ image: (UInt64) -> ImageRecord?) -> Bool {
      image(code)?.path.hasSuffix(runtime) == true
    }

    /// The program's call in which a thread waits that goes on at `place`; nil where that lies in a library, and the stack
    /// does not lead out of it.
    private static func caller(
      goingOnAt place: UInt64, _ image: (UInt64) -> ImageRecord?, _ stack: () -> [UInt64]
    ) -> UInt64? {
      func isProgram(_ place: UInt64) -> Bool {
        image(place).map { image in !waysToWait.contains { image.path.hasSuffix($0) } } ?? false
      }
      if isProgram(place) { return place - 1 }
      return stack().drop { $0 != place }.first(where: isProgram).map { $0 - 1 }
    }

    /// The program's function that a block with the function `code` runs.
    private static func function(
      ofBlock block: UInt64, of code: UInt64, _ image: (UInt64) -> ImageRecord?
    ) -> UInt64? {
      var (block, code) = (block, code)
      if SafeMemory.load(UInt64.self, at: block &+ mark) == markOfItem {
        guard let inner = SafeMemory.load(UInt64.self, at: block &+ original),
          let function = SafeMemory.load(UInt64.self, at: inner &+ invoke), image(function) != nil
        else { return nil }
        (block, code) = (inner, function)
      }
      guard let made = SafeMemory.load(UInt64.self, at: block &+ closure), image(made) != nil else { return code }
      return made
    }

    /// The program's function that a job of the runtime's goes on with.
    private static func function(of job: UInt64, _ image: (UInt64) -> ImageRecord?) -> UInt64? {
      guard let next = SafeMemory.load(UInt64.self, at: job &+ TaskLayout.resume) else { return nil }
      guard isRuntime(next, image) else { return next }
      guard let context = SafeMemory.load(UInt64.self, at: job &+ TaskLayout.resumeContext),
        let entry = SafeMemory.load(UInt64.self, at: context &- entry), image(entry) != nil
      else { return nil }
      return closure(of: context, image) ?? entry
    }

    /// The closure of a task that has not begun. Tasks are made by generic functions, so that its function is mostly one of
    /// the compiler's, which calls the closure that it captures first: by a record of two words, of which the first is the
    /// way from there to the code. Nil where it captures none.
    private static func closure(of context: UInt64, _ image: (UInt64) -> ImageRecord?) -> UInt64? {
      guard let captured = SafeMemory.load(UInt64.self, at: context &- captures) else { return nil }
      for place in firstCaptures {
        guard let record = SafeMemory.load(UInt64.self, at: captured &+ place),
          let way = SafeMemory.load(Int32.self, at: record), way != 0
        else { continue }
        let code = record &+ UInt64(bitPattern: Int64(way))
        if image(code) != nil, !isRuntime(code, image) { return code }
      }
      return nil
    }
  #endif
}
