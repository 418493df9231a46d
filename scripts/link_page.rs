//! Cargo's build script: the page's program keeps its relocations, from which `scripts/split.mjs` finds what each chunk needs.

fn main() {
    println!("cargo::rerun-if-changed=scripts/link_page.rs");
    let is_cut = std::env::var_os("CARGO_FEATURE_SPLIT").is_some();
    if is_cut && std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
}
