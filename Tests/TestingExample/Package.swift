// swift-tools-version: 6.1
import PackageDescription

// A package whose tests hold the main actor, as a user of StallwatchTesting would have it (tools/judge/testing).
let package = Package(
  name: "feed",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "stallwatch", path: "../..", traits: [])],
  targets: [
    .target(name: "Feed"),
    .testTarget(
      name: "FeedTests", dependencies: ["Feed", .product(name: "StallwatchTesting", package: "stallwatch")]),
  ],
  swiftLanguageModes: [.v6]
)
