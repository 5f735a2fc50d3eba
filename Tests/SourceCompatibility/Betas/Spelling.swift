/// Code that uses the deprecated names of the 2023 betas. Tests call it through this protocol, so that the compiler
/// does not warn about deprecated code.
protocol Spelling {
  func check() throws
}

/// Calls code that is marked as deprecated.
func check(_ spelling: any Spelling) throws { try spelling.check() }
