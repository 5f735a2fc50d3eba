import Foundation
import Synchronization

/// The disk space of a folder, sampled every few milliseconds on a thread of its own.
final class Room: Sendable {
  private let largest = Mutex(0)
  private let isOver = Mutex(false)
  private let end = DispatchSemaphore(value: 0)

  init(of folder: URL) {
    Thread.detachNewThread { [self] in
      while !isOver.withLock({ $0 }) {
        let now = Self.bytes(in: folder)
        largest.withLock { $0 = max($0, now) }
        usleep(2_000)
      }
      end.signal()
    }
  }

  /// Ends the thread, and returns the peak size of the folder.
  func most() -> Int {
    isOver.withLock { $0 = true }
    end.wait()
    return largest.withLock { $0 }
  }

  private static func bytes(in folder: URL) -> Int {
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
    return (files ?? []).reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
  }
}
