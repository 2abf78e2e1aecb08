import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

/// Stacks that were not read to their ends.
@Suite struct CutStackTests {
  private func frames(_ addresses: [UInt64]) -> [Frame] {
    Symbolicator(images: [], search: SymbolSearch()).frames(addresses)
  }

  @Test func theMarkIsShownAsWhatItIs() {
    #expect(frames([0x1000, 0x2000, StackSample.cutMark]).map(\.label) == ["0x1000", "0x2000", "[stack cut]"])
    #expect(frames([0x1000, 0x2000]).map(\.label) == ["0x1000", "0x2000"])
  }

  @Test func functionsThatWereNotFoundToAwaitAreSaidToBeUnknown() {
    #expect(
      frames([0x1000, StackSample.unknownAwaiterMark, 0x2000]).map(\.label)
        == ["0x1000", "[awaiting functions unknown]", "0x2000"])
  }

  @Test func theMarkIsNoCause() {
    let system = Frame(name: "write", image: "/lib/libc.so.6", offset: 1, isSystem: true)
    #expect(FoldedStack([system, .cut]).path.map(\.label) == ["write"])
    #expect(FoldedStack([.cut]).path.isEmpty)
  }
}
