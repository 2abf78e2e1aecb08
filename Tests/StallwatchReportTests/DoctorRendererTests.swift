import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite struct DoctorRendererTests {
  private let good = DoctorFinding("clock", .good, "tsc")
  private let limit = DoctorFinding("processors", .limit, nil, remark: "It stalls.")
  private let obstacle = DoctorFinding("libraries", .obstacle, "not found", remark: "Look in /a/b.")

  @Test func theAnswerComesFirst() {
    let first = { (findings: [DoctorFinding]) in
      DoctorTextRenderer().render(DoctorReport(findings: findings)).split(separator: "\n")[0]
    }
    #expect(first([good]) == "Recording is possible here.")
    #expect(first([good, limit]) == "Recording is possible here, with 1 limit.")
    #expect(first([good, limit, obstacle]) == "Recording is not possible: libraries.")
  }

  @Test func everyFindingIsListedWithItsRemark() {
    let text = DoctorTextRenderer().render(DoctorReport(findings: [good, limit, obstacle]))
    #expect(
      text == """
        Recording is not possible: libraries.

        ok        clock       tsc
        limit     processors  unknown
                              It stalls.
        OBSTACLE  libraries   not found
                              Look in /a/b.

        """)
  }

  @Test func jsonHasItsKeys() throws {
    let json = try JSONText { sink in
      try DoctorJSONRenderer().render(DoctorReport(findings: [good, limit]), into: sink)
    }.object
    #expect(Set(json.keys) == ["schema", "can_record", "findings"])
    #expect(json["schema"] as? String == "stallwatch.doctor/1")
    #expect(json["can_record"] as? Bool == true)
    let finding = try json.list("findings")[1]
    #expect(Set(finding.keys) == ["topic", "status", "value", "remark"])
    #expect(finding.isNull("value"))
    #expect(finding["status"] as? String == "limit")
  }
}
