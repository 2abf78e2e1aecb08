import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("The lanes of Dispatch's queues")
struct LaneTableTests {
  @Test("are found by label and kind")
  func find() throws {
    let table = try #require(LaneTable())
    let images = try #require(table.find("images", .queue, at: 1))
    #expect(table.find("images", .queue, at: 1) == images)
    #expect(table.find("images", .pool, at: 1) != images)
    #expect(
      table.find("images", .actor, at: 1).map { $0 != images && $0 != table.find("images", .pool, at: 1) } == true)
    #expect(table.find("thumbs", .queue, at: 1) != images)
    let unlabelled = table.find(nil, .queue, at: 1)
    #expect(unlabelled != nil && table.find("", .queue, at: 1) == unlabelled)
    #expect(table.count == 5)
    #expect(table.place(0) == images && table[images].label == "images")
    #expect(table.place(5) == nil)
  }

  @Test("differ by any character and by the length of a label")
  func labels() throws {
    let table = try #require(LaneTable())
    var lanes: Set<Int> = []
    for length in 1...20 {
      // Of equal words, which say nothing but how many there are.
      lanes.insert(try #require(table.find(String(repeating: "a", count: length), .queue, at: 1)))
    }
    let label = Array("com.example.images")
    for place in label.indices {
      var other = label
      other[place] = "#"
      lanes.insert(try #require(table.find(String(other), .queue, at: 1)))
    }
    #expect(lanes.count == 20 + label.count)
  }

  @Test("are not named for the addresses of operation queues")
  func operationQueues() throws {
    let table = try #require(LaneTable())
    let lane = try #require(table.find("NSOperationQueue 0x00007f52a4008b50", .pool, at: 1))
    #expect(table[lane].label == "OperationQueue")
    #expect(table.find("NSOperationQueue 0x7f52a4009c60 (QOS: UTILITY)", .pool, at: 1) == lane)
    #expect(table.find("NSOperationQueue 0x7f52a4009c60", .queue, at: 1) != lane)
    #expect(table.find("NSOperationQueue Main Queue", .pool, at: 1) != lane)
    #expect(table.find("NSOperationQueue", .pool, at: 1) != lane)
  }

  @Test("are at most so many, and further labels share one")
  func limit() throws {
    let table = try #require(LaneTable())
    let own = (0..<LaneTable.mostOwnLanes).compactMap { table.find("queue \($0)", .queue, at: 1) }
    #expect(Set(own).count == LaneTable.mostOwnLanes)
    let shared = try #require(table.find("one more", .queue, at: 1))
    #expect(table[shared].label == "other queues" && table[shared].kind == .queue)
    for number in 0..<1_000 { #expect(table.find("further \(number)", .queue, at: 1) == shared) }
    let actors = try #require(table.find("one more", .actor, at: 1))
    #expect(table[actors].label == "other actors" && table[actors].kind == .actor)
    let pools = try #require(table.find("one more", .pool, at: 1))
    #expect(table[pools].label == "other pools")
    #expect(table.find("queue 17", .queue, at: 1) == own[17])
    #expect(table.count == LaneTable.mostOwnLanes + 3)
    #expect(Set((0..<table.count).compactMap(table.place)) == Set(own + [shared, actors, pools]))
    #expect(table.place(LaneTable.mostLanes) == nil)
  }

  @Test("are the same for threads that add them at the same time")
  func together() throws {
    let table = try #require(LaneTable())
    nonisolated(unsafe) var found = [[Int?]](repeating: [], count: 8)
    found.withUnsafeMutableBufferPointer { found in
      nonisolated(unsafe) let found = found
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        found[thread] = (0..<200).map { table.find("queue \($0)", .queue, at: 1) }
      }
    }
    #expect(table.count == 200)
    #expect(Set(found[0].compactMap(\.self)).count == 200)
    #expect(found.allSatisfy { $0 == found[0] })
  }
}
