import Foundation

/// An article as the reader shows it.
final class ArticleView {
  let title: String
  let lines: [String]
  init(_ number: Int) {
    title = "Article \(number) of the feed"
    lines = (0..<8).map { "Line \($0) of the article number \(number)" }
  }
}

@MainActor enum Articles {
  @inline(never) static func copyAll() {
    let end = Date() + 0.25
    var views: [ArticleView] = []
    while Date() < end {
      views.removeAll()  // BUG allocation
      for number in 0..<500 { views.append(ArticleView(number)) }  // BUG allocation
    }
    precondition(views.count == 500)
  }

  @inline(never) static func render() {
    let end = Date() + 0.25
    repeat {
      precondition(markup().count > 1_000)
    } while Date() < end
  }

  @inline(never) private static func markup() -> String {
    var text = ""
    for number in 0..<2_000 {
      text = text + "<li>\(number)</li>"  // BUG string
    }
    return text
  }
}
