import SwiftData

extension Damager {
  /// Changes definitions of tables and indexes in `sqlite_master` in ways that SQLite's own statements never would.
  mutating func changeDefinitions() throws {
    let store = try RawStore(path)
    try store.run("PRAGMA writable_schema = ON")
    let rows = try store.rows("SELECT rowid, type, name, sql FROM sqlite_master")
    guard let row = pick(rows), let name = row[2].string else { return }
    let sql = row[3].string ?? ""
    switch number(0..<8) {
    case 0:
      note("\(name) is gone")
      try store.rows("DELETE FROM sqlite_master WHERE rowid = ?1", [row[0]])
    case 1:
      note("\(name) is a view")
      let view = "CREATE VIEW \"\(name)\" AS SELECT 1 AS _osd_key, 'a' AS name"
      try store.rows(
        "UPDATE sqlite_master SET type = 'view', rootpage = 0, sql = ?1 WHERE rowid = ?2", [.text(view), row[0]])
      try store.rows("DELETE FROM sqlite_master WHERE type IN ('index', 'trigger') AND tbl_name = ?1", [.text(name)])
    case 2:
      note("\(name) is in the pages of another")
      try store.rows(
        "UPDATE sqlite_master SET rootpage = (SELECT max(rootpage) - ?1 FROM sqlite_master) WHERE rowid = ?2",
        [.integer(Int64(number(0..<20))), row[0]])
    case 3:
      note("the definition of \(name) was mutated")
      try store.rows(
        "UPDATE sqlite_master SET sql = ?1 WHERE rowid = ?2", [.text(mutated(Array(sql.utf8))), row[0]])
    default: try changeColumnDefinition(row, name, sql, in: store)
    }
  }

  /// Changes one column in a table's definition: removes, renames or swaps its line, or changes its type or its NOT
  /// NULL.
  private mutating func changeColumnDefinition(
    _ row: [RawValue], _ name: String, _ sql: String, in store: RawStore
  ) throws {
    var lines = sql.split(separator: "\n").map(String.init)
    guard lines.count > 3 else { return }
    let line = number(2..<lines.count - 1)
    switch number(0..<5) {
    case 0: lines.remove(at: line)
    case 1: lines[line] = lines[line].replacing(/"[^"]*"/, with: "\"other\"", maxReplacements: 1)
    case 2: lines.swapAt(line, number(1..<lines.count - 2))
    case 3:
      lines[line] = lines[line].replacing(/INTEGER|TEXT|BLOB/, with: pick(["REAL", "TEXT", "INTEGER", "BLOB"]) ?? "")
    default: lines[line] = lines[line].replacing(" NOT NULL", with: "")
    }
    note("line \(line) of \(name) was changed")
    try store.rows(
      "UPDATE sqlite_master SET sql = ?1 WHERE rowid = ?2", [.text(lines.joined(separator: "\n")), row[0]])
  }

  mutating func changeFiles(_ kind: Kind) throws {
    switch kind {
    case .header:
      let number = pick(["0", "1", "-1", "2147483647", "-2147483648", "99"]) ?? "0"
      let name = chance(2) ? "user_version" : "application_id"
      note("\(name) = \(number)")
      try RawStore(path).run("PRAGMA \(name) = \(number)")
    case .bytes: try changeBytes(of: path)
    case .log: try changeLog()
    case .externalFiles: try changeExternalFiles()
    default: break
    }
  }

  private mutating func changeBytes(of path: String) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard !bytes.isEmpty else { return }
    switch number(0..<5) {
    case 0:
      let count = number(0..<bytes.count)
      note("\(path.suffix(20)) is \(count) bytes long")
      bytes = Array(bytes.prefix(count))
    case 1:
      let page = number(0..<max(1, bytes.count / 4_096)) * 4_096
      note("\(path.suffix(20)) has zeros at \(page)")
      for place in page..<min(bytes.count, page + 4_096) { bytes[place] = 0 }
    default:
      let count = pick([1, 3, 20, 200]) ?? 1
      let page = chance(2) ? number(0..<max(1, bytes.count / 4_096)) * 4_096 : 0
      let range = chance(2) ? 0..<bytes.count : page..<min(bytes.count, page + 100)
      note("\(path.suffix(20)) has \(count) wrong bytes in \(range)")
      for _ in 0..<count { bytes[number(range)] = UInt8.random(in: 0...255, using: &generator) }
    }
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Leaves a write-ahead log that SQLite has not checkpointed and damages it, or creates a log of random bytes.
  private mutating func changeLog() throws {
    let copy = folder.appending(path: "copy").path
    if chance(2) {
      do {
        let store = try RawStore(path)
        try store.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE Author SET age = age + 1")
        for suffix in ["", "-wal", "-shm"] {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
        try FileManager.default.moveItem(atPath: copy + suffix, toPath: path + suffix)
      }
      try changeBytes(of: path + (pick(["-wal", "-wal", "-shm"]) ?? ""))
    } else {
      let suffix = pick(["-wal", "-shm", "-journal"]) ?? ""
      note("\(suffix) is made of nothing")
      let bytes = (0..<number(0..<9_000)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try Data(bytes).write(to: URL(filePath: path + suffix))
    }
  }

  private mutating func changeExternalFiles() throws {
    let files = FileManager.default
    let external = path + "_external"
    let names = (try files.subpathsOfDirectory(atPath: external)).sorted().filter { name in
      var isFolder: ObjCBool = false
      return files.fileExists(atPath: external + "/" + name, isDirectory: &isFolder) && !isFolder.boolValue
    }
    guard let name = pick(names) else { return }
    let file = external + "/" + name
    let choice = number(0..<6)
    note("external file \(choice): \(name.suffix(12))")
    switch choice {
    case 0: try files.removeItem(atPath: file)
    case 1: try files.removeItem(atPath: external)
    case 2: try changeBytes(of: file)
    case 3:
      try files.removeItem(atPath: file)
      try files.createDirectory(atPath: file, withIntermediateDirectories: true)
    case 4:
      try files.removeItem(atPath: external)
      try Data([1]).write(to: URL(filePath: external))
    default: try Data().write(to: URL(filePath: file))
    }
  }
}
