import Foundation

/// The URLs of stores without a given one.
enum StoreLocation {
  /// The file of a named store, in the folder of the program or of a group.
  static func file(_ name: String, group: String?) -> URL {
    dataFolder
      .appending(component: group.map { "group.\(fileName($0))" } ?? program, directoryHint: .isDirectory)
      // `validate` refuses an invalid name later. Until then the path must stay inside of the folder.
      .appending(component: fileName(name) + ".store", directoryHint: .notDirectory)
  }

  static func memory(_ name: String) -> URL {
    URL(filePath: "/dev/null").appending(component: fileName(name))
  }

  /// The folder for data of the user's programs: `$XDG_DATA_HOME`, or the system's own.
  private static var dataFolder: URL {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    if let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first {
      return folder
    }
    return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share", directoryHint: .isDirectory)
  }

  /// The folder name of the program.
  private static var program: String {
    let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return fileName(name.isEmpty ? "program" : name)
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}
