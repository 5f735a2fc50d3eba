// This module knows stores that programs write: the protocols of Apple's, snapshots, and the engine over any of them;
// no database, which it is given for what it has read.
