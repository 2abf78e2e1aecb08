// Two listeners, one after the other, and items of a global queue and of one that may go.
import Dispatch

@_silgen_name("listen_as") func listen(as lane: UInt32)
@_silgen_name("stop_listening") func stopListening()

func enqueue(on queue: DispatchQueue) {
  let done = DispatchSemaphore(value: 0)
  queue.async { done.signal() }
  done.wait()
}

for lane in [7, 9] as [UInt32] {
  listen(as: lane)
  enqueue(on: .global())
  enqueue(on: .global())
  let images = DispatchQueue(label: "images", attributes: .concurrent)
  enqueue(on: images)
  enqueue(on: images)
  stopListening()
}
