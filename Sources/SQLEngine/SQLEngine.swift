// This module knows SQL, in the dialect of a database that it is given, and none of the databases.
