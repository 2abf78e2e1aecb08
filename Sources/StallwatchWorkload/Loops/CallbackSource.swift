import CoreFoundation

/// A version 0 source that calls a closure. CF keeps it alive while the source is valid.
final class CallbackSource {
  private let work: () -> Void
  private var source: CFRunLoopSource?

  /// A source that is not added to a loop yet.
  init(_ work: @escaping () -> Void) {
    self.work = work
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.retain = { info in
      _ = Unmanaged<CallbackSource>.fromOpaque(info!).retain()
      return info
    }
    context.release = { info in Unmanaged<CallbackSource>.fromOpaque(info!).release() }
    context.perform = { info in Unmanaged<CallbackSource>.fromOpaque(info!).takeUnretainedValue().perform() }
    source = CFRunLoopSourceCreate(nil, 0, &context)
  }

  /// Adds it to a loop's mode.
  func add(to loop: CFRunLoop, mode: CFRunLoopMode) { CFRunLoopAddSource(loop, source, mode) }

  /// Lets the loop's next iteration call the closure, once. Then the source is invalid.
  func signalOnce() { CFRunLoopSourceSignal(source) }

  private func perform() {
    let source = source
    self.source = nil
    CFRunLoopSourceInvalidate(source)
    work()
  }
}
