// MARK: 10 Overlays

// use: import _SwiftData_SwiftUI
import _SwiftData_SwiftUI

func overlay(_ context: ModelContext) {}
