/// Shows that the store can be read without this program.
struct StoreHint {
  let path: String

  func print() {
    Swift.print("\n" + TerminalStyle.heading("The same tables without Swift"))
    Swift.print("  sqlite3 -box '\(path)' \\")
    Swift.print("    'SELECT code, name, zoneCount FROM Country ORDER BY zoneCount DESC, name LIMIT 3'")
  }
}
