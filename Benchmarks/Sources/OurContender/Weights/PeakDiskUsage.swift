import Foundation
import Synchronization

/// Measures the peak disk space of a folder. A thread reads the size of the folder every few milliseconds.
final class PeakDiskUsage: Sendable {
  private let state = Mutex((bytes: 0, isOver: false))
  private let end = DispatchSemaphore(value: 0)

  init(of folder: URL) {
    Thread.detachNewThread { [self] in
      while note(Self.bytes(in: folder)) { usleep(2_000) }
      end.signal()
    }
  }

  /// Ends the thread, and returns the peak size of the folder.
  func stop() -> Int {
    state.withLock { $0.isOver = true }
    end.wait()
    return state.withLock { $0.bytes }
  }

  /// Records one measured size. Returns false if the thread must end.
  private func note(_ bytes: Int) -> Bool {
    state.withLock {
      $0.bytes = max($0.bytes, bytes)
      return !$0.isOver
    }
  }

  private static func bytes(in folder: URL) -> Int {
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
    return (files ?? []).reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
  }
}
