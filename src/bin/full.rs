//! The worker for all formats, with the Parquet library: started when a claim needs it, so that no one else loads it.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        axonscope::engine::link_all();
        axonscope::formats::neuron_parquet::install();
        axonscope::worker::write::install();
        axonscope::formats::zstd::install();
        axonscope::worker::host::serve();
    }
}
