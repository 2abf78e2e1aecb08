import Feed
import StallwatchTesting
import XCTest

final class CaseTests: XCTestCase {
  func testLoadsQuickly() throws { try stalls(atMost: .milliseconds(150)) { Feed.loadQuickly() } }
  func testLoadsSlowly() throws { try stalls(atMost: .milliseconds(150)) { Feed.loadSlowly() } }
}
