#if !canImport(Darwin)
  import Foundation

  // Folders that Foundation names on Apple's systems only.

  extension URL {
    /// The folder for data of the user's programs.
    public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory, or: ".local/share") }
    /// The folder for the user's documents.
    public static var documentsDirectory: URL { folder(.documentDirectory, or: "Documents") }
    /// The folder for what can be made again.
    public static var cachesDirectory: URL { folder(.cachesDirectory, or: ".cache") }
    /// The folder that holds the folders for data and settings.
    public static var libraryDirectory: URL { folder(.libraryDirectory, or: ".local") }

    private static func folder(_ directory: FileManager.SearchPathDirectory, or path: String) -> URL {
      FileManager.default.urls(for: directory, in: .userDomainMask).first
        ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
