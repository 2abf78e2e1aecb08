#if canImport(XCTest)
  import CoreFoundation
  import Foundation
  import XCTest

  extension XCTestCase {
    /// Runs `body` as the main run loop would run a callout, and fails the test if it, or anything else meanwhile,
    /// holds a run loop or the main queue for longer than `limit`, 10 ms or more. For the main thread. Throws what
    /// `body` throws.
    ///
    /// ```swift
    /// func testOpensAFeed() throws {
    ///   try stalls(atMost: .milliseconds(250)) { try Feed.open() }
    /// }
    /// ```
    public func stalls<Value>(
      atMost limit: Duration, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Value
    ) throws -> Value {
      precondition(Thread.isMainThread, "stalls(atMost:) runs the main run loop: call it on the main thread")
      guard !TestMonitor.isRecorded else { return try body() }
      let watch = try TestWatch(limit: limit)
      var result: Result<Value, any Error>?
      withoutActuallyEscaping(body) { body in
        CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) {
          result = Result { try body() }
          CFRunLoopStop(CFRunLoopGetMain())
        }
        while result == nil { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1, false) }
      }
      do {
        let holds = try watch.holds {
          _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false)
        }
        for hold in holds { XCTFail(hold.sentence(limit: limit), file: file, line: line) }
      } catch {
        XCTFail("The test's stalls cannot be read: \(error)", file: file, line: line)
      }
      guard let result else { preconditionFailure("the loop has run until there was a result") }
      return try result.get()
    }
  }
#endif
