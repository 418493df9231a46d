#![no_main]
axonscope_fuzz::target!("archives");
