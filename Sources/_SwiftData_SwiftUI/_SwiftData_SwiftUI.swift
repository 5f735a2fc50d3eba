// This module knows the name of an overlay.

// Some code imports Apple's cross-import overlay by name. There is no SwiftUI here, so the overlay adds nothing.
@_exported import SwiftData
