//! Layout of the operands of a matrix product, from the name of its kernel: `TN` is a transposed first and a plain second matrix (column-major, as
//! BLAS writes it). Sources: names of cuBLAS and CUTLASS kernels (`…_tn_align8`, `nvjet_tst_…_TNT`), of Tensile (`Cijk_Alik_Bljk_…`).

/// `NN`, `NT`, `TN` or `TT`; `None` where the name does not say it.
pub fn of_kernel(name: &str) -> Option<&'static str> {
    if let Some((_, rest)) = name.split_once("Cijk_") {
        // Tensile: A is transposed if the summed index `l` is its first; B is transposed if it is its last.
        let is_a_transposed = rest.starts_with("Alik_");
        if !is_a_transposed && !rest.starts_with("Ailk_") {
            return None;
        }
        let b = rest.get(5..9)?;
        return match (is_a_transposed, b) {
            (true, "Bljk") => Some("TN"),
            (true, "Bjlk") => Some("TT"),
            (false, "Bljk") => Some("NN"),
            (false, "Bjlk") => Some("NT"),
            _ => None,
        };
    }
    let is_nvjet = name.contains("nvjet");
    if !is_nvjet && !["gemm", "cutlass", "Gemm"].iter().any(|part| name.contains(part)) {
        return None;
    }
    let known = |word: &str| ["NN", "NT", "TN", "TT"].into_iter().find(|layout| layout.eq_ignore_ascii_case(word));
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    // nvjet names the layout of the result too: `TNT`.
    words.find_map(|word| known(word).or_else(|| known(word.get(..2)?).filter(|_| is_nvjet && word.len() == 3)))
}

#[cfg(test)]
mod tests {
    use super::of_kernel;

    #[test]
    fn names_of_kernels_say_the_layout() {
        assert_eq!(of_kernel("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x16x256"), Some("TN"));
        assert_eq!(of_kernel("Cijk_Ailk_Bjlk_HHS_BH_MT128x128x32"), Some("NT"));
        assert_eq!(of_kernel("nvjet_tst_128x64_64x8_1x2_h_bz_TNT"), Some("TN"));
        assert_eq!(of_kernel("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64_stage3"), Some("TN"));
        assert_eq!(of_kernel("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_nn_align8>"), Some("NN"));
        for other in ["void at::native::vectorized_elementwise_kernel<4, nn>", "Cijk_Axyz_Bljk", "gemv2T_kernel_val", "", "Cijk_Alik"] {
            assert_eq!(of_kernel(other), None, "{other}");
        }
    }
}
