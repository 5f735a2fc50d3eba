// This module knows schemas as wholes, which it reads, checks and compares, and no object.
