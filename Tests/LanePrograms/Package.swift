// swift-tools-version: 6.1
// Programs on public packages that know nothing of Stallwatch, to be recorded: a package of its own, so that those packages
// are built only for this (tools/judge/accuracy --nio, tools/judge/lane-programs, tools/judge/servers).
import PackageDescription

let package = Package(
  name: "lane-programs",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // Holds its event loops by a plan and writes what it did.
    .executableTarget(name: "nio-holds", dependencies: nio, path: "Sources/NIOHolds"),
    // Servers, each with what blocks in it.
    .executableTarget(name: "nio-echo", dependencies: nio, path: "Sources/NIOEcho"),
    .executableTarget(
      name: "nio-http", dependencies: nio + [.product(name: "NIOHTTP1", package: "swift-nio")], path: "Sources/NIOHTTP"),
    .executableTarget(
      name: "hummingbird-server", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
      path: "Sources/HummingbirdServer"),
    .executableTarget(
      name: "flyingfox-server", dependencies: [.product(name: "FlyingFox", package: "FlyingFox")],
      path: "Sources/FlyingFoxServer"),
  ],
  swiftLanguageModes: [.v6]
)

var nio: [Target.Dependency] {
  [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")]
}
