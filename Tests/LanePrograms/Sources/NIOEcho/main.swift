// nio-echo PORT
//
// Sends back on loopback what it reads, and serves with two event loops. Before it answers `slow` it blocks its loop for
// 150 ms, before `heavy` it computes for 120 ms. Ends in an orderly way at SIGTERM.

import Foundation
import NIOCore
import NIOPosix
import Synchronization

@inline(never) @_optimize(none)
func readFromDisk() { usleep(150_000) }

@inline(never) @_optimize(none)
func resizeImage() -> UInt64 {
  let end = ContinuousClock.now + .milliseconds(120)
  var number: UInt64 = 1
  while ContinuousClock.now < end { for _ in 0..<20_000 { number = number &* 6_364_136_223_846_793_005 &+ 1 } }
  return number
}

final class EchoHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  static let served = Atomic(0)

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let request = unwrapInboundIn(data)
    switch String(buffer: request) {
    case "slow": readFromDisk()
    case "heavy": _ = resizeImage()
    default: break
    }
    Self.served.add(1, ordering: .relaxed)
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }
}

guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: nio-echo PORT\n".utf8))
  exit(2)
}
signal(SIGTERM, SIG_IGN)
let ending = DispatchSemaphore(value: 0)
let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: DispatchQueue(label: "signals"))
source.setEventHandler { ending.signal() }
source.activate()
let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
let server = try ServerBootstrap(group: group)
  .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
  .childChannelInitializer { channel in
    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(EchoHandler()) }
  }
  .bind(host: "127.0.0.1", port: port).wait()
ending.wait()
try server.close().wait()
try group.syncShutdownGracefully()
print("nio-echo: \(EchoHandler.served.load(ordering: .relaxed)) requests")
