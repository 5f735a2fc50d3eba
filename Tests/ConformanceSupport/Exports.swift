@_exported import SeededNumbers
