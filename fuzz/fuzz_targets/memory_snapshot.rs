#![no_main]
axonscope_fuzz::target!("memory_snapshot");
