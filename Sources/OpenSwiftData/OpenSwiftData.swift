// This module is `import OpenSwiftData`: Apple's API and ours.

@_exported import PersistenceExtensions
@_exported import SwiftData
