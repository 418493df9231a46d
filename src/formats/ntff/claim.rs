//! Which files belong together: an NTFF and the NEFF whose uuid it carries.

use super::{ID, info};
use crate::base::MemberHead;
use crate::formats::{Claim, neff};

/// How the claim of a pair that does not fit ends.
const OTHER_NEFF: &str = "the NEFF of another model dropped with it.";

/// Whether a claim is of a trace and a NEFF that do not fit: dropped together they are refused, one after the other they are two.
pub(crate) fn is_misfit(claim: &Claim) -> bool {
    claim.format == ID && claim.recognised.ends_with(OTHER_NEFF)
}

pub(super) fn claim(heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
    let is_free = |i: &usize| !taken.get(*i).copied().unwrap_or(false);
    let traces: Vec<usize> = (0..heads.len()).filter(is_free).filter(|&i| is_ntff(&heads[i])).collect();
    let programs: Vec<usize> = (0..heads.len()).filter(is_free).filter(|i| !traces.contains(i) && neff::is_neff(&heads[*i])).collect();
    let is_pair = traces.len() == 1 && programs.len() == 1;
    let mut out = Vec::new();
    for trace in traces {
        let uuid = info::sniff(&heads[trace].head).map(|s| s.1).filter(|u| !u.is_empty());
        let fits = |program: &usize| neff::sniff(&heads[*program].head).is_some_and(|u| uuid.as_ref() == Some(&u));
        // A lone pair is taken together even when it does not fit: the import then says why.
        let at = programs.iter().position(fits).or((is_pair && uuid.is_some()).then_some(0));
        // A NEFF serves every trace of its uuid.
        let program = at.map(|at| programs[at]);
        let version = heads[trace].head.first().copied().unwrap_or(0);
        let recognised = match program {
            Some(program) if !fits(&program) => format!("A Neuron trace of version {version}, and {OTHER_NEFF}"),
            Some(_) => format!("A Neuron trace of version {version} and the NEFF dropped with it."),
            None if info::sniff(&heads[trace].head).is_none() => "A file with the name of a Neuron trace but other content.".into(),
            None => format!("A Neuron trace of version {version} with the name of a .neff in its description."),
        };
        let members = std::iter::once(trace).chain(program).collect();
        out.push(Claim { format: ID.into(), members, recognised });
    }
    out
}

/// By content; by name only when there is nothing to look at, or too little.
fn is_ntff(head: &MemberHead) -> bool {
    let is_named = head.name.ends_with(".ntff");
    let is_other = head.is_gzip || head.head.first().is_some_and(|b| matches!(b, b'{' | b'[' | b'<')) || neff::sniff(&head.head).is_some();
    info::sniff(&head.head).is_some() || (is_named && !is_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_trace_is_known_by_its_name() {
        let head = |name: &str| MemberHead { name: name.into(), len: 0, head: Vec::new(), is_gzip: false };
        assert_eq!(claim(&[head("a.ntff"), head("b.bin")], &[]).len(), 1);
        assert_eq!(claim(&[head("a.ntff")], &[true]).len(), 0);
    }
}
