import Foundation

/// Marks what articles contain.
@MainActor enum Highlighter {
  private static let article = String(repeating: "aaaaaaaaaaaa ", count: 20)

  @inline(never) static func highlightLinks() {
    let end = Date() + 0.25
    repeat {
      let links = article.matches(of: /(a|aa)+c/)  // BUG regex
      precondition(links.isEmpty)
    } while Date() < end
  }

  @inline(never) static func stripTags() {
    let tags = try! NSRegularExpression(pattern: "(a|aa)+c")
    let end = Date() + 0.25
    repeat {
      let whole = NSRange(location: 0, length: 60)
      let count = tags.numberOfMatches(in: article, range: whole)  // BUG ns-regex
      precondition(count == 0)
    } while Date() < end
  }
}
