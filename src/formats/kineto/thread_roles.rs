//! Which threads are the main one of their process and those of autograd, by what ran on them.

use crate::base::{TrackId, for_each_chunk};
use crate::model::ProfileBuilder;
use rustc_hash::FxHashMap;

/// What a host thread is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Marks the steps.
    Main,
    /// Runs backward functions and marks no steps.
    Autograd,
}

impl Role {
    /// The name of a thread with its role: `main thread 7 (python)` from `thread 7 (python)`.
    pub fn named(self, name: &str) -> String {
        let role = match self {
            Role::Main => "main",
            Role::Autograd => "autograd",
        };
        if name.contains(role) {
            return name.into();
        }
        match name.strip_prefix("thread ").or_else(|| name.strip_prefix("Thread ")) {
            Some(rest) => format!("{role} thread {rest}"),
            None => format!("{name} ({role} thread)"),
        }
    }

    /// Its place among threads that the file does not order.
    pub fn sort(self) -> i64 {
        match self {
            Role::Main => -2,
            Role::Autograd => -1,
        }
    }
}

/// The role of a thread by its name.
fn role_of(name: &str) -> Option<Role> {
    if name.starts_with("ProfilerStep#") {
        return Some(Role::Main);
    }
    let is_backward = name.starts_with("autograd::engine::evaluate_function") || is_backward_function(name);
    is_backward.then_some(Role::Autograd)
}

/// `MmBackward`, `MmBackward0`: how PyTorch names the backward function of an operator; before 1.9 its slice is all there is.
fn is_backward_function(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix("Backward");
    // A function of a module, `net.py(3): XBackward`, or of a namespace is none.
    stem.is_some_and(|stem| {
        stem.starts_with(|c: char| c.is_ascii_uppercase()) && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The roles of threads, by their tracks.
pub fn roles(builder: &ProfileBuilder) -> FxHashMap<TrackId, Role> {
    let of_name: Vec<Option<Role>> = builder.strings.table().iter().map(|(_, name)| role_of(name)).collect();
    let mut out = FxHashMap::default();
    if of_name.iter().all(Option::is_none) {
        return out;
    }
    for_each_chunk(builder.n_slices(), &mut |part| {
        for slice in part.map(|i| i as u32) {
            let Some(Some(role)) = of_name.get(builder.name_of(slice).index()) else { continue };
            let of_track = out.entry(builder.track_of(slice)).or_insert(*role);
            if *role == Role::Main {
                *of_track = Role::Main;
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_role_once() {
        let check = |role: Role, name: &str, want: &str| assert_eq!(role.named(name), want);
        check(Role::Main, "thread 7 (python)", "main thread 7 (python)");
        check(Role::Autograd, "Thread 8", "autograd thread 8");
        check(Role::Main, "trainer", "trainer (main thread)");
        check(Role::Main, "thread 7 (main)", "thread 7 (main)");
        check(Role::Autograd, "pt_autograd_0", "pt_autograd_0");
    }

    #[test]
    fn names_of_slices_say_the_role() {
        assert_eq!(role_of("ProfilerStep#5"), Some(Role::Main));
        assert_eq!(role_of("autograd::engine::evaluate_function: MmBackward0"), Some(Role::Autograd));
        assert_eq!(role_of("MmBackward"), Some(Role::Autograd), "PyTorch 1.8");
        assert_eq!(role_of("NativeBatchNormBackward0"), Some(Role::Autograd));
        for other in ["aten::mm", "Backward", "BackwardX", "aten::conv_backward", "loss.py(3): MyBackward", "nn.Module: FooBackward"] {
            assert_eq!(role_of(other), None, "{other}");
        }
    }
}
