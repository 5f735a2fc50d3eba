import CSQLite
import CSQLiteShim

/// A place in the write-ahead log: the end of a commit.
///
/// The format of the log is documented by SQLite, and part of its file format. A frame is a page with a head, and the head of
/// a commit's last frame says so.
struct LogPosition: Equatable {
  /// The salts of the log, which are others each time that the log begins anew.
  fileprivate var salts: [UInt8]
  /// How many frames end here.
  fileprivate var frames: Int64 = 0
  /// The head of the last frame, with the checksum over all frames up to it.
  fileprivate var head: [UInt8] = []

  /// Past so many frames the rest is not looked at.
  fileprivate static let mostFrames: Int64 = 100_000

  /// The end of the log, and how many commits there are behind a known place.
  struct Scan {
    let end: LogPosition
    /// Nil if the log does not tell: it has begun anew, or what was at the known place was never committed.
    let commits: Int64?
  }
}

extension SQLiteHandle {
  /// Looks for commits in the log; nil if there is no log, or if it cannot be read.
  ///
  /// Commits that are still being written, or that failed at the last moment, are counted too; all that a read has seen before
  /// are.
  func scanLog(after known: LogPosition?) -> LogPosition.Scan? {
    // A magic number, the version, the size of pages, a count, two salts and two checksums.
    guard let start = readLog(32, at: 0), start.starts(with: [0x37, 0x7F, 0x06]) else { return nil }
    let size = start[8..<12].reduce(0) { $0 << 8 | Int64($1) }
    guard (512...65_536).contains(size) else { return nil }
    let salts = Array(start[16..<24])
    let isKnown = known.map { $0.salts == salts && isStillThere($0, pageSize: size) } ?? false
    var end = isKnown ? known ?? LogPosition(salts: salts) : LogPosition(salts: salts)
    var (frame, commits) = (end.frames, 0 as Int64)
    while let head = readLog(24, at: Self.offset(ofFrame: frame, pageSize: size)), head[8..<16].elementsEqual(salts) {
      frame += 1
      guard frame - end.frames <= LogPosition.mostFrames else { return nil }
      // The size of the database after the commit; zero in frames within one.
      guard head[4..<8].contains(where: { $0 != 0 }) else { continue }
      (end.frames, end.head) = (frame, head)
      commits += 1
    }
    return LogPosition.Scan(end: end, commits: isKnown ? commits : nil)
  }

  private func isStillThere(_ position: LogPosition, pageSize: Int64) -> Bool {
    guard position.frames > 0 else { return true }
    return readLog(24, at: Self.offset(ofFrame: position.frames - 1, pageSize: pageSize)) == position.head
  }

  private static func offset(ofFrame frame: Int64, pageSize: Int64) -> Int64 { 32 + frame * (24 + pageSize) }

  private func readLog(_ count: Int, at offset: Int64) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return osd_sqlite_read_log(pointer, &bytes, Int32(count), offset) == SQLITE_OK ? bytes : nil
  }
}
