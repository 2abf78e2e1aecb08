import StallwatchCore
import Testing

@Suite("Labels of sessions")
struct SessionLabelsTests {
  @Test("are completed by others, tag by tag")
  func completed() {
    let own = SessionLabels(service: "a", tags: ["x": "1", "y": "2"])
    let others = SessionLabels(service: "b", release: "4", tags: ["y": "3", "z": "4"])
    let all = own.completed(by: others)
    #expect(all == SessionLabels(service: "a", release: "4", tags: ["x": "1", "y": "2", "z": "4"]))
    #expect(SessionLabels().completed(by: SessionLabels()).isEmpty)
  }

  @Test("may be any line of up to 256 bytes")
  func texts() {
    for text in ["a", "4.2.0 (beta, 17)", "größe", String(repeating: "x", count: 256)] {
      #expect(SessionLabels.isFit(text), "\(text)")
      #expect(SessionLabels(release: text).fault == nil)
    }
    for text in ["", "a\nb", "a\u{1b}[31m", "a\u{2028}b", "\0", String(repeating: "ö", count: 129)] {
      #expect(!SessionLabels.isFit(text), "\(text)")
      #expect(SessionLabels(instance: text).fault?.setting == "instance")
    }
  }

  @Test("take tags with names of few characters, and not too many")
  func tags() throws {
    for text in ["region=eu", "a.b/c-d_e=f=g", "n=a, b"] {
      let tag = try #require(SessionLabels.Tag(text))
      #expect(tag.description == text)
    }
    for text in ["region", "=eu", "region=", "a b=c", "ä=b", "\(String(repeating: "n", count: 65))=x", "a=b\nc"] {
      #expect(SessionLabels.Tag(text) == nil, "\(text)")
    }
    let many = Dictionary(uniqueKeysWithValues: (1...33).map { ("tag\($0)", "x") })
    #expect(SessionLabels(tags: many).fault?.setting == "tags")
    #expect(SessionLabels(tags: ["a b": "c"]).fault?.value == "a b=c")
    #expect(SessionLabels.tags(inList: SessionLabels.list(of: many)) == nil)
  }

  @Test("have tags in a list, in which every value survives")
  func lists() {
    let tags = ["a": "1,2", "b": "50%", "c": "%2C", "d": "x=y", "e": "ü"]
    let list = SessionLabels.list(of: tags)
    #expect(list == "a=1%2C2,b=50%25,c=%252C,d=x=y,e=ü")
    #expect(SessionLabels.tags(inList: list) == tags)
    // As somebody writes it by hand.
    #expect(SessionLabels.tags(inList: "share=50%,region=eu") == ["share": "50%", "region": "eu"])
    for list in ["", ",", "a=b,", "a=b,a=c", "a", "a=%0A", "a=%FF"] {
      #expect(SessionLabels.tags(inList: list) == nil, "\(list)")
    }
  }
}
