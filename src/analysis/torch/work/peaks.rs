//! Published peaks of devices: dense operations per second by type, memory bandwidth. From the makers' data sheets; boost clocks, no sparsity.

use super::Work;
use super::inputs::Dtype;

/// The peaks of a device. `None` where it has no such units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// What it is called.
    pub device: &'static str,
    /// 64-bit, vector units, TFLOP/s.
    pub fp64: f64,
    /// 32-bit, vector units, TFLOP/s.
    pub fp32: f64,
    /// TF32 (AMD: XF32 or 32-bit) on matrix units, TFLOP/s.
    pub tf32: Option<f64>,
    /// bfloat16 and half on matrix units, TFLOP/s.
    pub half: Option<f64>,
    /// Whether the matrix units take bfloat16.
    pub has_bf16: bool,
    /// 8-bit floating point on matrix units, TFLOP/s.
    pub fp8: Option<f64>,
    /// 8-bit integers on matrix units, TOP/s.
    pub int8: Option<f64>,
    /// Memory bandwidth, GB/s.
    pub bandwidth: f64,
    /// Where these stand.
    pub source: &'static str,
}

/// A row of the table: parts of names that must all be in the driver's name, and the peaks.
type Row = (&'static [&'static str], Peaks);

#[rustfmt::skip]
const fn peaks(device: &'static str, vector: (f64, f64), matrix: (Option<f64>, Option<f64>, bool, Option<f64>, Option<f64>), bandwidth: f64, source: &'static str) -> Peaks {
    Peaks { device, fp64: vector.0, fp32: vector.1, tf32: matrix.0, half: matrix.1, has_bf16: matrix.2, fp8: matrix.3, int8: matrix.4, bandwidth, source }
}

/// More particular names first.
#[rustfmt::skip]
const TABLE: [Row; 22] = [
    (&["GB200"], peaks("GB200", (40.0, 80.0), (Some(1250.0), Some(2500.0), true, Some(5000.0), Some(5000.0)), 8000.0, "NVIDIA GB200 NVL72 data sheet, per GPU")),
    (&["B200"], peaks("B200", (37.0, 75.0), (Some(1100.0), Some(2250.0), true, Some(4500.0), Some(4500.0)), 7700.0, "NVIDIA HGX B200 data sheet, per GPU")),
    (&["H200"], peaks("H200", (34.0, 67.0), (Some(494.7), Some(989.4), true, Some(1978.9), Some(1978.9)), 4800.0, "NVIDIA H200 data sheet, SXM")),
    (&["H100", "NVL"], peaks("H100 NVL", (30.0, 60.0), (Some(417.5), Some(835.5), true, Some(1670.5), Some(1670.5)), 3900.0, "NVIDIA H100 data sheet, NVL")),
    (&["H100", "PCIe"], peaks("H100 PCIe", (25.6, 51.2), (Some(378.0), Some(756.0), true, Some(1513.0), Some(1513.0)), 2000.0, "NVIDIA H100 architecture paper, PCIe")),
    (&["H100"], peaks("H100 SXM", (33.5, 66.9), (Some(494.7), Some(989.4), true, Some(1978.9), Some(1978.9)), 3352.0, "NVIDIA H100 architecture paper, SXM5")),
    (&["A100", "80GB"], peaks("A100 80 GB", (9.7, 19.5), (Some(156.0), Some(312.0), true, None, Some(624.0)), 2039.0, "NVIDIA A100 data sheet, 80 GB SXM")),
    (&["A100"], peaks("A100 40 GB", (9.7, 19.5), (Some(156.0), Some(312.0), true, None, Some(624.0)), 1555.0, "NVIDIA A100 data sheet, 40 GB")),
    (&["A10G"], peaks("A10G", (0.55, 35.0), (Some(35.0), Some(70.0), true, None, Some(140.0)), 600.0, "AWS and NVIDIA A10G data sheet")),
    (&["A10"], peaks("A10", (0.49, 31.2), (Some(62.5), Some(125.0), true, None, Some(250.0)), 600.0, "NVIDIA A10 data sheet")),
    (&["L40S"], peaks("L40S", (1.4, 91.6), (Some(183.0), Some(362.05), true, Some(733.0), Some(733.0)), 864.0, "NVIDIA L40S data sheet")),
    (&["L4"], peaks("L4", (0.49, 30.3), (Some(60.0), Some(121.0), true, Some(242.5), Some(242.5)), 300.0, "NVIDIA L4 data sheet, without sparsity")),
    (&["V100"], peaks("V100", (7.8, 15.7), (None, Some(125.0), false, None, None), 900.0, "NVIDIA V100 data sheet, SXM2")),
    (&["T4"], peaks("T4", (0.25, 8.1), (None, Some(65.0), false, None, Some(130.0)), 320.0, "NVIDIA T4 data sheet")),
    (&["MI355X"], peaks("MI355X", (78.6, 157.3), (None, Some(2516.6), true, Some(5033.2), Some(5033.2)), 8000.0, "AMD Instinct MI355X data sheet")),
    (&["MI350X"], peaks("MI350X", (72.1, 144.2), (None, Some(2306.9), true, Some(4613.7), Some(4613.7)), 8000.0, "AMD Instinct MI350X data sheet")),
    (&["MI325X"], peaks("MI325X", (81.7, 163.4), (Some(653.7), Some(1307.4), true, Some(2614.9), Some(2614.9)), 6000.0, "AMD Instinct MI325X data sheet")),
    (&["MI308X"], peaks("MI308X", (18.9, 37.7), (Some(94.4), Some(188.7), true, Some(377.5), Some(377.5)), 5300.0, "AMD Instinct MI308X data sheet")),
    (&["MI300X"], peaks("MI300X", (81.7, 163.4), (Some(653.7), Some(1307.4), true, Some(2614.9), Some(2614.9)), 5300.0, "AMD Instinct MI300X data sheet")),
    (&["MI300A"], peaks("MI300A", (61.3, 122.6), (Some(490.3), Some(980.6), true, Some(1961.2), Some(1961.2)), 5300.0, "AMD Instinct MI300A data sheet")),
    (&["MI250X"], peaks("MI250X (one of two dies)", (23.9, 23.9), (None, Some(191.5), true, None, Some(191.5)), 1638.0, "AMD Instinct MI250X data sheet, halved: a die is a device")),
    (&["MI210"], peaks("MI210", (22.6, 22.6), (None, Some(181.0), true, None, Some(181.0)), 1638.0, "AMD Instinct MI210 data sheet")),
];

/// The peaks of a device by the name that its driver gives it.
pub fn of_device(name: &str) -> Option<Peaks> {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let is_it = |parts: &&[&str]| parts.iter().all(|part| words.iter().any(|word| word.eq_ignore_ascii_case(part)));
    TABLE.iter().find(|row| is_it(&row.0)).map(|row| row.1)
}

impl Peaks {
    /// What the device can do of a work at most, TFLOP/s; `None` where no figure is published.
    pub fn tflops(&self, work: &Work) -> Option<f64> {
        match (work.dtype, work.is_matrix) {
            (Dtype::Bf16, true) if !self.has_bf16 => Some(self.fp32),
            (Dtype::Bf16 | Dtype::Fp16, true) => self.half,
            (Dtype::Fp8, true) => self.fp8,
            (Dtype::Int8, true) => self.int8,
            // Whether TF32 was allowed is not recorded: the higher of both.
            (Dtype::Fp32, true) => self.tf32.or(Some(self.fp32)),
            (Dtype::Fp64, _) => Some(self.fp64),
            (Dtype::Fp32 | Dtype::Bf16 | Dtype::Fp16, false) => Some(self.fp32),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_by_words_of_their_names() {
        let found = |name: &str| of_device(name).map(|p| p.device);
        assert_eq!(found("NVIDIA H100 80GB HBM3"), Some("H100 SXM"));
        assert_eq!(found("NVIDIA H100 PCIe"), Some("H100 PCIe"));
        assert_eq!(found("NVIDIA A100-SXM4-80GB"), Some("A100 80 GB"));
        assert_eq!(found("NVIDIA A100-SXM4-40GB"), Some("A100 40 GB"));
        assert_eq!(found("NVIDIA A10G"), Some("A10G"));
        assert_eq!(found("Tesla T4"), Some("T4"));
        assert_eq!(found("NVIDIA L40S"), Some("L40S"));
        assert_eq!(found("AMD Instinct MI300X"), Some("MI300X"));
        assert_eq!(found("AMD Instinct MI300X OAM"), Some("MI300X"));
        assert_eq!(found("NVIDIA GeForce RTX 4090"), None);
        assert_eq!(found(""), None);
    }
}
