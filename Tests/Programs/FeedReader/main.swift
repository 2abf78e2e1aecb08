// A feed reader with twenty bugs that hold its main thread, of which it shows one. It knows nothing of Stallwatch.
//
//   feed-reader BUG    shows the bug four times, 200 ms and more each; `list` prints the bugs' names
//
// The line to change stands in the bug's file and ends with `// BUG name`; some bugs have several such lines.

import Foundation

let bugs: [(name: String, show: @MainActor () -> Void)] = [
  ("lock", { Cache.shared.show("https://example.org/feed") }),
  ("recursive-lock", { Subscriptions.shared.count() }),
  ("sqlite-scan", { Archive.shared.search("swift") }),
  ("sqlite-write", { Archive.shared.markAllRead() }),
  ("json-decode", { FeedParser().parse() }),
  ("json-object", { FeedParser().parseOldFormat() }),
  ("url-data", { Downloader.shared.loadIcon() }),
  ("url-text", { Downloader.shared.loadTitle() }),
  ("file-read", { ImageFiles.shared.loadPicture() }),
  ("file-scan", { ImageFiles.shared.measureCache() }),
  ("sleep", { Retries.fetchWithRetry() }),
  ("poll-sleep", { Retries.waitForNetwork() }),
  ("semaphore", { Login.refreshToken() }),
  ("group", { Login.loadProfile() }),
  ("allocation", { Articles.copyAll() }),
  ("string", { Articles.render() }),
  ("regex", { Highlighter.highlightLinks() }),
  ("ns-regex", { Highlighter.stripTags() }),
  ("log-pipe", { Log.shared.note("refreshed") }),
  ("log-handle", { Log.shared.dump() }),
]

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: feed-reader BUG|list\n".utf8))
  exit(2)
}
if CommandLine.arguments[1] == "list" {
  for bug in bugs { print(bug.name) }
  exit(0)
}
guard let bug = bugs.first(where: { $0.name == CommandLine.arguments[1] }) else {
  FileHandle.standardError.write(Data("feed-reader: no bug '\(CommandLine.arguments[1])'; 'list' prints all\n".utf8))
  exit(2)
}

// What a program makes at its start is no bug of its loop.
_ = (Archive.shared, Downloader.shared, ImageFiles.shared, Log.shared, FeedParser.feed)
var shown = 0
let timer = Timer(timeInterval: 0.3, repeats: true) { timer in
  MainActor.assumeIsolated {
    bug.show()
    shown += 1
    if shown == 4 { exit(0) }
  }
}
RunLoop.main.add(timer, forMode: .common)
RunLoop.main.run()
