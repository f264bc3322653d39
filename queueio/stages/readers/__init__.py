"""Records of files, with their keys: one reader kind per file."""
