//! Rates of operators as dots under the roof and as table rows.

use crate::analysis::torch::efficiency::{Efficiency, EfficiencyRow};
use crate::analysis::torch::work::Family;
use crate::base::text;
use crate::ui::palette::fixed;
use crate::ui::scatter::{Ceiling, Dot};
use crate::ui::table::{Cell, Column, Kind, Row};

/// Dots drawn: those with the most kernel time.
const DOTS_MAX: usize = 500;

/// A rate with its unit: `157 TFLOP/s`.
fn rate(flops_per_s: f64) -> String {
    format!("{}/s", text::flops(flops_per_s))
}

/// `1.23 TFLOPs`: a number of operations.
pub fn flops(n: u64) -> String {
    format!("{}s", text::flops(n as f64))
}

fn colour(family: Family) -> u16 {
    match family {
        Family::Gemm => fixed::KERNEL,
        Family::Attention => fixed::COMMUNICATION,
        Family::Convolution => fixed::RUNTIME,
        Family::Normalization => fixed::MEMSET,
        Family::Elementwise => fixed::MEMCPY,
        Family::Reduction => fixed::DATA_LOADER,
        Family::Moe => fixed::OVERLAP,
        Family::Rope => fixed::CPU_EXEC,
        Family::Triton | Family::Lookup => fixed::OTHER,
    }
}

/// The rows that are dots, in the order of the dots: those with operations that no other modelled call contains.
pub fn dotted(found: &Efficiency) -> Vec<&EfficiencyRow> {
    let mut rows: Vec<&EfficiencyRow> = found.rows.iter().filter(|r| !r.is_inner && r.flops > 0 && r.tflops > 0.0).collect();
    // The answer is by recoverable time.
    rows.sort_unstable_by_key(|r| std::cmp::Reverse(r.kernel_time));
    rows.truncate(DOTS_MAX);
    rows
}

/// A dot for each shape; its area is its kernel time.
pub fn dots(found: &Efficiency) -> Vec<Dot> {
    let rows = dotted(found);
    let longest = rows.iter().map(|r| r.kernel_time.0).max().unwrap_or(1).max(1) as f64;
    let dot = |r: &&EfficiencyRow| {
        let mut figures = vec![
            ("Intensity".to_string(), format!("{} FLOP/byte", text::three_digits(r.flops_per_byte))),
            ("Rate".to_string(), rate(r.tflops * 1e12)),
            ("Memory".to_string(), format!("{} TB/s", text::three_digits(r.tb_per_s))),
            ("Kernel time".to_string(), text::duration(r.kernel_time)),
            ("Type".to_string(), r.dtype.label().to_string()),
        ];
        figures.extend(r.peak_share.map(|share| ("% of peak".to_string(), text::percent(share))));
        figures.extend(r.upper_bound.as_ref().map(|why| ("Upper bound".to_string(), why.clone())));
        figures.extend(r.recoverable.map(|time| ("Recoverable".to_string(), text::duration(time))));
        Dot {
            name: r.name.clone(),
            series: r.family.label().into(),
            x: r.flops_per_byte,
            y: r.tflops * 1e12,
            size: r.kernel_time.0 as f64 / longest,
            colour: colour(r.family),
            is_hollow: false,
            rows: figures,
            note: sizes(r).unwrap_or_else(|| text::middle_ellipsis(&r.shape, 80)),
        }
    };
    rows.iter().map(dot).collect()
}

/// The peaks of the device.
pub fn ceilings(found: &Efficiency) -> Vec<Ceiling> {
    let Some(peaks) = &found.peaks else { return Vec::new() };
    let ceiling = |(name, tflops): &(String, f64)| Ceiling {
        name: format!("{name} · {}", rate(tflops * 1e12)),
        level: tflops * 1e12,
        is_dashed: false,
    };
    peaks.tflops.iter().map(ceiling).collect()
}

/// The memory bandwidth, bytes a second.
pub fn slope(found: &Efficiency) -> Option<(String, f64)> {
    let bandwidth = found.peaks.as_ref()?.bandwidth?;
    Some((format!("Memory {} GB/s", text::three_digits(bandwidth)), bandwidth * 1e9))
}

/// `M 32 · N 4 096 · K 1 024`, of a matrix product.
fn sizes(row: &EfficiencyRow) -> Option<String> {
    let gemm = row.gemm?;
    let batch = if gemm.b > 1 { format!("B {} · ", text::count(gemm.b)) } else { String::new() };
    Some(format!("{batch}M {} · N {} · K {}", text::count(gemm.m), text::count(gemm.n), text::count(gemm.k)))
}

/// The values above the chart: (label, value, meaning).
pub fn totals(found: &Efficiency) -> Vec<(&'static str, String, &'static str)> {
    let mut out = Vec::new();
    if let Some(mfu) = found.mfu {
        out.push(("MFU", text::percent(mfu), "Model FLOPs utilization: the time that matrix operations take at the peak of their types, over the time from the first to the last kernel."));
    }
    out.push(("Model FLOPs", flops(found.flops), "Operations of all calls with a model."));
    if found.device_time.0 > 0 {
        let share = found.modelled.0 as f64 / found.device_time.0 as f64;
        out.push(("Modelled kernel time", text::percent(share), "Kernel time of calls with a model ÷ kernel time of all operators."));
    }
    if let Some(time) = found.recoverable {
        out.push(("Recoverable", text::duration(time), "Kernel time of these calls above their roof."));
    }
    if found.unattributed.0 > 0 {
        out.push((
            "Without an operator",
            text::duration(found.unattributed),
            "Device time that belongs to no operator; the notes say why.",
        ));
    }
    out
}

/// Columns; sizes and layout for matrix products only.
pub fn columns(is_gemm: bool) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![column("name", "Operator", Kind::Name, "Name of the operator.")];
    if is_gemm {
        for (id, help) in
            [("B", "Products in a batch."), ("M", "Rows of the result."), ("N", "Columns of the result."), ("K", "What is summed over.")]
        {
            out.push(column(id, id, Kind::Count, help));
        }
        out.push(column("dtype", "Type", Kind::Text, "The type it computes in."));
        out.push(column(
            "layout",
            "Layout",
            Kind::Text,
            "T is a transposed, N a plain matrix (column-major), from the name of the kernel.",
        ));
    } else {
        out.push(column(
            "family",
            "Family",
            Kind::Text,
            "How its work is counted; “at most”: FLOPs and bytes are upper bounds, the notes say why.",
        ));
        out.push(column("input_shape", "Input shape", Kind::Text, "Shape of each input."));
        out.push(column("dtype", "Type", Kind::Text, "The type it computes in."));
    }
    out.extend([
        column("calls", "Calls", Kind::Count, "Calls with kernel time.").summed(),
        column("kernel_time_ns", "Kernel time", Kind::Duration, "Kernel time of the calls and what they contain.").summed(),
        column("recoverable_ns", "Recoverable", Kind::Duration, "Kernel time − the longer of operations ÷ peak and bytes ÷ bandwidth.")
            .summed(),
        column("tflops_per_s", "TFLOP/s", Kind::Number, "Mean of the calls' rates."),
        column("peak_share", "% of peak", Kind::Share, "Share of the published dense peak of the type."),
        column("tb_per_s", "TB/s", Kind::Number, "Mean of the calls' rates."),
        column("bandwidth_share", "% of bandwidth", Kind::Share, "Share of the memory bandwidth; above 100% data stayed in caches."),
        column("bound_by", "Bound by", Kind::Text, "What takes longer at the peaks: operations (Compute) or bytes (Memory)."),
        column("gflops", "GFLOPs per call", Kind::Number, "Operations of one call, in 10⁹.").off(),
        column("bytes", "Bytes per call", Kind::Bytes, "Bytes that one call must read or write at least once.").off(),
        column("flops_per_byte", "FLOP/byte", Kind::Number, "Arithmetic intensity.").off(),
        column("is_inner", "Inside another", Kind::Text, "Whether another modelled call contains it; it is not in the totals then.").off(),
        column("kernels", "Kernels", Kind::Text, "Its kernels with the most time."),
    ]);
    out
}

/// The rows of the table: positions in the answer.
pub fn listed(found: &Efficiency, is_gemm: bool) -> Vec<&EfficiencyRow> {
    found.rows.iter().filter(|r| !is_gemm || r.gemm.is_some()).collect()
}

/// A cell for each of [`columns`].
pub fn rows(found: &Efficiency, is_gemm: bool) -> Vec<Row> {
    let row = |r: &&EfficiencyRow| {
        // For generated kernels bytes are known, operations are not.
        let counted = |value: f64| if r.flops > 0 { Cell::Float(value) } else { Cell::Absent };
        let mut cells = vec![Cell::Text(r.name.clone())];
        if is_gemm {
            let sizes = r.gemm.map(|g| [g.b, g.m, g.n, g.k]);
            cells.extend((0..4).map(|i| Cell::from(sizes.map(|s| s[i]))));
            cells.push(Cell::Text(r.dtype.label().into()));
            cells.push(r.layout.clone().into());
        } else {
            let family = if r.upper_bound.is_some() { format!("{}, at most", r.family.label()) } else { r.family.label().into() };
            cells.extend([family, r.shape.clone(), r.dtype.label().to_string()].map(Cell::Text));
        }
        let kernels: Vec<String> =
            r.kernels.iter().map(|(name, n, time)| format!("{} ({n}×, {})", text::brief(name), text::duration(*time))).collect();
        cells.extend([
            Cell::from(r.calls),
            Cell::from(r.kernel_time),
            Cell::from(r.recoverable),
            counted(r.tflops),
            Cell::from(r.peak_share),
            Cell::Float(r.tb_per_s),
            Cell::from(r.bandwidth_share),
            r.bound.map(|b| b.label().to_string()).into(),
            counted(r.flops as f64 / 1e9),
            Cell::from(r.bytes),
            counted(r.flops_per_byte),
            Cell::Text(if r.is_inner { "Yes" } else { "No" }.into()),
            Cell::Text(kernels.join("; ")),
        ]);
        Row { colour: Some(colour(r.family)), ..Row::new(cells) }
    };
    listed(found, is_gemm).iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::efficiency::KnownPeaks;
    use crate::analysis::torch::work::Gemm;
    use crate::analysis::torch::work::inputs::Dtype;
    use crate::base::{DurationNs, SliceId};

    fn found() -> Efficiency {
        let row = |family, gemm, time| EfficiencyRow {
            name: "aten::mm".into(),
            family,
            shape: "[[2, 2]]".into(),
            types: String::new(),
            dtype: Dtype::Bf16,
            gemm,
            layout: None,
            kernels: vec![("k".into(), 2, DurationNs(5))],
            calls: 2,
            is_inner: false,
            upper_bound: (family == Family::Elementwise).then(|| "why".into()),
            kernel_time: DurationNs(time),
            flops: 1_000,
            bytes: 10,
            flops_per_byte: 100.0,
            tflops: 2.0,
            tb_per_s: 0.02,
            peak_share: Some(0.5),
            bandwidth_share: None,
            bound: None,
            recoverable: None,
            longest: SliceId(0),
            colour: 0,
        };
        let gemm = Some(Gemm { b: 1, m: 32, n: 4_096, k: 16 });
        let peaks = KnownPeaks {
            device: "X".into(),
            label: String::new(),
            source: String::new(),
            tflops: vec![("FP16".into(), 4.0)],
            bandwidth: Some(100.0),
        };
        Efficiency {
            rows: vec![row(Family::Elementwise, None, 5), row(Family::Gemm, gemm, 10)],
            peaks: Some(peaks),
            ..Efficiency::default()
        }
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        for (is_gemm, n) in [(false, 2), (true, 1)] {
            let rows = rows(&found(), is_gemm);
            assert_eq!(rows[0].cells[1], if is_gemm { Cell::from(1u64) } else { Cell::Text("Elementwise, at most".into()) });
            assert!(rows.len() == n && rows.iter().all(|r| r.cells.len() == columns(is_gemm).len()), "{is_gemm}");
        }
    }

    #[test]
    fn dots_are_by_time_under_the_peaks() {
        let dots = dots(&found());
        assert_eq!(
            dots.iter().map(|d| (d.series.as_str(), d.size, d.y)).collect::<Vec<_>>(),
            [("GEMM", 1.0, 2e12), ("Elementwise", 0.5, 2e12)]
        );
        assert_eq!(dots[0].note.replace('\u{202f}', " "), "M 32 · N 4 096 · K 16");
        assert_eq!((ceilings(&found())[0].level, slope(&found()).unwrap().1), (4e12, 1e11));
        assert!(totals(&found()).iter().all(|t| t.0 != "MFU"), "not known is not said");
    }
}
