import StallwatchCore
import Testing

@Suite("The severity")
struct SeverityTests {
  @Test(
    "of a stall begins exactly at its bound",
    arguments: [
      (0.ns, Severity.brief), (50.ms - 1, .brief), (50.ms, .long), (250.ms - 1, .long), (250.ms, .microhang),
      (500.ms - 1, .microhang), (500.ms, .hang), (2.s - 1, .hang), (2.s, .severe), (.max, .severe),
    ])
  func bounds(duration: Nanoseconds, severity: Severity) {
    #expect(Severity(duration: duration) == severity)
  }

  @Test("is ordered, from brief to severe")
  func order() {
    #expect(Severity.allCases.sorted() == [.brief, .long, .microhang, .hang, .severe])
    #expect(Severity.allCases.map(\.minimum) == Severity.allCases.map(\.minimum).sorted())
  }
}
