//! From pairs of tables that fit or do not fit to the tables that are of another run.

/// Two tables beside each other.
pub(super) struct Pair {
    /// Both.
    pub tables: [&'static str; 2],
    /// Whether they can be of one run.
    pub is_fit: bool,
    /// Whether a match is positive evidence, not only the absence of a contradiction.
    pub is_strong: bool,
    /// Why they do not fit, as the end of a sentence for each table.
    pub why: [String; 2],
}

impl Pair {
    fn has(&self, table: &str) -> bool {
        self.tables.contains(&table)
    }

    fn other(&self, table: &str) -> &'static str {
        if self.tables[0] == table { self.tables[1] } else { self.tables[0] }
    }

    fn binds(&self) -> bool {
        self.is_fit && self.is_strong
    }
}

/// Tables of another run than that of `anchor`, with the reason.
pub(super) fn find(pairs: &[Pair], anchor: &'static str) -> Vec<(&'static str, String)> {
    let mut out: Vec<(&'static str, String)> = Vec::new();
    loop {
        let is_out = |table: &str| out.iter().any(|o| o.0 == table);
        let open: Vec<&Pair> = pairs.iter().filter(|p| !p.is_fit && !p.tables.iter().any(|t| is_out(t))).collect();
        let family = bound(pairs, vec![anchor], &is_out);
        let mut sides: Vec<&'static str> = open.iter().flat_map(|p| p.tables).filter(|t| *t != anchor).collect();
        sides.sort_unstable();
        sides.dedup();
        // What most others contradict and fewest confirm; not what belongs to the anchor, as long as there is something else.
        let score = |table: &&str| {
            let n_against = open.iter().filter(|p| p.has(table)).count() as i64;
            let n_for = pairs.iter().filter(|p| p.binds() && p.has(table) && !is_out(p.other(table))).count() as i64;
            (!family.contains(table), n_against - n_for)
        };
        let Some(worst) = sides.into_iter().rev().max_by_key(score) else { break };
        let first = open.iter().find(|p| p.has(worst));
        let why = first.map(|p| p.why[usize::from(p.tables[1] == worst)].clone());
        out.push((worst, why.unwrap_or_default()));
    }
    followers(pairs, anchor, &mut out);
    out
}

/// Adds what is bound to a stranger, and not to the anchor.
fn followers(pairs: &[Pair], anchor: &'static str, out: &mut Vec<(&'static str, String)>) {
    let outliers: Vec<&'static str> = out.iter().map(|o| o.0).collect();
    let family = bound(pairs, vec![anchor], &|table| outliers.contains(&table));
    for stranger in outliers {
        for table in bound(pairs, vec![stranger], &|_| false) {
            if !family.contains(&table) && !out.iter().any(|o| o.0 == table) {
                out.push((table, format!("it fits `{stranger}`")));
            }
        }
    }
}

/// All tables that transitively match those of `family`, without excluded ones.
fn bound(pairs: &[Pair], mut family: Vec<&'static str>, is_out: &dyn Fn(&str) -> bool) -> Vec<&'static str> {
    let mut at = 0;
    while let Some(table) = family.get(at).copied() {
        for other in pairs.iter().filter(|p| p.binds() && p.has(table)).map(|p| p.other(table)) {
            if !is_out(other) && !family.contains(&other) {
                family.push(other);
            }
        }
        at += 1;
    }
    family
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (tables, fits: strongly, weakly or not).
    type Row = (&'static str, &'static str, char);

    fn check(rows: &[Row], wanted: &[&str]) {
        let pair = |(a, b, how): &Row| Pair {
            tables: [a, b],
            is_fit: *how != 'x',
            is_strong: *how == '=',
            why: [format!("{a} against {b}"), format!("{b} against {a}")],
        };
        let pairs: Vec<Pair> = rows.iter().map(pair).collect();
        let found = find(&pairs, "Metadata");
        assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), wanted, "{found:?}");
        assert!(found.iter().all(|f| f.1.starts_with(f.0) || f.1.starts_with("it fits")), "{found:?}");
    }

    #[test]
    fn the_odd_one_is_found() {
        let whole: [Row; 7] = [
            ("Summary", "Metadata", '='),
            ("Summary", "Instruction", '='),
            ("SbufUsage", "Instruction", '='),
            ("SemaphoreUpdate", "Instruction", '='),
            ("Summary", "DmaPacket", '='),
            ("DmaUsage", "DmaPacket", '='),
            ("Throttle", "Metadata", '-'),
        ];
        check(&whole, &[]);
        let with = |odd: &[usize]| {
            let mut rows = whole;
            odd.iter().for_each(|at| rows[*at].2 = 'x');
            rows
        };
        check(&with(&[3]), &["SemaphoreUpdate"]);
        check(&with(&[1, 2, 3]), &["Instruction"]);
        check(&with(&[2, 3]), &["SbufUsage", "SemaphoreUpdate"]);
        // Instructions and what fits them.
        check(&with(&[1]), &["Instruction", "SbufUsage", "SemaphoreUpdate"]);
        check(&with(&[4]), &["DmaPacket", "DmaUsage"]);
        check(&with(&[6]), &["Throttle"]);
        check(&with(&[0]), &["Summary", "Instruction", "DmaPacket", "SbufUsage", "SemaphoreUpdate", "DmaUsage"]);
    }
}
