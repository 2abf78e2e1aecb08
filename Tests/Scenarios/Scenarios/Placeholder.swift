// Placeholder until the first scenario lands.
