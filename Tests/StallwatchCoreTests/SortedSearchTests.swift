import StallwatchCore
import Testing

@Suite("A search among sorted elements")
struct SortedSearchTests {
  @Test("finds the first that belongs, for every place it may have", arguments: 0...9)
  func everyPlace(of first: Int) {
    let numbers = Array(0..<9)
    #expect(numbers.partitioningIndex { $0 >= first } == first)
    #expect(numbers[2..<7].partitioningIndex { $0 >= first } == min(max(first, 2), 7))
  }

  @Test("finds the end among no elements")
  func nothing() {
    #expect([Int]().partitioningIndex { _ in true } == 0)
  }
}
