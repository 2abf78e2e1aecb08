// A program with two event loops and no run loop, for tests of what `record` sees of them. It knows nothing of Foundation.
//
//   event-loops [unnamed]
//
// One item holds the loop `loop-1` for 150 ms; one item of `loop-2` waits itself, five times 120 ms. A worker of Dispatch
// waits in the same way and serves no loop. unnamed: a worker of Dispatch makes a thread that serves a loop and gives it no
// name. Prints `done` and exits with 7.

import Dispatch

#if canImport(Glibc)
  import CLinuxCalls
  import Glibc

  /// A thread that serves one item after the other.
  final class Loop: @unchecked Sendable {
    private let poll = epoll_create1(0)
    private let wake = eventfd(0, 0)
    private let queue = DispatchQueue(label: "items")  // guards `items`
    private var items: [() -> Void] = []
    private var isOver = false
    private var thread = pthread_t()

    init(_ name: String?) {
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wake))
      epoll_ctl(poll, EPOLL_CTL_ADD, wake, &event)
      let body = Unmanaged.passRetained(Body(loop: self, name: name))
      pthread_create(
        &thread, nil,
        { argument in
          let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
          if let name = body.name { name_this_thread(name) }
          body.loop.serve()
          return nil
        }, body.toOpaque())
    }

    private final class Body {
      let (loop, name): (Loop, String?)
      init(loop: Loop, name: String?) { (self.loop, self.name) = (loop, name) }
    }

    func serve() {
      while true {
        var event = epoll_event()
        guard epoll_wait(poll, &event, 1, -1) > 0 else { continue }
        var count: UInt64 = 0
        read(wake, &count, 8)
        let taken = queue.sync {
          defer { items = [] }
          return items
        }
        for item in taken { item() }
        if isOver { return }
      }
    }

    /// Has the loop serve an item, and waits for that.
    func perform(_ item: @escaping () -> Void) {
      let done = DispatchSemaphore(value: 0)
      queue.sync {
        items.append {
          item()
          done.signal()
        }
      }
      var one: UInt64 = 1
      write(wake, &one, 8)
      done.wait()
    }

    func end() {
      perform { self.isOver = true }
      pthread_join(thread, nil)
    }
  }

  @inline(never)
  func holdLoop() { usleep(150_000) }

  @inline(never)
  func waitWithin() {
    let poll = epoll_create1(0)
    var event = epoll_event()
    for _ in 0..<5 { epoll_wait(poll, &event, 1, 120) }
    close(poll)
  }

  @inline(never)
  func waitOnWorker() {
    let poll = epoll_create1(0)
    var event = epoll_event()
    for _ in 0..<5 {
      epoll_wait(poll, &event, 1, 10)
      usleep(70_000)
    }
    close(poll)
  }

  @inline(never)
  func serveWithoutName() {
    let loop = Loop(nil)
    for _ in 0..<20 { loop.perform {} }
    loop.end()
  }

  if CommandLine.arguments.dropFirst() == ["unnamed"] {
    let served = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      serveWithoutName()
      served.signal()
    }
    served.wait()
    print("done")
    exit(7)
  }
  let (first, second) = (Loop("loop-1"), Loop("loop-2"))
  for _ in 0..<20 {
    first.perform {}
    second.perform {}
  }
  first.perform(holdLoop)
  second.perform(waitWithin)
  let worked = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    waitOnWorker()
    worked.signal()
  }
  worked.wait()
  // At rest for as long as it takes the monitor to see it.
  usleep(100_000)
  first.end()
  second.end()
  print("done")
  exit(7)
#else
  print("event loops of this kind exist on Linux only")
#endif
