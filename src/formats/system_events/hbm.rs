//! HBM in use by category, whichever file it comes from.

use std::borrow::Cow;

/// Categories of HBM use: column or key, name.
pub(in crate::formats) const CATEGORIES: [(&str, &str); 22] = [
    ("generic_bytes", "Generic"),
    ("tensor_instructions_bytes", "Tensor instructions"),
    ("scalar_instructions_bytes", "Scalar instructions"),
    ("gpsimd_instructions_bytes", "GpSimd instructions"),
    ("io_bytes", "IO"),
    ("dram_spill_bytes", "DRAM spill"),
    ("weights_bytes", "Weights"),
    ("profiler_buffers_bytes", "Profiler buffers"),
    ("scalar_table_bytes", "Scalar table"),
    ("vector_instructions_bytes", "Vector instructions"),
    ("sync_instructions_bytes", "Sync instructions"),
    ("shared_scratchpad_bytes", "Shared scratchpad"),
    ("tensors_bytes", "Tensors"),
    ("ucode_lib_bytes", "Ucode library"),
    ("gpsimd_stdio_bytes", "GpSimd STDIO"),
    ("collectives_bytes", "Collectives"),
    ("scratchpad_bytes", "Scratchpad"),
    ("dma_rings_runtime_bytes", "DMA rings, runtime"),
    ("dma_rings_spill_bytes", "DMA rings, spill"),
    ("dma_rings_io_bytes", "DMA rings, IO"),
    ("dma_rings_collectives_bytes", "DMA rings, collectives"),
    ("unknown_bytes", "Unknown"),
];

/// What the total has beyond all categories.
const REST: &str = "No category recorded";
/// More categories of their own than these have no curve.
const MOST_OTHERS: usize = 64;

/// Names of the categories in the order of the values: known ones, the remainder of the total, further ones of the file.
pub(in crate::formats) struct HbmNames(Vec<Cow<'static, str>>);

impl Default for HbmNames {
    fn default() -> Self {
        HbmNames(CATEGORIES.iter().map(|c| c.1).chain([REST]).map(Cow::Borrowed).collect())
    }
}

impl HbmNames {
    /// The names so far.
    pub fn all(&self) -> &[Cow<'static, str>] {
        &self.0
    }

    /// The place of the value of a key; `None` for what is no category, or one category too many.
    pub fn place(&mut self, key: &str) -> Option<usize> {
        let own = key.strip_suffix("_bytes").filter(|_| key != "total_bytes")?;
        if let Some(at) = CATEGORIES.iter().position(|c| c.0 == key) {
            return Some(at);
        }
        let name = own.replace('_', " ");
        if let Some(at) = self.0.iter().position(|n| *n == name) {
            return Some(at);
        }
        (self.0.len() < CATEGORIES.len() + 1 + MOST_OTHERS).then(|| self.0.push(Cow::Owned(name)))?;
        Some(self.0.len() - 1)
    }

    /// Adds the part of the total that belongs to no category.
    pub fn add_rest(values: &mut [f64], total: Option<f64>) {
        let rest = total.map_or(0.0, |total| total - values.iter().sum::<f64>());
        if let Some(place) = values.get_mut(CATEGORIES.len()).filter(|_| rest > 0.0) {
            *place = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_of_the_file_has_a_place_of_its_own() {
        let mut names = HbmNames::default();
        let places = ["weights_bytes", "kv_cache_bytes", "total_bytes", "hbm_idx", "kv_cache_bytes"].map(|key| names.place(key));
        assert_eq!(places, [Some(6), Some(23), None, None, Some(23)]);
        assert_eq!(names.all()[23], "kv cache");
        let mut values = vec![0.0; 24];
        (values[6], values[23]) = (20.0, 5.0);
        HbmNames::add_rest(&mut values, Some(30.0));
        assert!((values[22] - 5.0).abs() < f64::EPSILON);
        HbmNames::add_rest(&mut values, Some(1.0));
        assert!((values.iter().sum::<f64>() - 30.0).abs() < f64::EPSILON, "a total below its parts takes nothing away");
        assert_eq!((0..200).filter_map(|i| names.place(&format!("x{i}_bytes"))).count(), MOST_OTHERS - 1);
        assert_eq!(names.all().len(), 23 + MOST_OTHERS);
    }
}
