/// Something spelled as the betas of 2023 did. It is called through this, so that code which is marked as old is not told so
/// again.
protocol Spelling {
  func check() throws
}

/// Runs code that is marked as old.
func check(_ spelling: any Spelling) throws { try spelling.check() }
