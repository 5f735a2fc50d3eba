#if !canImport(Darwin)
  import Foundation

  // Directories that Foundation has only on Apple's systems.

  extension URL {
    /// The directory for application data: `~/.local/share`, unless the system defines another directory.
    public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory, or: ".local/share") }
    /// The user's documents directory.
    public static var documentsDirectory: URL { folder(.documentDirectory, or: "Documents") }
    /// The directory for data that can be recreated.
    public static var cachesDirectory: URL { folder(.cachesDirectory, or: ".cache") }
    /// The parent directory of application data and settings.
    public static var libraryDirectory: URL { folder(.libraryDirectory, or: ".local") }

    private static func folder(_ directory: FileManager.SearchPathDirectory, or path: String) -> URL {
      FileManager.default.urls(for: directory, in: .userDomainMask).first
        ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
