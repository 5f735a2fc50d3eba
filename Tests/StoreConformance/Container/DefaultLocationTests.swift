import SwiftData
import Testing

#if os(Linux)
  /// These tests set an environment variable, which all tests of the process share. So the suite is serialized and
  /// restores the variable.
  @Suite("The location of the default store", .serialized)
  struct DefaultLocationTests {
    private func withDataFolder(_ body: (URL) throws -> Void) throws {
      let folder = try TestStore.makeFolder()
      let before = ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
      setenv("XDG_DATA_HOME", folder.path, 1)
      defer {
        if let before { setenv("XDG_DATA_HOME", before, 1) } else { unsetenv("XDG_DATA_HOME") }
        try? FileManager.default.removeItem(at: folder)
      }
      try body(folder)
    }

    /// The file name of the running program, without its extension.
    private var program: String {
      let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
      return URL(filePath: path).deletingPathExtension().lastPathComponent
    }

    @Test("the default store is in the user's data folder, in a folder named after the program")
    func location() throws {
      try withDataFolder { folder in
        let url = ModelConfiguration().url
        #expect(url.lastPathComponent == "default.store")
        let own = url.deletingLastPathComponent()
        #expect(own.deletingLastPathComponent().standardizedFileURL.path == folder.standardizedFileURL.path)
        #expect(own.lastPathComponent.hasPrefix(program), "\(own.lastPathComponent) for the program \(program)")
      }
    }

    @Test("the file of a configuration with a name has this name")
    func named() throws {
      try withDataFolder { folder in
        let url = ModelConfiguration("letters").url
        #expect(url.lastPathComponent == "letters.store")
        #expect(url.path.hasPrefix(folder.path))
        #expect(url.deletingLastPathComponent() == ModelConfiguration().url.deletingLastPathComponent())
      }
    }

    @Test("the default store is under ~/.local/share if XDG_DATA_HOME is not set")
    func fallback() throws {
      try withDataFolder { _ in
        unsetenv("XDG_DATA_HOME")
        let home = FileManager.default.homeDirectoryForCurrentUser
        let path = ModelConfiguration().url.path
        #expect(path.hasPrefix(home.appending(path: ".local/share/").path), "\(path)")
      }
    }

    @Test("a relative path in XDG_DATA_HOME is ignored")
    func relative() throws {
      try withDataFolder { _ in
        setenv("XDG_DATA_HOME", "not/absolute", 1)
        let path = ModelConfiguration().url.path
        #expect(path.hasPrefix("/") && !path.contains("not/absolute"), "\(path)")
      }
    }

    @Test("the first container creates the default store and its folder, and the next container opens it")
    func made() throws {
      try withDataFolder { folder in
        func open() throws -> ModelContext { ModelContext(try ModelContainer(for: Book.self)) }
        try open().run { $0.insert(Book("Emma")) }
        #expect(FileManager.default.fileExists(atPath: ModelConfiguration().url.path))
        #expect(try open().titles() == ["Emma"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
      }
    }
  }
#endif
