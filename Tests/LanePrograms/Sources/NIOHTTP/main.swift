// nio-http PORT
//
// Answers every HTTP request on loopback with a few bytes, as fast as it can, on the event loops of SwiftNIO alone. SIGTERM
// kills it.

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

final class HelloHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart
  private let body = ByteBuffer(string: "hello\n")
  private let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "6"])

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}

guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: nio-http PORT\n".utf8))
  exit(2)
}
let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
let server = try ServerBootstrap(group: group)
  .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
  .serverChannelOption(.backlog, value: 256)
  .childChannelInitializer { channel in
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
      try channel.pipeline.syncOperations.addHandler(HelloHandler())
    }
  }
  .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
  .bind(host: "127.0.0.1", port: port).wait()
try server.closeFuture.wait()
