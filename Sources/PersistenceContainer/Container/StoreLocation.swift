import Foundation

/// The files of stores that are not given one.
enum StoreLocation {
  /// The file of a named store, in the program's own folder or a group's.
  static func file(_ name: String, group: String?) -> URL {
    dataFolder
      .appending(component: group.map { "group.\(fileName($0))" } ?? program, directoryHint: .isDirectory)
      // A name that cannot be a file name is refused by `validate`; the path must not leave the folder until then.
      .appending(component: fileName(name) + ".store", directoryHint: .notDirectory)
  }

  static func memory(_ name: String) -> URL {
    URL(filePath: "/dev/null").appending(component: fileName(name))
  }

  /// The folder for data of the user's programs.
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

  /// What tells one program's data from another's.
  private static var program: String {
    let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return fileName(name.isEmpty ? "program" : name)
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}
