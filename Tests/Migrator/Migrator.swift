import Foundation
import MigrationWorkload
import SwiftData

/// A process that migrates stores. `Migrator migrate <path> [greatest size of a file in bytes]` migrates one store;
/// `Migrator fleet <folder> [number of the commit to be killed at]` migrates several stores; `Migrator server <url>
/// <namespace>` migrates a store on a server.
///
/// The process prints its progress on the standard output, so that a test can kill it at a chosen time.
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

  /// Writes a line to the standard output without buffering, because the process may be killed at any time.
  private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Lets writes beyond this size in bytes fail, as on a full disk.
  private static func limitFiles(to size: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
}
