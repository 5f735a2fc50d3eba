// What Apple's framework has no name for comes with `import OpenSwiftData`.
// expect: cannot find type 'ModelDatabase' in scope
import SwiftData

private func use(_ database: ModelDatabase) {}
