// swift-tools-version: 6.1
// A program of SwiftNIO's that embeds the monitor, as one of other people's would: a package of its own, so that SwiftNIO is
// built only for this (tools/judge/embedded-nio).
import PackageDescription

let package = Package(
  name: "nio-program",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "stallwatch", path: "../..", traits: ["NIO"]),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
  ],
  targets: [
    .executableTarget(
      name: "nio-program",
      dependencies: [
        .product(name: "Stallwatch", package: "stallwatch"), .product(name: "StallwatchNIO", package: "stallwatch"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
