//! Numbers of colours, and what each one means. The colours themselves are in `ui::palette`.

use crate::base::Order as _;

/// Slots with different hues.
pub const N_TOP: u16 = 24;
/// All slots of names. Slot `N_TOP + n` has the hue of slot `n` at half its chroma, for names with little time.
pub const N_SLOTS: u16 = 2 * N_TOP;

/// Hue of each slot in degrees (OKLCH). Slots that follow each other differ most, also to protan and deutan eyes, and so do the first eight among
/// each other: charts take slots from the first on. Found by a search over orders; the tests of `ui::palette` hold the distances.
pub const HUES: [u16; N_TOP as usize] =
    [255, 20, 195, 85, 350, 35, 210, 165, 268, 101, 5, 281, 180, 117, 307, 52, 225, 133, 294, 335, 240, 68, 320, 149];

/// Hues that mean a kind of work, in degrees.
pub mod hue {
    /// Matrix products, attention's excepted; the Tensor engine.
    pub const MATMUL: u16 = 255;
    /// Element by element; the Vector engine.
    pub const ELEMENTWISE: u16 = 165;
    /// Optimizers; the Scalar engine.
    pub const OPTIMIZER: u16 = 85;
    /// Attention; the GpSimd engine.
    pub const ATTENTION: u16 = 320;
    /// Copies; DMA.
    pub const COPY: u16 = 35;
    /// Communication; the Sync engine.
    pub const COMMUNICATION: u16 = 210;
    /// All of them.
    pub const ALL: [u16; 6] = [MATMUL, ELEMENTWISE, OPTIMIZER, ATTENTION, COPY, COMMUNICATION];
}

/// Slots with a fixed meaning in every profile.
pub mod fixed {
    /// The first; numbers below are by name.
    pub const FIRST: u16 = 60_000;
    /// How many there are.
    pub const COUNT: u16 = 17;
    /// Kernels, computation.
    pub const KERNEL: u16 = FIRST;
    /// Copies between host and device.
    pub const MEMCPY: u16 = FIRST + 1;
    /// Memory set on the device.
    pub const MEMSET: u16 = FIRST + 2;
    /// Collective and point-to-point communication.
    pub const COMMUNICATION: u16 = FIRST + 3;
    /// Calls of the device's runtime.
    pub const RUNTIME: u16 = FIRST + 4;
    /// Waiting for data.
    pub const DATA_LOADER: u16 = FIRST + 5;
    /// Everything else on the host.
    pub const CPU_EXEC: u16 = FIRST + 6;
    /// Neutral: waiting, idle, steps, the others of a pie.
    pub const OTHER: u16 = FIRST + 7;
    /// Computation and communication at once.
    pub const OVERLAP: u16 = FIRST + 8;
    /// Less than before.
    pub const LESS: u16 = FIRST + 9;
    /// More than before.
    pub const MORE: u16 = FIRST + 10;
    /// The Tensor engine of a NeuronCore.
    pub const TENSOR: u16 = FIRST + 11;
    /// Its Vector engine.
    pub const VECTOR: u16 = FIRST + 12;
    /// Its Scalar engine.
    pub const SCALAR: u16 = FIRST + 13;
    /// Its GpSimd engine.
    pub const GPSIMD: u16 = FIRST + 14;
    /// Its DMA queues.
    pub const DMA: u16 = FIRST + 15;
    /// Its Sync engine.
    pub const SYNC: u16 = FIRST + 16;
}

/// The slot of the hue that is nearest to `degrees`, then the next nearest, and so on: all of the first [`N_TOP`].
pub fn by_hue(degrees: u16) -> [u16; N_TOP as usize] {
    let mut out: [u16; N_TOP as usize] = std::array::from_fn(|slot| slot as u16);
    let away = |slot: &u16| {
        let turn = HUES[usize::from(*slot)].abs_diff(degrees) % 360;
        (turn.min(360 - turn), *slot)
    };
    out.order_by_key(away);
    out
}

/// A slot for the `index`-th item of a list with a fixed order.
pub fn by_index(index: usize) -> u16 {
    (index % usize::from(N_TOP)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hue_has_one_slot_and_each_kind_of_work_a_hue() {
        let mut hues = HUES;
        hues.sort();
        assert!(hues.windows(2).all(|w| w[1] - w[0] >= 13), "{hues:?}");
        assert!(hues[0] + 360 - hues[23] >= 13);
        assert!(hue::ALL.iter().all(|h| HUES.contains(h)));
    }

    #[test]
    fn slots_by_hue_begin_with_the_hue_itself_and_leave_none_out() {
        let near = by_hue(hue::MATMUL).map(|slot| HUES[usize::from(slot)]);
        assert_eq!(near[..3], [255, 268, 240]);
        assert_eq!(by_hue(5).map(|slot| HUES[usize::from(slot)])[..3], [5, 20, 350], "round the circle");
        let mut all = by_hue(hue::COPY);
        all.sort();
        assert_eq!(all.to_vec(), (0..N_TOP).collect::<Vec<_>>());
        assert_eq!((by_index(3), by_index(27)), (3, 3));
    }
}
