//! Which module calls which: from the Python functions of the trace, or from the dotted names of Lightning.

use crate::base::Order as _;
use crate::base::StrId;
use crate::model::Profile;
use crate::model::torch::{ABSENT, Function};
use rustc_hash::FxHashMap;

/// What distinguishes modules: name and number (0 of Lightning's).
pub type ModuleKey = (StrId, u32);

/// A module in the hierarchy, each distinct subtree once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The module.
    pub key: ModuleKey,
    /// Modules it calls, in order, as positions in the list.
    pub children: Vec<u32>,
}

/// Distinct subtrees and which of them are roots.
#[derive(Debug, Default)]
pub struct Hierarchy {
    /// Children before parents.
    pub shapes: Vec<Shape>,
    /// Positions in `shapes`, each once, in the order first seen.
    pub roots: Vec<u32>,
}

/// The hierarchy of `nn.Module` calls. Each call belongs to the nearest module call up the chain of Python parents; equal subtrees are one.
pub fn of_functions(profile: &Profile, functions: &[Function], name: impl Fn(&Function) -> StrId) -> Hierarchy {
    let mut order: Vec<u32> = (0..functions.len() as u32).collect();
    let place = |f: &Function| {
        let i = f.slice as usize;
        let record = profile.slices.record.get(i).map_or(0, |r| r.offset());
        (profile.slices.start.get(i).copied().unwrap_or(0), record)
    };
    order.order_by_key(|&i| place(&functions[i as usize]));
    let by_id: FxHashMap<u32, u32> = order.iter().map(|&i| (functions[i as usize].id, i)).collect();
    let parents = parents(functions, &by_id);
    let is_module = |i: &u32| functions[*i as usize].module != ABSENT && by_id.get(&functions[*i as usize].id) == Some(i);
    let mut children: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut tops = Vec::new();
    for &i in order.iter().filter(|i| is_module(i)) {
        match parents[i as usize] {
            ABSENT => tops.push(i),
            parent => children.entry(parent).or_default().push(i),
        }
    }
    let key = |i: u32| (name(&functions[i as usize]), functions[i as usize].module);
    shapes(&tops, &children, key)
}

/// The nearest module above each function, or [`ABSENT`]; a chain that goes round in circles has none.
fn parents(functions: &[Function], by_id: &FxHashMap<u32, u32>) -> Vec<u32> {
    const UNKNOWN: u32 = ABSENT - 1;
    let mut out = vec![UNKNOWN; functions.len()];
    let mut chain: Vec<u32> = Vec::new();
    for i in 0..functions.len() as u32 {
        let mut at = i;
        // Up to a function whose module is known, or to the end of the chain.
        let mut found = loop {
            if out[at as usize] != UNKNOWN {
                break out[at as usize];
            }
            out[at as usize] = ABSENT;
            chain.push(at);
            let Some(&up) = by_id.get(&functions[at as usize].parent).filter(|&&up| up != at) else { break ABSENT };
            if functions[up as usize].module != ABSENT {
                break up;
            }
            at = up;
        };
        while let Some(function) = chain.pop() {
            out[function as usize] = found;
            if functions[function as usize].module != ABSENT {
                found = function;
            }
        }
    }
    out
}

/// Gives equal subtrees one number, without recursion.
fn shapes(tops: &[u32], children: &FxHashMap<u32, Vec<u32>>, key: impl Fn(u32) -> ModuleKey) -> Hierarchy {
    let mut known: FxHashMap<Shape, u32> = FxHashMap::default();
    let mut out = Hierarchy::default();
    let mut shape_of: FxHashMap<u32, u32> = FxHashMap::default();
    let mut is_root: Vec<bool> = Vec::new();
    for &top in tops {
        let mut open = vec![(top, false)];
        while let Some((module, is_entered)) = open.pop() {
            let below = children.get(&module).map_or(&[][..], Vec::as_slice);
            if !is_entered {
                open.push((module, true));
                open.extend(below.iter().map(|&c| (c, false)));
                continue;
            }
            let shape = Shape { key: key(module), children: below.iter().filter_map(|c| shape_of.get(c).copied()).collect() };
            let at = *known.entry(shape).or_insert_with_key(|shape| {
                out.shapes.push(shape.clone());
                is_root.push(false);
                out.shapes.len() as u32 - 1
            });
            shape_of.insert(module, at);
        }
        if let Some(&root) = shape_of.get(&top)
            && !std::mem::replace(&mut is_root[root as usize], true)
        {
            out.roots.push(root);
        }
    }
    out
}

/// The hierarchy of Lightning's module names: `a.b` is below `a` where there is an `a`. Names in the order first seen.
pub fn of_dotted(profile: &Profile, names: &[StrId]) -> Hierarchy {
    let path = |name: StrId| dotted(profile.strings.get(name));
    let by_path: FxHashMap<&str, u32> = names.iter().enumerate().map(|(i, &name)| (path(name), i as u32)).collect();
    let mut children: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut tops = Vec::new();
    for (i, &name) in names.iter().enumerate() {
        let above = path(name).rsplit_once('.').and_then(|(above, _)| by_path.get(above));
        match above.filter(|&&a| a != i as u32) {
            Some(&above) => children.entry(above).or_default().push(i as u32),
            None => tops.push(i as u32),
        }
    }
    shapes(&tops, &children, |i| (names[i as usize], 0))
}

/// The dotted path of `[pl][module]torch.nn.modules.linear.Linear: enc.0`.
pub fn dotted(name: &str) -> &str {
    let rest = name.strip_prefix("[pl][module]").unwrap_or(name);
    rest.rsplit_once(": ").map_or(rest, |(_, path)| path)
}
