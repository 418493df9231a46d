//! The worker with the Parquet library: started when a claim needs it, so that no one else loads the library and its codecs.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        axonscope::formats::neuron_parquet::install();
        axonscope::worker::host::serve();
    }
}
