//! The class of an event, by its category.

/// The kind of event of a category, as needed to choose a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A kernel, copy or set.
    Device,
    /// An operator or a range of the user's, on a thread.
    Host,
    /// A Python function or module.
    Python,
    /// Anything else.
    Other,
}

/// The class of a category, in any case of letters.
pub(super) fn class_of(cat: &[u8]) -> Class {
    match &*cat.to_ascii_lowercase() {
        b"kernel" | b"gpu_memcpy" | b"gpu_memset" | b"memcpy" | b"memset" => Class::Device,
        b"cpu_op" | b"operator" | b"user_annotation" => Class::Host,
        b"python_function" => Class::Python,
        _ => Class::Other,
    }
}
