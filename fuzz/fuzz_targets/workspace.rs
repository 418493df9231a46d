#![no_main]
axonscope_fuzz::target!("workspace");
