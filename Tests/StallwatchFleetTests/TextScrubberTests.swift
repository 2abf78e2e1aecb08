import SeededNumbers
import Testing

@testable import StallwatchFleet

@Suite("Texts without secrets")
struct TextScrubberTests {
  private let scrubber = TextScrubber(
    PrivateFacts(host: "web1.example.com", users: ["alice", "root", "x"], homes: ["/data/people/alice"]), allowing: [])

  @Test(
    "lose addresses, home folders, hosts and users",
    arguments: [
      ("mail to a.b+c@example.co.uk, now", "mail to <e-mail>, now"), ("a%40example.com", "<e-mail>"),
      ("bob@example.com.7-x", "<e-mail>"),
      ("bob@example.com.bob@example.com", "<e-mail>"),
      ("ü@bücher.de", "<e-mail>"), ("bob@10.0.0.12", "<e-mail>"), ("mailto:bob@example.com.", "mailto:<e-mail>."),
      ("/home/bob/a b/c", "~/a b/c"), ("open(\"/Users/bob/x\")", "open(\"~/x\")"), ("file:///home/bob/x", "file:~/x"),
      ("C:\\Users\\Bob\\x.txt", "C:~/x.txt"), ("/mnt/home/bob", "~"), ("/root/.ssh/id", "~/.ssh/id"),
      ("/data/people/alice/q", "~/q"), ("PATH=/home/a/bin:/home/b/bin", "PATH=~/bin:~/bin"),
      ("log-/home/bob/x", "~/x"), ("alice", "<user>"), ("Queue of Alice's", "Queue of <user>'s"),
      ("aliceQueue", "<user>Queue"), ("inboxAlice", "inbox<user>"), ("alice_2", "<user>_2"), ("alice7", "<user>7"),
      ("web1.example.com:80", "<host>:80"), ("on WEB1", "on <host>"), ("/srv/alice/x", "/srv/<user>/x"),
    ])
  func scrubbed(text: String, expected: String) {
    #expect(scrubber.text(text) == expected)
  }

  @Test(
    "keep what says nothing of anybody",
    arguments: [
      "main", "com.apple.root.default-qos", "malice", "web12", "kCFRunLoopDefaultMode", "a/b", "50 %", "user @ work",
      "memcpy@@GLIBC_2.14", "GET /api/items", "x", "/var/log/app.log", "v1.2@3", "",
    ])
  func kept(text: String) {
    #expect(scrubber.text(text) == text)
  }

  @Test(
    "keep names of functions, but not the folders in them",
    arguments: [
      ("ImageStore.decode(_:)", "ImageStore.decode(_:)"), ("static Rate./ infix(_:_:)", "static Rate./ infix(_:_:)"),
      ("alice(at:)", "alice(at:)"), ("operator/(int, int)", "operator/(int, int)"),
      ("(f in /home/bob/work/app/Sources/App/F.swift:12)", "(f in Sources/App/F.swift:12)"),
      ("x /opt/acme/secret/a/b.c", "x a/b.c"), ("github.com/acme/thing.Run", "github.com/acme/thing.Run"),
      ("libfoo.so + 0x12", "libfoo.so + 0x12"), ("/home/bob/app + 0x1", "app + 0x1"),
    ])
  func code(text: String, expected: String) {
    #expect(scrubber.code(text) == expected)
  }

  @Test(
    "keep of a source file's path what names it in its project",
    arguments: [
      ("/home/bob/acme/Sources/App/F.swift", "Sources/App/F.swift"),
      ("/home/bob/Sources/acme/Tests/AppTests/F.swift", "Tests/AppTests/F.swift"),
      ("/build/acme-secret/lib/net/socket.c", "net/socket.c"), ("/home/bob/F.swift", "F.swift"),
      ("/srv/alice/F.swift", "<user>/F.swift"), ("F.swift", "F.swift"), ("../../acme/lib/F.swift", "lib/F.swift"),
      ("Sources/App/F.swift", "Sources/App/F.swift"), ("/home/bob", "~"), ("/Users/Bob/My App/a/F.swift", "a/F.swift"),
      ("C:\\Users\\bob\\acme\\a\\F.swift", "a/F.swift"), ("", ""), ("<compiler-generated>", "<compiler-generated>"),
    ])
  func file(path: String, expected: String) {
    #expect(scrubber.file(path) == expected)
  }

  @Test("name the users of home folders in a command")
  func users() {
    #expect(HomeFolder.users(in: "/home/bob/bin/x") == ["bob"])
    #expect(HomeFolder.users(in: "--in=/Users/carol/x") == ["carol"])
    #expect(HomeFolder.users(in: "/usr/bin/env") == [])
  }

  @Test("hide every secret in whatever stands around it")
  func made() {
    let pieces = [
      "alice", "Alice", "ALICE", "web1", "WEB1.example.com", "bob@example.com", "home", "/home/bob", "Users", "root",
      "..",
      "a", "é", "7", "Sources", "x.swift", "%", "@", "<e-mail>", "~", "",
    ]
    let seams = [" ", "/", "//", "\\", ":", "-", "_", ".", "@", "%2F", "%40", "(", ")", "\"", ",", "=", "\n", "·"]
    var numbers = RandomNumbers(seed: 17)
    for _ in 0..<5_000 {
      var text = ""
      for _ in 0...numbers.below(9) { text += numbers.pick(pieces) + numbers.pick(seams) }
      let clean = scrubber.text(text)
      for secret in ["alice", "web1", "bob@", "example"] {
        #expect(!clean.lowercased().contains(secret), "\(text) → \(clean)")
      }
      #expect(!scrubber.code(text).contains("bob@example.com") && !scrubber.file(text).lowercased().contains("alice"))
    }
  }
}
