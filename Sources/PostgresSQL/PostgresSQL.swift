// This module knows what SQL means to PostgreSQL, and no connection. Without the package trait PostgreSQL it is empty.
