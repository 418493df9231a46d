//! The order in which exclusive parts count, as the user chose it: ids in a link, and what moving a part makes of it.

/// Positions of all parts without duplicates: first those in `text`, then the others.
pub fn positions(text: &str, ids: &[&str]) -> Vec<usize> {
    let named = text.split(',').filter_map(|id| ids.iter().position(|i| *i == id));
    let mut out: Vec<usize> = Vec::with_capacity(ids.len());
    for at in named.chain(0..ids.len()) {
        if !out.contains(&at) {
            out.push(at);
        }
    }
    out
}

/// The text after the parts at two places of the order changed places; empty is the usual order.
pub fn moved(text: &str, ids: &[&str], (from, to): (usize, usize)) -> String {
    let mut order = positions(text, ids);
    if from.max(to) < order.len() {
        order.swap(from, to);
    }
    if order.is_sorted() { String::new() } else { order.into_iter().map(|at| ids[at]).collect::<Vec<_>>().join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_complete_and_survives_nonsense() {
        let ids = ["kernel", "memcpy", "runtime"];
        assert_eq!(positions("", &ids), [0, 1, 2]);
        assert_eq!(positions("runtime,x,,runtime", &ids), [2, 0, 1]);
        assert_eq!(moved("", &ids, (0, 1)), "memcpy,kernel,runtime");
        assert_eq!(moved("memcpy,kernel,runtime", &ids, (1, 0)), "");
        assert_eq!(moved("", &ids, (1, 7)), "");
    }
}
