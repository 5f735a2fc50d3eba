// A file that imports SwiftData for all files of its module.
@_exported import SwiftData
