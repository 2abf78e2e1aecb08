import Foundation

struct Article: Codable {
  var id: Int, title: String, tags: [String], author: Author
  struct Author: Codable { var name: String, mail: String? }
}

/// Reads feeds.
struct FeedParser {
  static let feed: Data = {
    let articles = (0..<2_000).map {
      Article(id: $0, title: "Article \($0)", tags: ["swift", "news"], author: .init(name: "A. Uthor", mail: nil))
    }
    return try! JSONEncoder().encode(articles)
  }()

  @inline(never) func parse() {
    let end = Date() + 0.25
    var articles: [Article] = []
    while Date() < end {
      articles += decoded(Self.feed).prefix(1)
    }
    precondition(!articles.isEmpty)
  }

  @inline(never) private func decoded(_ data: Data) -> [Article] {
    let decoder = JSONDecoder()
    let articles = try? decoder.decode([Article].self, from: data)  // BUG json-decode
    return articles ?? []
  }

  @inline(never) func parseOldFormat() {
    let end = Date() + 0.25
    repeat {
      guard let object = try? JSONSerialization.jsonObject(with: Self.feed) else { return }  // BUG json-object
      precondition((object as? [Any])?.count == 2_000)
    } while Date() < end
  }
}
