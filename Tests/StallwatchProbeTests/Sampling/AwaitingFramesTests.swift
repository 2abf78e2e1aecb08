#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  /// The functions that await those of a thread which runs a task.
  @Suite("Stacks of tasks", .serialized, .takesTurns)
  final class AwaitingFramesTests {
    private let sampler: LinuxThreadSampler

    init() throws { sampler = try #require(LinuxThreadSampler(SamplerConfiguration())) }

    deinit { sampler.stop() }

    /// A task of functions that await each other. The innermost one works until the test stops it.
    private final class RunningTask: Sendable {
      let threadID: UInt64
      private let flag = SampledThread.StopFlag()
      private let task: Task<Int, Never>

      init(_ body: @escaping @Sendable (SampledThread.StopFlag) -> Void) {
        let (flag, started) = (flag, DispatchSemaphore(value: 0))
        let number = Shared(Atomic<UInt64>(0))
        task = Task.detached {
          await awaitingOuter {
            number.value.store(stallwatch_thread_id(), ordering: .releasing)
            started.signal()
            body(flag)
          }
        }
        started.wait()
        threadID = number.value.load(ordering: .acquiring)
      }

      func stop() async {
        flag.set()
        _ = await task.value
      }
    }

    private static let functions = ["markedAwaited", "awaitingInner", "awaitingMiddle", "awaitingOuter"]

    /// Whether a stack names the functions in their order.
    private func areShown(_ frames: [UInt64]) throws -> Bool {
      var rest = Self.functions[...]
      for name in try functionNames(frames.filter { !StackSample.isMark($0) }) {
        if rest.first.map(name.contains) == true { rest.removeFirst() }
      }
      return rest.isEmpty
    }

    @Test("go on with those that await a blocked one")
    func blocked() async throws {
      let task = RunningTask { markedSleep($0) }
      var frames: [UInt64] = []
      let isShown = eventually {
        frames = sampler.capture(threadID: task.threadID)?.frames ?? []
        return (try? areShown(frames)) == true
      }
      await task.stop()
      let names = try functionNames(frames)
      #expect(isShown, "\(names)")
      #expect(!frames.contains(StackSample.unknownAwaiterMark))
    }

    @Test(
      "go on with them at each of many looks at one that runs",
      .enabled(if: ThreadSanitizer.isOff, ThreadSanitizer.reason))
    func running() async throws {
      let task = RunningTask { markedSpin($0) }
      var stacks: [[UInt64]] = []
      let isDone = eventually {
        usleep(5_000)
        let frames = sampler.follow(threadID: task.threadID)?.last?.frames ?? []
        if !frames.isEmpty { stacks.append(frames) }
        return stacks.count == 5
      }
      await task.stop()
      #expect(isDone)
      for frames in stacks {
        let names = try functionNames(frames)
        #expect(try areShown(frames), "\(names)")
      }
    }

    @Test("say that they leave them out where the runtime has another layout")
    func unknownLayout() async throws {
      #expect(sampler.walker.awaiting.layout != nil)
      sampler.walker.awaiting.layout = nil
      let task = RunningTask { markedSleep($0) }
      var frames: [UInt64] = []
      let isMarked = eventually {
        frames = sampler.capture(threadID: task.threadID)?.frames ?? []
        return frames.contains(StackSample.unknownAwaiterMark)
      }
      await task.stop()
      #expect(isMarked)
      #expect(try !areShown(frames))
    }

    @Test("keep to the number of frames, and count those that find no room")
    func room() {
      let walk = UnsafeMutablePointer<stallwatch_walk>.allocate(capacity: 1)
      defer { walk.deallocate() }
      func insert(_ count: Int, at place: Int, into frames: Int) -> (frames: [UInt64], cut: UInt32) {
        walk.pointee = stallwatch_walk()
        walk.pointee.count = UInt32(frames)
        let kept = UnsafeMutableRawPointer(walk).assumingMemoryBound(to: UInt64.self)
        for index in 0..<frames { kept[index] = UInt64(index) }
        stallwatch_insert_frames(walk, UInt32(place), (0..<count).map { 1_000 + UInt64($0) }, UInt32(count))
        return (Array(UnsafeBufferPointer(start: kept, count: Int(walk.pointee.count))), walk.pointee.cut)
      }
      #expect(insert(2, at: 1, into: 4) == ([0, 1, 1_000, 1_001, 2, 3], 0))
      #expect(insert(2, at: 3, into: 4) == ([0, 1, 2, 3, 1_000, 1_001], 0))
      let behind = insert(3, at: 0, into: 127)
      #expect(behind.frames == [0, 1_000, 1_001, 1_002] + Array(1..<125) && behind.cut == 2)
      let within = insert(64, at: 100, into: 128)
      #expect(within.frames == Array(0..<101) + Array(1_000..<1_027) && within.cut == 64)
      let full = insert(1, at: 127, into: 128)
      #expect(full.frames == Array(0..<128) && full.cut == 1)
    }

    @Test("are believed of a library that says how its tasks lie in memory, and of no other one")
    func layout() throws {
      let runtime = try #require(sampler.walker.images.asyncRuntime)
      let code = runtime.record.start..<runtime.record.end
      let layout = try #require(TaskLayout(code: code, header: runtime.header))
      let metadata = try #require(dlsym(nil, "_swift_concurrency_debug_asyncTaskMetadata"))
      #expect(layout.metadata == metadata.load(as: UInt64.self))
      #expect(code.contains(UInt64(UInt(bitPattern: try #require(dlsym(nil, "swift_task_create"))))))
      let retain = try #require(dlsym(nil, "swift_retain"))
      let core = try #require(sampler.image(at: UInt64(UInt(bitPattern: retain))))
      #expect(ElfImageHeaders(at: core.base) != nil)
      #expect(TaskLayout(code: code, header: core.base) == nil)
      #expect(TaskLayout(code: code, header: 0) == nil)
    }
  }

  @inline(never) @_optimize(none)
  private func awaitingOuter(_ body: @Sendable () -> Void) async -> Int {
    await awaitingMiddle(body) + 1
  }

  @inline(never) @_optimize(none)
  private func awaitingMiddle(_ body: @Sendable () -> Void) async -> Int {
    let found = await awaitingInner(body)
    return found * 2
  }

  @inline(never) @_optimize(none)
  private func awaitingInner(_ body: @Sendable () -> Void) async -> Int {
    await Task.yield()
    markedAwaited(body)
    return 3
  }

  @inline(never) @_optimize(none)
  private func markedAwaited(_ body: () -> Void) { body() }
#endif
