import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("The lanes of Dispatch's queues")
struct LaneTableTests {
  @Test("are found by label and kind")
  func find() throws {
    let table = try #require(LaneTable())
    let images = try #require(table.find("images", .queue))
    #expect(table.find("images", .queue) == images)
    #expect(table.find("images", .pool) != images)
    #expect(table.find("images", .actor).map { $0 != images && $0 != table.find("images", .pool) } == true)
    #expect(table.find("thumbs", .queue) != images)
    let unlabelled = table.find(nil, .queue)
    #expect(unlabelled != nil && table.find("", .queue) == unlabelled)
    #expect(table.count == 5)
    #expect(table.place(0) == images && table[images].label == "images")
    #expect(table.place(5) == nil)
  }

  @Test("are at most so many, and further ones find no place")
  func limit() throws {
    let table = try #require(LaneTable())
    for number in 0..<LaneTable.mostLanes { #expect(table.find("queue \(number)", .queue) != nil) }
    #expect(table.find("one more", .queue) == nil)
    #expect(table.find("queue 17", .queue) != nil)
    #expect(Set((0..<LaneTable.mostLanes).compactMap(table.place)).count == LaneTable.mostLanes)
    #expect(table.place(LaneTable.mostLanes) == nil)
  }

  @Test("are the same for threads that add them at the same time")
  func together() throws {
    let table = try #require(LaneTable())
    nonisolated(unsafe) var found = [[Int?]](repeating: [], count: 8)
    found.withUnsafeMutableBufferPointer { found in
      nonisolated(unsafe) let found = found
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        found[thread] = (0..<200).map { table.find("queue \($0)", .queue) }
      }
    }
    #expect(table.count == 200)
    #expect(Set(found[0].compactMap(\.self)).count == 200)
    #expect(found.allSatisfy { $0 == found[0] })
  }
}
