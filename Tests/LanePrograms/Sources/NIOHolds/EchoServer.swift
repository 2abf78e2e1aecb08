import Foundation
import NIOCore
import NIOPosix

/// Starts a server on loopback that the loop alone serves. It calls `serve` with each number that it reads, and sends the
/// number back. Returns the port.
func startEchoServer(on loop: any EventLoop, _ serve: @escaping @Sendable (Int) -> Void) throws -> UInt16 {
  let server = try ServerBootstrap(group: loop)
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(EchoHandler(serve: serve))
      }
    }
    .bind(host: "127.0.0.1", port: 0).wait()
  return UInt16(server.localAddress!.port!)
}

private final class EchoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let serve: @Sendable (Int) -> Void

  init(serve: @escaping @Sendable (Int) -> Void) { self.serve = serve }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let request = unwrapInboundIn(data)
    serve(Int(request.getInteger(at: request.readerIndex, as: Int32.self)!))
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }
}

/// A connection to such a server, whose calls block.
struct EchoClient {
  private let socket: Int32

  init(port: UInt16) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(result == 0, "the server does not answer")
  }

  /// Sends a number, and returns when it has come back.
  func askFor(_ number: Int) {
    var bytes = Int32(number).bigEndian
    precondition(write(socket, &bytes, 4) == 4 && read(socket, &bytes, 4) == 4, "the connection was closed")
  }
}
