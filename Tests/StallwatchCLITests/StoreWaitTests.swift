import Foundation
import TestPrograms
import Testing

/// A live verb may be started before the recording that it shows.
@Suite(.serialized) struct StoreWaitTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test(arguments: [false, true])
  func `top waits for a store that is not there yet, or has nothing in it`(isEmpty: Bool) throws {
    let sample = try SampleStore()
    let path = sample.directory.file("later.stallwatch")
    if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
    let run = try TestRun.run([Self.stallwatch, "top", "--once", "--wait", "10min", path]) { _ in
      // However long this is, the verb ends well; without waiting it would have ended by now.
      usleep(500_000)
      guard rename(sample.path, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.contains("later.stallwatch"))
    #expect(run.errorText == "")
  }

  @Test func `what time does not mend is reported at once`() throws {
    let directory = try TestDirectory()
    let path = try directory.write("no store of ours\n", to: "text")
    let run = try TestRun.run([Self.stallwatch, "top", "--wait", "10min", path])
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains("is not a Stallwatch store"))
  }
}
