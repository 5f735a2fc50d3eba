// This module knows Apple's API and ours: everything that a program can name.

@_exported import PersistenceExtensions
@_exported import SwiftData
