#![no_main]
axonscope_fuzz::target!("neuron_summary");
