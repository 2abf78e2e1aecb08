import CoreFoundation
import Foundation
import Synchronization

/// A version 0 source through which other threads send messages to a loop.
final class MessageSource: @unchecked Sendable {
  private let queue = Mutex<[String]>([])
  private let handled = DispatchSemaphore(value: 0)
  private let handler: (String) -> Void
  private let loop: Loop
  private var source: CFRunLoopSource!

  /// A source in some modes of the calling thread's loop; `handler` is called on it. It lasts as long as the program.
  init(modes: String..., handler: @escaping (String) -> Void) {
    self.handler = handler
    loop = .current
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(self).toOpaque()
    context.perform = { info in Unmanaged<MessageSource>.fromOpaque(info!).takeUnretainedValue().perform() }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    for mode in modes { CFRunLoopAddSource(loop.loop, source, cfMode(mode)) }
  }

  /// Sends a message. Any thread.
  func send(_ message: String) {
    queue.withLock { $0.append(message) }
    CFRunLoopSourceSignal(source)
    loop.wakeUp()
  }

  /// Sends a message, waits until it was handled, and lets the loop rest for a while. Another thread than the loop's.
  func sendAndWait(_ message: String, restMilliseconds: UInt64 = 15) {
    send(message)
    handled.wait()
    pause(milliseconds: restMilliseconds)
  }

  /// Takes it out of its loop.
  func remove() { CFRunLoopSourceInvalidate(source) }

  private func perform() {
    let messages = queue.withLock { queue in
      defer { queue = [] }
      return queue
    }
    for message in messages {
      handler(message)
      handled.signal()
    }
  }
}
