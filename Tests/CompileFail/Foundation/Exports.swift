// One file that imports SwiftData for all the others of its module.
@_exported import SwiftData
