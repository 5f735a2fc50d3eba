@_exported import ConformanceSupport
