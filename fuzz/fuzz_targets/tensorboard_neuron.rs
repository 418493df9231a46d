#![no_main]
axonscope_fuzz::target!("tensorboard_neuron");
