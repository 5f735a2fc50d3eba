@_exported import SeededNumbers
@_exported import Waiting
