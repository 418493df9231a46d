//! DMA transfers: in rows by queue or engine, merged, with their packets, and the bytes from and to HBM.

pub mod dma_rows;
pub(in crate::analysis::device) mod hbm;
pub mod merged;
pub mod transfer;
