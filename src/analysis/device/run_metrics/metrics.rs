//! The one-row tables of a device profile, whichever format they came from, and the formulas over them.
//!
//! The formulas are those of AWS's Neuron Explorer documentation, checked on real runs; times in seconds, rates per second.

use crate::model::{Cell, Profile};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

const MOST_BY_MEMORY: &str = "mm_arithmetic_intensity ÷ (peak of all cores ÷ bandwidth), at most 1";

/// Metrics and hardware facts by name.
pub struct MetricSource<'a> {
    summary: Option<Row<'a>>,
    metadata: Option<Row<'a>>,
    rounding: Option<Row<'a>>,
    exact: Option<Row<'a>>,
}

struct Row<'a> {
    columns: &'a [String],
    cells: &'a [Cell],
    /// Places of the columns, once many are asked for.
    places: OnceCell<FxHashMap<&'a str, usize>>,
}

/// With fewer columns a search is as fast.
const FEW_COLUMNS: usize = 64;

impl Row<'_> {
    fn get(&self, name: &str) -> Option<&Cell> {
        let place = || match self.columns.len() {
            ..=FEW_COLUMNS => self.columns.iter().position(|c| c == name),
            _ => self
                .places
                .get_or_init(|| self.columns.iter().enumerate().rev().map(|(at, c)| (c.as_str(), at)).collect())
                .get(name)
                .copied(),
        };
        self.cells.get(place()?)
    }
}

/// A formula's result: the metric's name in `summary`, its value, and how it was computed.
pub type Computed = (&'static str, f64, &'static str);

/// What a physical core's tensor engine can do, and its memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hardware {
    /// FLOP/s of one physical core: two for each cell of the array and clock.
    pub core_flops: f64,
    /// Physical cores that the profile covers.
    pub n_cores: f64,
    /// Bytes per second of one HBM stack.
    pub hbm_bandwidth: f64,
}

impl<'a> MetricSource<'a> {
    /// Reads the tables `summary` and `metadata`, or `Summary` and `Metadata`.
    pub fn of(profile: &'a Profile) -> MetricSource<'a> {
        Self::of_node(profile, 0)
    }

    /// Reads the summary at place `node`: a file of summaries has one for each core.
    pub fn of_node(profile: &'a Profile, node: usize) -> MetricSource<'a> {
        let row = |names: [&str; 2], at: usize| {
            let table = profile.tables.iter().find(|t| names.contains(&t.id.as_str()))?;
            Some(Row { columns: &table.columns, cells: table.rows.get(at)?, places: OnceCell::new() })
        };
        MetricSource {
            summary: row(["summary", "Summary"], node),
            metadata: row(["metadata", "Metadata"], 0),
            rounding: row(["summary_rounding"; 2], node),
            exact: row(["exact_times"; 2], 0),
        }
    }

    /// Names of all metrics, in the file's order.
    pub fn names(&self) -> &[String] {
        self.summary.as_ref().map_or(&[], |row| row.columns)
    }

    /// A metric that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        float(self.summary.as_ref()?.get(name)?)
    }

    /// Half of the last digit with which a metric is written, in its unit; `None` where it is not rounded.
    pub fn rounding(&self, name: &str) -> Option<f64> {
        float(self.rounding.as_ref()?.get(name)?)
    }

    /// Seconds of a time of the entire run, to the picosecond; `None` where only rows of whole nanoseconds have it.
    pub fn exact_seconds(&self, name: &str) -> Option<f64> {
        Some(float(self.exact.as_ref()?.get(name)?)? / 1e12)
    }

    /// A metric that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.summary.as_ref()?.get(name)? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Seconds of the execution window, to the picosecond where the file stores it so.
    pub fn window_seconds(&self) -> Option<f64> {
        Some(self.hardware_fact("execution_window_ps")? / 1e12)
    }

    /// Where clocks, sizes and bandwidths come from, if the file does not record them.
    pub fn constants_source(&self) -> Option<&str> {
        match self.metadata.as_ref()?.get("constants_source")? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    fn hardware_number(&self, names: [&str; 2]) -> Option<f64> {
        let row = self.metadata.as_ref()?;
        names.iter().find_map(|name| float(row.get(name)?)).filter(|v| *v > 0.0)
    }

    /// A number of the metadata that is greater than zero.
    pub fn hardware_fact(&self, name: &str) -> Option<f64> {
        self.hardware_number([name, name])
    }

    /// FLOP/s of one physical core: two for each cell of the array and clock; `None` where the metadata lack size or clock.
    pub fn core_flops(&self) -> Option<f64> {
        let rows = self.hardware_number(["pe_num_rows", "tensor_engine_num_rows"])?;
        let columns = self.hardware_number(["pe_num_cols", "tensor_engine_num_cols"])?;
        let clock_ghz = self.hardware_number(["pe_clock_freq", "tensor_engine_clock_freq"])?;
        // Clocks are written in single precision by some versions: 2.4000000954 is 2.4.
        let clock_hz = (clock_ghz * 1e4).round() * 1e5;
        Some(2.0 * rows * columns * clock_hz).filter(|f| *f > 0.0)
    }

    /// GHz of the Tensor engine's clock; `None` where the metadata lack it.
    pub fn tensor_clock_ghz(&self) -> Option<f64> {
        let ghz = self.hardware_number(["pe_clock_freq", "tensor_engine_clock_freq"])?;
        // As above.
        Some((ghz * 1e4).round() / 1e4).filter(|clock| *clock > 0.0)
    }

    /// Hz of the clock that the profiler counts cycles by; `None` where the metadata lack it.
    fn base_clock(&self) -> Option<f64> {
        let ghz = self.hardware_number(["pe_clock_others", "neuroncore_clock_freq"])?;
        // As above.
        Some((ghz * 1e4).round() * 1e5)
    }

    /// BF16 FLOP/s of all physical cores; `None` where the metadata lack clock, size or cores.
    pub fn peak_flops(&self) -> Option<f64> {
        Some(self.core_flops()? * self.hardware_number(["num_physical_cores", "num_physical_cores"])?)
    }

    /// Bytes per second of one HBM stack.
    pub fn hbm_bandwidth(&self) -> Option<f64> {
        let recorded = self.hardware_number(["hbm_ddr_bandwidth", "hbm_ddr_bandwidth"])?;
        Some((recorded / 1e6).round() * 1e6).filter(|b| *b > 0.0)
    }

    /// Clocks, sizes and bandwidth; `None` where the metadata lack one of them.
    pub fn hardware(&self) -> Option<Hardware> {
        Some(Hardware {
            core_flops: self.core_flops()?,
            n_cores: self.hardware_number(["num_physical_cores", "num_physical_cores"])?,
            hbm_bandwidth: self.hbm_bandwidth()?,
        })
    }

    /// Every formula whose inputs the file has.
    pub fn computed(&self) -> Vec<Computed> {
        let mut out = Vec::new();
        let n = |name: &str| self.number(name);
        let mut add = |name, value: Option<f64>, how| {
            if let Some(value) = value.filter(|v| v.is_finite()) {
                out.push((name, value, how));
            }
        };
        let exact = self.window_seconds();
        if n("total_time").is_none() {
            add("total_time", exact, "length of the execution window");
        }
        let time = n("total_time").or(exact).filter(|t| *t > 0.0);
        let hardware = self.hardware();
        let useful = n("hardware_flops").zip(n("transpose_flops")).map(|(all, moved)| all - moved);
        let traffic = n("hbm_read_bytes").zip(n("hbm_write_bytes")).map(|(read, written)| read + written).filter(|b| *b > 0.0);
        if let Some((hw, time)) = hardware.zip(time) {
            let peak = hw.core_flops * hw.n_cores * time;
            add("hfu_estimated_percent", n("hardware_flops").map(|f| f / peak), "hardware_flops ÷ (peak of all cores × total_time)");
            add(
                "mfu_inst_estimated_percent",
                useful.map(|f| f / peak),
                "(hardware_flops − transpose_flops) ÷ (peak of all cores × total_time)",
            );
            add("mfu_hlo_estimated_percent", n("model_flops").map(|f| f / peak), "model_flops ÷ (peak of all cores × total_time)");
            let own = n("model_flops").and_then(|model| if model > 0.0 { Some(model) } else { useful });
            add(
                "mfu_estimated_percent",
                own.map(|f| f / peak),
                "(model_flops, or hardware_flops − transpose_flops without HLO statistics) ÷ (peak of all cores × total_time)",
            );
            add(
                "mbu_estimated_percent",
                traffic.map(|b| b / time / hw.hbm_bandwidth),
                "(hbm_read_bytes + hbm_write_bytes) ÷ total_time ÷ bandwidth of one HBM stack",
            );
            let least = n("inputs_and_weights_size_bytes").map(|b| b / time / hw.hbm_bandwidth);
            add("mbu_min_read_util_percent", least, "inputs_and_weights_size_bytes ÷ total_time ÷ bandwidth of one HBM stack");
        }
        let intensity = useful.zip(traffic).map(|(f, b)| f / b);
        add("mm_arithmetic_intensity", intensity, "(hardware_flops − transpose_flops) ÷ (hbm_read_bytes + hbm_write_bytes)");
        if let Some(hw) = hardware {
            add("peak_flops_bandwidth_ratio", Some(hw.core_flops / hw.hbm_bandwidth), "peak of one core ÷ bandwidth of one HBM stack");
            let ridge = hw.core_flops * hw.n_cores / hw.hbm_bandwidth;
            let most = intensity.map(|i| (i / ridge).min(1.0));
            add("mfu_inst_max_achievable_estimated_percent", most, MOST_BY_MEMORY);
            // Without statistics of HLO the profiler's own one is that of the instructions.
            add("mfu_max_achievable_estimated_percent", most.filter(|_| n("model_flops") == Some(0.0)), MOST_BY_MEMORY);
        }
        let cycles = |seconds: Option<f64>| Some((seconds? * self.base_clock()?).floor());
        add("neuroncore_cycle_count", cycles(time), "total_time × clock of the NeuronCore");
        add("dma_active_cycles", cycles(n("dma_active_time")), "dma_active_time × clock of the NeuronCore");
        add("total_active_time_percent", n("total_active_time").zip(time).map(|(a, t)| a / t), "total_active_time ÷ total_time");
        add("dma_active_time_percent", n("dma_active_time").zip(time).map(|(a, t)| a / t), "dma_active_time ÷ total_time");
        for engine in ENGINES {
            let share = n(engine.active).zip(time).map(|(a, t)| a / t);
            add(engine.share, share, "time in which the engine of any core was active ÷ total_time");
        }
        let dma = n("dma_active_time").filter(|t| *t > 0.0);
        let share = |name: &str| n(name).zip(dma).map(|(a, t)| a / t);
        let [software, hardware, fixed] = QUEUE_TIMES.map(|(time, _)| share(time));
        for ((_, name), value) in QUEUE_TIMES.iter().zip([software, hardware, fixed]) {
            add(name, value, "time in which a queue of this type was active ÷ dma_active_time");
        }
        let dynamic = software.zip(hardware).map(|(s, h)| s + h);
        add(
            "dynamic_dma_active_time_percent",
            dynamic,
            "(software_dynamic_dma_active_time + hardware_dynamic_dma_active_time) ÷ dma_active_time",
        );
        for core in 0..2 {
            if let Some((name, value)) = self.throttle_average(core) {
                add(name, Some(value), "Σ share of total_time × utilisation limit, over the kinds of throttling");
            }
        }
        out
    }

    /// Shares of time and limits of a core's throttling, by kind.
    pub(in crate::analysis::device) fn throttling(&self, core: usize) -> Vec<(f64, f64)> {
        let suffix = format!("_active_time_nc{core}_percent");
        let kinds = self.names().iter().filter_map(|name| name.strip_prefix("throttle_")?.strip_suffix(&suffix));
        let pair = |kind: &str| {
            let limit = self.number(&format!("throttle_{kind}_avg_util_limit_nc{core}_percent"))?;
            Some((self.number(&format!("throttle_{kind}{suffix}"))?, limit))
        };
        kinds.filter_map(pair).collect()
    }

    fn throttle_average(&self, core: usize) -> Option<(&'static str, f64)> {
        let name = ["throttle_avg_util_limit_nc0_percent", "throttle_avg_util_limit_nc1_percent"].get(core)?;
        let kinds = self.throttling(core);
        (!kinds.is_empty()).then(|| (*name, kinds.iter().map(|(share, limit)| share * limit).sum()))
    }

    /// The mean utilisation limit over the time in which one was recorded; the file's own average counts all other time as a limit of zero.
    pub fn throttle_limit(&self, core: usize) -> Option<f64> {
        let kinds = self.throttling(core);
        let covered: f64 = kinds.iter().map(|k| k.0).sum();
        (covered > 0.0).then(|| kinds.iter().map(|(share, limit)| share * limit).sum::<f64>() / covered)
    }
}

/// Times of each type of DMA queue, and their shares of dma_active_time.
pub(in crate::analysis::device) const QUEUE_TIMES: [(&str, &str); 3] = [
    ("software_dynamic_dma_active_time", "software_dynamic_dma_active_time_percent"),
    ("hardware_dynamic_dma_active_time", "hardware_dynamic_dma_active_time_percent"),
    ("static_dma_active_time", "static_dma_active_time_percent"),
];

/// Names of an engine's metrics.
pub struct EngineMetrics {
    /// As on the timeline.
    pub engine: &'static str,
    /// Seconds active.
    pub active: &'static str,
    /// Share of total_time.
    pub share: &'static str,
    /// Instructions.
    pub count: &'static str,
}

/// The engines of a core.
pub const ENGINES: [EngineMetrics; 5] = [
    EngineMetrics {
        engine: "Tensor",
        active: "tensor_engine_active_time",
        share: "tensor_engine_active_time_percent",
        count: "tensor_engine_instruction_count",
    },
    EngineMetrics {
        engine: "Vector",
        active: "vector_engine_active_time",
        share: "vector_engine_active_time_percent",
        count: "vector_engine_instruction_count",
    },
    EngineMetrics {
        engine: "Scalar",
        active: "scalar_engine_active_time",
        share: "scalar_engine_active_time_percent",
        count: "scalar_engine_instruction_count",
    },
    EngineMetrics {
        engine: "GpSimd",
        active: "gpsimd_engine_active_time",
        share: "gpsimd_engine_active_time_percent",
        count: "gpsimd_engine_instruction_count",
    },
    EngineMetrics {
        engine: "Sync",
        active: "sync_engine_active_time",
        share: "sync_engine_active_time_percent",
        count: "sync_engine_instruction_count",
    },
];

fn float(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Int(v) => Some(*v as f64),
        Cell::Float(v) => Some(*v),
        _ => None,
    }
}
