import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("The lanes of Dispatch's queues")
struct LaneTableTests {
  @Test("are found by label and kind")
  func find() throws {
    let table = try #require(LaneTable())
    let images = try #require(table.find("images", isPool: false))
    #expect(table.find("images", isPool: false) == images)
    #expect(table.find("images", isPool: true) != images)
    #expect(table.find("thumbs", isPool: false) != images)
    let unlabelled = table.find(nil, isPool: false)
    #expect(unlabelled != nil && table.find("", isPool: false) == unlabelled)
    #expect(table.count == 4)
    #expect(table.place(0) == images && table[images].label == "images")
    #expect(table.place(4) == nil)
  }

  @Test("are at most so many, and further ones find no place")
  func limit() throws {
    let table = try #require(LaneTable())
    for number in 0..<LaneTable.mostLanes { #expect(table.find("queue \(number)", isPool: false) != nil) }
    #expect(table.find("one more", isPool: false) == nil)
    #expect(table.find("queue 17", isPool: false) != nil)
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
        found[thread] = (0..<200).map { table.find("queue \($0)", isPool: false) }
      }
    }
    #expect(table.count == 200)
    #expect(Set(found[0].compactMap(\.self)).count == 200)
    #expect(found.allSatisfy { $0 == found[0] })
  }
}
