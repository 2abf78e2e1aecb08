import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchReport

/// Signatures and callouts of stacks that a real run loop made, in two builds of one source.
@Suite(.serialized) struct LoopFixtureTests {
  /// Each callout does the same work; one timer comes to it by another way. `extra` moves lines and closures.
  private static func source(extra: String = "") -> String {
    """
    import CoreFoundation

    struct Store {
      @inline(never) func save(_ name: String) { locked { report(name) } }
      @inline(never) func load(_ name: String) { locked { print("loading"); report(name) } }
      @inline(never) func locked(_ body: () -> Void) { seen += 1; body() }
    }

    nonisolated(unsafe) var seen = 0

    @main struct Program {
      @inline(never) static func work(_ name: String) { Store().save(name) }
      @inline(never) static func otherWork(_ name: String) { Store().load(name) }

      static func main() {
        _ = images
        let loop = CFRunLoopGetMain()!
        \(extra)
        RunLoop.main.add(Timer(timeInterval: 0, repeats: false) { _ in work("timer") }, forMode: .default)
        RunLoop.main.add(Timer(timeInterval: 0, repeats: false) { _ in otherWork("other") }, forMode: .default)
        RunLoop.main.perform { work("block") }
        DispatchQueue.main.async { work("main-queue") }
        var context = CFRunLoopSourceContext()
        context.perform = { _ in Program.work("source0") }
        let source = CFRunLoopSourceCreate(nil, 0, &context)!
        CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
        CFRunLoopSourceSignal(source)
        let observer = CFRunLoopObserverCreateWithHandler(
          nil, CFRunLoopActivity.entry.rawValue, false, 0) { _, _ in work("observer") }
        CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode)
        let end = Date(timeIntervalSinceNow: 60)
        while seen < 6, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
        reportImages()
      }
    }
    """
  }

  /// The stacks of a build by name.
  private func stacks(extra: String = "", flags: [String]) throws -> [String: FoldedStack] {
    let directory = try TestDirectory()
    let program = try FixtureProgram(
      Self.source(extra: extra), path: directory.file("loader"), in: directory, flags: flags)
    return try Dictionary(
      uniqueKeysWithValues: program.stacks.map { ($0.name, FoldedStack(try program.frames($0.name))) })
  }

  private func signature(_ stack: FoldedStack?) -> Signature? {
    stack.flatMap { SignatureRule.cause(of: [WeighedStack(stack: $0, weight: 1, call: nil)])?.signature }
  }

  @Test(arguments: [["-g", "-O"], ["-g", "-Onone"]])
  func calloutsAreSeenAndTheSameWorkIsOneCause(flags: [String]) throws {
    let stacks = try stacks(flags: flags)
    #expect(Set(stacks.keys) == ["timer", "other", "block", "main-queue", "source0", "observer"])
    for (name, stack) in stacks where name != "other" { #expect(stack.callout?.rawValue == name, "\(stack)") }
    #expect(stacks["other"]?.callout == .timer)
    let keys = stacks.mapValues { signature($0)?.key }
    #expect(Set(keys.values).count == 1, "the same function held the loop, whoever called it: \(stacks)")
  }

  @Test func anotherBuildGroupsAlike() throws {
    let extra = "// moved\nlet unused = { (n: Int) in print(n) }\nif CommandLine.arguments.count > 9 { unused(1) }"
    let first = try stacks(flags: ["-g", "-O"])
    let second = try stacks(extra: extra, flags: ["-g", "-O"])
    #expect(!first.isEmpty)
    for (name, stack) in first { #expect(signature(stack) == signature(second[name]), "\(name)") }
  }
}
