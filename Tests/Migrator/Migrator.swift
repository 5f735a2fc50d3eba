import Foundation
import MigrationWorkload
import SwiftData

/// A process that migrates a store: `Migrator migrate <path> [greatest size of a file in bytes]`, or several stores:
/// `Migrator fleet <folder> [number of the commit to be killed at]`, or a store on a server: `Migrator server <url>
/// <namespace>`.
///
/// It prints its progress on standard output until it is killed.
@main
struct Migrator {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fatalError("a command and a path are needed") }
    let url = URL(filePath: arguments[2])
    say("migrating")
    do {
      if arguments[1] == "server", arguments.count > 3 {
        let count = try ServerMigrator.run(arguments[2], namespace: arguments[3])
        return say("migrated \(count)")
      }
      if arguments[1] == "fleet" {
        return try FleetMigrator.run(url, killedAtCommit: arguments.count > 3 ? Int(arguments[3]) : nil)
      }
      if arguments.count > 3, let size = UInt(arguments[3]) { limitFiles(to: size) }
      let container = try TripStores.migrated(at: url)
      say("migrated \(try ModelContext(container).fetchCount(FetchDescriptor<TripsV3.Trip>()))")
    } catch {
      say("failed \(error)")
      exit(1)
    }
  }

  /// Writes immediately, because the process may be killed at any time.
  private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Simulates a disk that is full at this size.
  private static func limitFiles(to size: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
}
