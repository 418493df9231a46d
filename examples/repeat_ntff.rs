//! Writes a long Neuron device trace from a short one: the records of its execution, again and again, each time later.
//!
//! `cargo run --release --example repeat_ntff -- --bytes 200000000 IN.ntff OUT.ntff`. Only version 6 stores where the execution begins and ends.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match native::run(std::env::args().skip(1)) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}\nUsage: repeat_ntff [--bytes N] IN.ntff OUT.ntff");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::io::Write;

    /// Bytes before the description.
    const HEADER: usize = 128;
    /// Fields of the description: the execution window and the regions of records.
    const WINDOW: u64 = 15;
    const REGION: u64 = 16;
    /// Fields of a region: where it stands and how long it is.
    const OFFSET: u64 = 5;
    const SIZE: u64 = 6;
    /// Bytes of a record; the last eight are its time.
    const RECORD: usize = 16;

    pub fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
        let (mut n_bytes, mut paths) = (200_000_000u64, Vec::new());
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--bytes" => n_bytes = args.next().and_then(|n| n.parse().ok()).ok_or("Expected a number after --bytes.")?,
                _ => paths.push(arg),
            }
        }
        let [from, to] = paths.as_slice() else { return Err("Expected two files.".into()) };
        let trace = std::fs::read(from).map_err(|why| format!("`{from}`: {why}"))?;
        let long = repeat(&trace, n_bytes).ok_or_else(|| format!("`{from}` is not a trace of version 6 with an execution window."))?;
        let mut out = std::io::BufWriter::new(std::fs::File::create(to).map_err(|why| format!("`{to}`: {why}"))?);
        out.write_all(&long).and_then(|()| out.flush()).map_err(|why| format!("`{to}`: {why}"))
    }

    /// The trace with as many executions as make about `n_bytes`.
    fn repeat(trace: &[u8], n_bytes: u64) -> Option<Vec<u8>> {
        if *trace.first()? != 6 {
            return None;
        }
        let n = usize::try_from(u64::from_le_bytes(trace.get(1..9)?.try_into().ok()?)).ok()?;
        let (message, raw) = (trace.get(HEADER..HEADER.checked_add(n)?)?, trace.get(HEADER + n..)?);
        let (mut window, mut regions, mut info) = (None, Vec::new(), Vec::new());
        for (field, whole, value) in fields(message) {
            match field {
                WINDOW if window.is_none() => window = Some(value),
                WINDOW => (),
                REGION => regions.push(value),
                _ => info.extend_from_slice(whole),
            }
        }
        let window = window?;
        let (start, end) = (number(window, 2)?, number(window, 3)?);
        // What lies outside of the execution is not repeated: it would lie within another one.
        let own = |region: &&[u8]| -> Option<Vec<[u8; RECORD]>> {
            let from = usize::try_from(number(region, OFFSET)?).ok()?;
            let records = raw.get(from..from.checked_add(usize::try_from(number(region, SIZE)?).ok()?)?)?;
            let all = records.chunks_exact(RECORD).filter_map(|r| r.try_into().ok());
            Some(all.filter(|r| (start..=end).contains(&time(r))).collect())
        };
        let records: Vec<Vec<[u8; RECORD]>> = regions.iter().map(own).collect::<Option<_>>()?;
        let once: usize = records.iter().map(|r| r.len() * RECORD).sum();
        let times = usize::try_from(n_bytes).ok()?.checked_div(once)?.max(1);
        let period = end.checked_sub(start)?;
        // The images stand where they stood; the regions follow all that was there.
        let mut area = raw.to_vec();
        for (region, records) in regions.iter().zip(&records) {
            let offset = area.len();
            for k in 0..times as u64 {
                for record in records {
                    area.extend_from_slice(&record[..8]);
                    area.extend_from_slice(&(time(record) + k * period).to_le_bytes());
                }
            }
            put(&mut info, REGION, &with(region, &[(OFFSET, offset as u64), (SIZE, (area.len() - offset) as u64)]));
        }
        put(&mut info, WINDOW, &with(window, &[(3, start + times as u64 * period)]));
        let mut out = vec![6u8];
        out.extend_from_slice(&(info.len() as u64).to_le_bytes());
        out.resize(HEADER, 0);
        out.extend(info);
        out.extend(area);
        Some(out)
    }

    fn time(record: &[u8; RECORD]) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&record[8..]);
        u64::from_le_bytes(bytes)
    }

    /// A message with other numbers in some fields; fields that it lacks are added.
    fn with(message: &[u8], numbers: &[(u64, u64)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (field, whole, _) in fields(message) {
            if numbers.iter().all(|n| n.0 != field) {
                out.extend_from_slice(whole);
            }
        }
        for (field, n) in numbers {
            varint(&mut out, field << 3);
            varint(&mut out, *n);
        }
        out
    }

    fn put(out: &mut Vec<u8>, field: u64, value: &[u8]) {
        varint(out, field << 3 | 2);
        varint(out, value.len() as u64);
        out.extend_from_slice(value);
    }

    fn varint(out: &mut Vec<u8>, mut n: u64) {
        while n >= 0x80 {
            out.push(n as u8 | 0x80);
            n >>= 7;
        }
        out.push(n as u8);
    }

    /// A number of a message; 0 where the field is missing.
    fn number(message: &[u8], field: u64) -> Option<u64> {
        match fields(message).find(|f| f.0 == field) {
            Some((_, _, value)) => read_varint(value).map(|v| v.0),
            None => Some(0),
        }
    }

    fn read_varint(bytes: &[u8]) -> Option<(u64, usize)> {
        let mut n = 0u64;
        for (i, byte) in bytes.iter().take(10).enumerate() {
            n |= u64::from(byte & 0x7f) << (7 * i);
            if byte & 0x80 == 0 {
                return Some((n, i + 1));
            }
        }
        None
    }

    /// (number, the field with its key, its value) of each field.
    fn fields(mut message: &[u8]) -> impl Iterator<Item = (u64, &[u8], &[u8])> {
        std::iter::from_fn(move || {
            let (key, n_key) = read_varint(message)?;
            let rest = &message[n_key..];
            let (skip, len) = match key & 7 {
                0 => (0, read_varint(rest)?.1),
                1 => (0, 8),
                2 => read_varint(rest).map(|(len, n)| (n, len as usize))?,
                5 => (0, 4),
                _ => return None,
            };
            let whole = message.get(..n_key.checked_add(skip)?.checked_add(len)?)?;
            message = &message[whole.len()..];
            Some((key >> 3, whole, &whole[n_key + skip..]))
        })
    }
}
