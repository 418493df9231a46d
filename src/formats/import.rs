//! Drives an importer over its input: heads, claims, blocks, gzip. The same code natively and in the worker.
//! (to be completed: heads(), import(), import_with(), gzip with access points)
