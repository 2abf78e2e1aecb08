#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Testing

  @testable import StallwatchProbe

  @Suite("The count of a thread's run delay", .serialized)
  struct RunDelayCountTests {
    /// The descriptors that are open on this thread's count.
    private func descriptors() -> [Int32] {
      let file = "/task/\(stallwatch_thread_id())/schedstat"
      return (stallwatch_least_kept_descriptor..<stallwatch_kept_descriptor_limit).map(Int32.init).filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasSuffix(file) == true
      }
    }

    @Test("keeps its file open from the second reading on, until it rests")
    func keepsFile() throws {
      let count = RunDelayCount()
      let first = try #require(count.read())
      #expect(descriptors().isEmpty)
      let second = try #require(count.read())
      #expect(second >= first)
      #expect(descriptors().count == 1)
      count.rest()
      #expect(descriptors().isEmpty)
    }

    @Test("answers on when the program has closed the file, and leaves alone what came in its place")
    func closedFile() throws {
      let count = RunDelayCount()
      _ = (count.read(), count.read())
      let descriptor = try #require(descriptors().first)
      close(descriptor)
      let other = open("/dev/null", O_RDONLY)
      #expect(dup2(other, descriptor) == descriptor)
      #expect(count.read() != nil)
      count.rest()
      #expect(fcntl(descriptor, F_GETFD) >= 0)
      close(descriptor)
      close(other)
    }

    @Test("is of the thread that reads, whichever made it")
    func readingThread() throws {
      nonisolated(unsafe) var made: RunDelayCount?
      let isMade = DispatchSemaphore(value: 0)
      Thread {
        made = RunDelayCount()
        isMade.signal()
      }.start()
      isMade.wait()
      let count = try #require(made)
      _ = (count.read(), count.read())
      #expect(descriptors().count == 1)
      count.rest()
    }
  }
#endif
