//! Published dense peaks of devices: operations per second by type, memory bandwidth; boost clocks, no sparsity. Each row names the maker's document
//! and where its values were checked. What could not be checked is not in the table.

use super::inputs::Dtype;
use super::{Roof, Work};
use serde::{Deserialize, Serialize};

/// What every value of the table is, on the page and in the report.
pub const LABEL: &str = "published dense peak";

/// The peaks of a device. `None` where it has no such units, or no published value was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// What it is called.
    pub device: &'static str,
    /// 64-bit, vector units, TFLOP/s.
    pub fp64: Option<f64>,
    /// 32-bit, vector units, TFLOP/s.
    pub fp32: Option<f64>,
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
    pub bandwidth: Option<f64>,
    /// Document of the values.
    pub source: &'static str,
}

/// Peaks that the user enters for a device that is not in the table, or instead of its values. Whole GFLOP/s and GB/s: a question must be comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OwnPeaks {
    /// 64-bit, GFLOP/s.
    pub fp64: Option<u64>,
    /// 32-bit, vector units, GFLOP/s.
    pub fp32: Option<u64>,
    /// TF32 on matrix units, GFLOP/s.
    pub tf32: Option<u64>,
    /// bfloat16 and half on matrix units, GFLOP/s.
    pub half: Option<u64>,
    /// 8-bit floating point on matrix units, GFLOP/s.
    pub fp8: Option<u64>,
    /// 8-bit integers on matrix units, GOP/s.
    pub int8: Option<u64>,
    /// Memory bandwidth, GB/s.
    pub bandwidth: Option<u64>,
}

impl From<OwnPeaks> for Peaks {
    fn from(own: OwnPeaks) -> Peaks {
        let tflops = |gflops: Option<u64>| gflops.filter(|&g| g > 0).map(|g| g as f64 / 1e3);
        Peaks {
            device: "entered values",
            fp64: tflops(own.fp64),
            fp32: tflops(own.fp32),
            tf32: tflops(own.tf32),
            half: tflops(own.half),
            has_bf16: true,
            fp8: tflops(own.fp8),
            int8: tflops(own.int8),
            bandwidth: own.bandwidth.filter(|&b| b > 0).map(|b| b as f64),
            source: "Entered on this page",
        }
    }
}

/// A row of the table: parts of names that must all be in the driver's name, and the peaks.
type Row = (&'static [&'static str], Peaks);

/// FP64 and FP32 of vector units; TF32, half, FP8, INT8 of matrix units; bandwidth.
type Values = ([f64; 2], [f64; 4], f64);

/// 0 is none. Only V100 and T4, without 8-bit floating point and TF32, have matrix units that take no bfloat16.
const fn row(names: &'static [&'static str], device: &'static str, values: Values, source: &'static str) -> Row {
    const fn some(value: f64) -> Option<f64> {
        if value > 0.0 { Some(value) } else { None }
    }
    let ([fp64, fp32], [tf32, half, fp8, int8], bandwidth) = values;
    let peaks = Peaks {
        device,
        fp64: some(fp64),
        fp32: some(fp32),
        tf32: some(tf32),
        half: some(half),
        has_bf16: tf32 > 0.0 || fp8 > 0.0,
        fp8: some(fp8),
        int8: some(int8),
        bandwidth: some(bandwidth),
        source,
    };
    (names, peaks)
}

const BLACKWELL: &str = "NVIDIA Blackwell architecture brief, by glennklockwood.com/garden/processors/B200";
const HOPPER: &str =
    "NVIDIA H100 architecture paper, by glennklockwood.com/garden/processors/h100; bandwidth: data sheet, by PyTorch's device_info.py";
const HOPPER_PCIE: &str = "NVIDIA H100 data sheet (half of the values with sparsity), by archive-lib.hpctech.co.jp";
const HOPPER_NVL: &str =
    "NVIDIA H100 data sheet, by torchtitan (tools/utils.py); others in the ratio of the same chip; bandwidth: grokipedia.com";
const H200: &str = "NVIDIA H200 data sheet: the chip of the H100 SXM with 4.8 TB/s, by torchtitan (tools/utils.py) and glennklockwood.com";
const A100: &str = "NVIDIA A100 data sheet, by PyTorch's device_info.py; FP64 and 40 GB: sysrqmts.com";
const A10: &str = "NVIDIA A10 data sheet, by Lightning (throughput.py); TF32 half of FP16; bandwidth and INT8: LLM-Prof";
const L40S: &str = "NVIDIA L40S data sheet, by torchtitan (tools/utils.py); others: hmc-tech.com, grokipedia.com";
const L4: &str = "NVIDIA L4 data sheet (half of the values with sparsity), by PyTorch's device_info.py; bandwidth: grokipedia.com";
const V100: &str = "NVIDIA V100 data sheet, by Lightning (throughput.py)";
const T4: &str = "NVIDIA T4 data sheet, by Lightning (throughput.py); bandwidth and FP64: sysrqmts.com";
const CDNA4: &str = "AMD CDNA 4: 256 compute units × 4,096 half operations a clock × boost clock, by wccftech.com; FP64 and FP32 of the MI350X: AMD brochure, by PyTorch's device_info.py";
const MI325X: &str = "AMD Instinct MI325X data sheet, by awesomeagents.ai; the chip of the MI300X";
const MI300X: &str = "AMD Instinct MI300X data sheet, by PyTorch's device_info.py; vector units half of the matrix units";
const MI300A: &str = "AMD Instinct MI300A data sheet, by PyTorch's device_info.py; FP64 vector half of the matrix units";
const MI250X: &str =
    "AMD Instinct MI250X specifications, by zexron.com, halved: one of two dies is a device; bandwidth 4,096 bits × 3.2 Gbit/s";
const MI250: &str =
    "AMD Instinct MI250 specifications, by anandtech.com, halved: one of two dies is a device; bandwidth 4,096 bits × 3.2 Gbit/s";
const MI210: &str = "AMD Instinct MI210 specifications, by anandtech.com; bandwidth 4,096 bits × 3.2 Gbit/s";

/// More particular names first.
#[rustfmt::skip]
const TABLE: [Row; 22] = [
    row(&["GB200"], "GB200", ([45.0, 90.0], [1250.0, 2500.0, 5000.0, 5000.0], 8000.0), BLACKWELL),
    row(&["B200"], "B200", ([40.0, 80.0], [1100.0, 2250.0, 4500.0, 4500.0], 8000.0), BLACKWELL),
    row(&["H200"], "H200", ([33.5, 66.9], [494.7, 989.4, 1978.9, 1978.9], 4800.0), H200),
    row(&["H100", "NVL"], "H100 NVL", ([0.0, 0.0], [417.5, 835.0, 1670.0, 1670.0], 3930.0), HOPPER_NVL),
    row(&["H100", "PCIe"], "H100 PCIe", ([26.0, 51.0], [378.0, 756.5, 1513.0, 1513.0], 2000.0), HOPPER_PCIE),
    row(&["H100"], "H100 SXM", ([33.5, 66.9], [494.7, 989.4, 1978.9, 1978.9], 3350.0), HOPPER),
    row(&["A100", "80GB"], "A100 80 GB", ([9.7, 19.5], [156.0, 312.0, 0.0, 624.0], 2039.0), A100),
    row(&["A100"], "A100 40 GB", ([9.7, 19.5], [156.0, 312.0, 0.0, 624.0], 1555.0), A100),
    row(&["A10"], "A10", ([0.0, 31.2], [62.5, 125.0, 0.0, 250.0], 600.0), A10),
    row(&["L40S"], "L40S", ([1.43, 91.6], [181.0, 362.0, 733.0, 733.0], 864.0), L40S),
    row(&["L4"], "L4", ([0.47, 30.3], [60.0, 121.0, 242.5, 242.5], 300.0), L4),
    row(&["V100", "PCIE"], "V100 PCIe", ([7.0, 14.0], [0.0, 112.0, 0.0, 0.0], 900.0), V100),
    row(&["V100"], "V100 SXM2", ([7.8, 15.7], [0.0, 125.0, 0.0, 0.0], 900.0), V100),
    row(&["T4"], "T4", ([0.25, 8.1], [0.0, 65.0, 0.0, 130.0], 320.0), T4),
    row(&["MI355X"], "MI355X", ([0.0, 0.0], [0.0, 2516.6, 5033.2, 5033.2], 8000.0), CDNA4),
    row(&["MI350X"], "MI350X", ([72.1, 144.2], [144.2, 2306.9, 4613.7, 4613.7], 8000.0), CDNA4),
    row(&["MI325X"], "MI325X", ([81.7, 163.4], [653.7, 1307.4, 2614.9, 2614.9], 6000.0), MI325X),
    row(&["MI300X"], "MI300X", ([81.7, 163.4], [653.7, 1307.4, 2614.9, 2614.9], 5300.0), MI300X),
    row(&["MI300A"], "MI300A", ([61.3, 122.6], [490.3, 980.6, 1961.2, 1961.2], 5300.0), MI300A),
    row(&["MI250X"], "MI250X (one of two dies)", ([23.9, 23.9], [47.8, 191.5, 0.0, 191.5], 1638.0), MI250X),
    row(&["MI250"], "MI250 (one of two dies)", ([22.6, 22.6], [45.2, 181.0, 0.0, 181.0], 1638.0), MI250),
    row(&["MI210"], "MI210", ([22.6, 22.6], [45.3, 181.0, 0.0, 181.0], 1638.0), MI210),
];

/// The peaks of a device by the name that its driver gives it.
pub fn of_device(name: &str) -> Option<Peaks> {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let is_it = |parts: &&[&str]| parts.iter().all(|part| words.iter().any(|word| word.eq_ignore_ascii_case(part)));
    TABLE.iter().find(|row| is_it(&row.0)).map(|row| row.1)
}

impl Peaks {
    /// What the device can do of a work at most, TFLOP/s; `None` where no value is known.
    pub fn tflops(&self, work: &Work) -> Option<f64> {
        match (work.dtype, work.is_matrix) {
            (Dtype::Bf16, true) if !self.has_bf16 => self.fp32,
            (Dtype::Bf16 | Dtype::Fp16, true) => self.half,
            (Dtype::Fp8, true) => self.fp8,
            (Dtype::Int8, true) => self.int8,
            // Whether TF32 was allowed is not recorded: the higher of both.
            (Dtype::Fp32, true) => self.tf32.or(self.fp32),
            (Dtype::Fp64, _) => self.fp64,
            (Dtype::Fp32 | Dtype::Bf16 | Dtype::Fp16, false) => self.fp32,
            _ => None,
        }
    }

    /// How long a work takes at the peaks.
    pub fn roof(&self, work: &Work) -> Roof {
        // Operations a nanosecond are 10⁹ a second: 10³ of them are a TFLOP/s. Bytes a nanosecond are GB/s.
        let compute_ns = self.tflops(work).map(|peak| work.flops as f64 / peak / 1e3);
        Roof { compute_ns, memory_ns: self.bandwidth.map(|b| work.bytes as f64 / b) }
    }

    /// The values that are known: (type, TFLOP/s).
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        let all = [
            ("FP64", self.fp64),
            ("FP32", self.fp32),
            ("TF32", self.tf32),
            (if self.has_bf16 { "FP16, BF16" } else { "FP16" }, self.half),
            ("FP8", self.fp8),
            ("INT8", self.int8),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
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
        assert_eq!(found("NVIDIA H100 NVL"), Some("H100 NVL"));
        assert_eq!(found("NVIDIA A100-SXM4-80GB"), Some("A100 80 GB"));
        assert_eq!(found("NVIDIA A100-SXM4-40GB"), Some("A100 40 GB"));
        assert_eq!(found("Tesla V100-PCIE-16GB"), Some("V100 PCIe"));
        assert_eq!(found("Tesla V100-DGXS-32GB"), Some("V100 SXM2"));
        assert_eq!(found("Tesla T4"), Some("T4"));
        assert_eq!(found("NVIDIA L40S"), Some("L40S"));
        assert_eq!(found("AMD Instinct MI300X"), Some("MI300X"));
        assert_eq!(found("AMD Instinct MI300X OAM"), Some("MI300X"));
        assert_eq!(found("AMD Instinct MI250X / MI250"), Some("MI250X (one of two dies)"));
        // A10G has other clocks than the A10, and no published value was found.
        for unknown in ["NVIDIA A10G", "NVIDIA GeForce RTX 4090", ""] {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn rows_name_their_source_and_agree_in_themselves() {
        for (_, peaks) in TABLE {
            assert!(peaks.source.len() > 20 && peaks.bandwidth.is_some_and(|b| b > 100.0), "{}", peaks.device);
            let doubles = |low: Option<f64>, high: Option<f64>| low.zip(high).is_none_or(|(low, high)| (1.9..2.1).contains(&(high / low)));
            assert!(doubles(peaks.half, peaks.fp8), "8-bit is twice as fast: {}", peaks.device);
            assert!(peaks.fp64.zip(peaks.fp32).is_none_or(|(fp64, fp32)| fp64 <= fp32), "{}", peaks.device);
        }
    }

    #[test]
    fn entered_values_replace_the_table() {
        let own = OwnPeaks { half: Some(100_000), bandwidth: Some(500), int8: Some(0), ..OwnPeaks::default() };
        let peaks = Peaks::from(own);
        let work =
            Work { family: super::super::Family::Gemm, flops: 1_000_000, bytes: 1_000, dtype: Dtype::Bf16, is_matrix: true, gemm: None };
        assert_eq!(peaks.roof(&work), Roof { compute_ns: Some(10.0), memory_ns: Some(2.0) });
        assert_eq!(peaks.tflops(&Work { dtype: Dtype::Int8, ..work }), None, "0 is not entered");
        assert_eq!(peaks.values(), [("FP16, BF16", 100.0)]);
    }
}
