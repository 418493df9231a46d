//! C++ function names, shortened at the front, which is the least specific part. Uses only their grammar, as compilers print it.
//!
//! Return type, namespaces and argument list go; template arguments that are long themselves are written as what is innermost in them, and the last
//! ones give way to an ellipsis. All other names stay as they are: operators (`aten::mm`), ranges, calls, file names.

use std::borrow::Cow;

/// A name with template arguments is shortened further from here on, characters.
const LONG: usize = 64;
/// A template argument longer than this is written as what is innermost in it, characters.
const LONG_ARGUMENT: usize = 24;
/// Longer names are read no further, bytes.
const READ: usize = 8192;
/// Deeper templates are not shortened.
const DEEPEST: u32 = 12;

/// The name for reading: never empty unless `name` is, and never longer. Where it differs, the page has the full name beside it.
pub fn short_name(name: &str) -> Cow<'_, str> {
    if !is_signature(name) {
        return Cow::Borrowed(name);
    }
    let end = (0..=name.len().min(READ)).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    // What separates no parts.
    let plain = name[..end].replace("(anonymous namespace)::", "").replace("<unnamed>::", "").replace(" const::", "::");
    let short = function(signature(&plain));
    if short.is_empty() || short.len() >= name.len() { Cow::Borrowed(name) } else { Cow::Owned(short) }
}

/// Whether a name is that of a C++ function with its arguments. Operators and ranges of programs have parentheses too.
fn is_signature(name: &str) -> bool {
    let has_types = || name.contains("::") || name.contains('<') || name.contains('*') || name.contains('&');
    if name.starts_with("void ") {
        return true;
    }
    let head = name.split(['<', '(']).next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | ' ' | '~' | '*' | '&');
    // `Memcpy HtoD (Pageable -> Device)`: a space before what is in parentheses.
    let is_head = head.len() < name.len() && head.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && head.chars().all(is_name);
    is_head && has_types() && (!head.ends_with(' ') || name.contains("::(anonymous")) && name.ends_with([')', '>', ']', 't', '…', '.'])
}

/// A part between brackets of any kind, or outside them.
fn depths(text: &str) -> impl Iterator<Item = (usize, u8, i32)> {
    let mut depth = 0i32;
    let mut before = 0u8;
    text.bytes().enumerate().map(move |(at, byte)| {
        // The arrow of a return type closes nothing.
        let is_arrow = byte == b'>' && before == b'-';
        before = byte;
        match byte {
            b'<' | b'(' | b'{' | b'[' => {
                depth += 1;
                (at, byte, depth - 1)
            }
            b'>' | b')' | b'}' | b']' if !is_arrow => {
                depth = (depth - 1).max(0);
                (at, byte, depth)
            }
            _ => (at, byte, depth),
        }
    })
}

/// `text` cut at each `byte` outside brackets.
fn cut(text: &str, byte: u8) -> impl Iterator<Item = &str> {
    let ends = depths(text).filter(move |(_, b, depth)| *b == byte && *depth == 0).map(|(at, ..)| at);
    let mut from = 0;
    ends.chain([text.len()]).map(move |at| {
        let part = text.get(from..at).unwrap_or_default();
        from = at + 1;
        part.trim()
    })
}

/// The qualified name of a function, with its arguments: without return type, and what follows the arguments.
fn signature(text: &str) -> &str {
    let mut parts = cut(text, b' ').filter(|part| !part.is_empty() && !matches!(*part, "const" | "static" | "inline"));
    let first = parts.next().unwrap_or_default();
    // `[clone.kd]` and the like are behind the arguments.
    parts.filter(|part| !part.starts_with('[')).last().unwrap_or(first)
}

/// The parts of a qualified name.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    cut(text, b':').filter(|part| !part.is_empty())
}

/// The most specific part of a qualified name: the last one that is neither a lambda nor the operator that calls it.
fn specific_part(text: &str) -> &str {
    let says_little = |part: &&str| part.starts_with('{') || part.starts_with("operator") || matches!(*part, "type" | "value" | "Params");
    parts(text).filter(|part| !says_little(part)).last().or_else(|| parts(text).last()).unwrap_or(text)
}

/// The types of a lambda's arguments at the end of a qualified name: what an instance of a templated kernel works at.
fn lambda_types(text: &str) -> Option<String> {
    let lambda = parts(text).last()?.strip_prefix("{lambda(")?;
    let (types, _) = lambda.rsplit_once(')')?;
    let types: Vec<String> = cut(types, b',').map(plain_type).collect();
    let text = types.join(", ");
    (!text.is_empty() && text.len() <= LONG_ARGUMENT).then_some(text)
}

/// Identifier and template arguments of a part.
fn template(part: &str) -> (&str, Option<&str>) {
    let end = part.find(['<', '(']).unwrap_or(part.len());
    let (name, rest) = part.split_at(end);
    let inner = rest.strip_prefix('<').map(|inner| {
        let close = depths(rest).skip(1).find(|(_, byte, depth)| *byte == b'>' && *depth == 0).map_or(rest.len(), |(at, ..)| at);
        inner.get(..close.saturating_sub(1)).unwrap_or(inner)
    });
    (name, inner)
}

/// A type or value without namespaces, in full.
fn simple(text: &str, depth: u32) -> String {
    if depth > DEEPEST {
        return text.into();
    }
    // `(cudnnDataType_t)0`: only the value is kept.
    let text =
        text.strip_prefix('(').and_then(|t| t.split_once(')')).map_or(text, |(_, value)| if value.is_empty() { text } else { value });
    // `float const*` is `float*`.
    let bare = |word: &'_ str| word.strip_prefix("const").filter(|rest| rest.starts_with(['*', '&'])).map_or(word.len(), str::len);
    let words = cut(text, b' ').map(|word| &word[word.len() - bare(word)..]);
    let words = words.filter(|word| !word.is_empty() && !matches!(*word, "const" | "volatile"));
    let word = |word: &str| {
        let part = specific_part(word);
        let (name, inner) = template(part);
        let stars: String = word.chars().rev().take_while(|c| matches!(c, '*' | '&')).collect();
        match inner {
            Some(inner) => {
                let inner: Vec<String> = cut(inner, b',').map(|argument| simple(argument, depth + 1)).collect();
                format!("{name}<{}>{stars}", inner.join(", "))
            }
            None if name.is_empty() => part.to_string(),
            None => format!("{}{}", name, if name.ends_with(['*', '&']) { "" } else { &stars }),
        }
    };
    words.map(word).collect::<Vec<_>>().join(" ").replace(" *", "*").replace(" &", "&")
}

fn plain_type(text: &str) -> String {
    simple(text, 0)
}

/// What is innermost in a type: the first named thing of its first argument that has one, and so on.
fn innermost(text: &str, depth: u32) -> String {
    let part = specific_part(text);
    let (name, inner) = template(part);
    let is_named = |argument: &&str| argument.contains(['<', '{']) || argument.contains("::") && argument.contains('(');
    if let Some(deeper) = inner.and_then(|inner| cut(inner, b',').find(is_named)).filter(|_| depth < DEEPEST) {
        return innermost(deeper, depth + 1);
    }
    match lambda_types(text) {
        Some(types) => format!("{name}({types})"),
        None => simple(part.split('(').next().unwrap_or(part), 0),
    }
}

/// A function's name with as many of its template arguments as have room.
fn function(text: &str) -> String {
    let (name, inner) = template(specific_part(text));
    let Some(inner) = inner else { return name.into() };
    let with = |arguments: &[String]| format!("{name}<{}>", arguments.join(", "));
    let is_long = |text: &str| text.chars().count() > LONG;
    let mut arguments: Vec<String> = cut(inner, b',').map(|argument| simple(argument, 0)).collect();
    let mut first_specific = None;
    if is_long(&with(&arguments)) {
        for (at, text) in cut(inner, b',').enumerate().take(arguments.len()) {
            if arguments[at].chars().count() > LONG_ARGUMENT || text.contains("{lambda(") {
                arguments[at] = innermost(text, 0);
                first_specific = first_specific.or(Some(at));
            }
        }
    }
    // The last arguments are dropped first, but not the first long one, which distinguishes two kernels.
    let mut n_shown = arguments.len();
    while is_long(&with(&arguments)) && n_shown > 1 + first_specific.unwrap_or(0) {
        n_shown -= 1;
        arguments.truncate(n_shown);
        arguments.push("…".into());
    }
    with(&arguments)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_shortened() {
        let table = [
            (
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 9>(float*, float const*, int)",
                "softmax_warp_forward<float, float, float, 9>",
            ),
            (
                "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3>(float*)",
                "CatArrayBatchedCopy<float, unsigned int, 3>",
            ),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
                "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, …>",
            ),
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
                "elementwise_kernel<128, 2, MulFunctor<float>>",
            ),
            (
                "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
                "elementwise_kernel<128, 4, direct_copy_kernel_cuda(BFloat16)>",
            ),
            (
                "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, true>(P<int>)",
                "kernel<int, int, float, true>",
            ),
            ("void cudnn::ops::nchwToNhwcKernel<__half, __half const*, (cudnnDataType_t)2>(int)", "nchwToNhwcKernel<__half, __half*, 2>"),
            ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic"),
            ("void cask::computeOffsetsKernel<false, false>(cask::ComputeOffsetsParams)", "computeOffsetsKernel<false, false>"),
            ("void f<a>(b) [clone .kd]", "f<a>"),
        ];
        for (name, want) in table {
            assert_eq!(short_name(name), want);
        }
    }

    #[test]
    fn other_names_stay() {
        let names = [
            "aten::mm",
            "autograd::engine::evaluate_function: AddmmBackward0",
            "Memcpy HtoD (Pageable -> Device)",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "train.py(12): <lambda>",
            "<built-in method relu of type object at 0x7f>",
            "nn.Module: Linear_0",
            "volta_sgemm_64x64_nn",
            "forward(batch)",
            "step [warmup] (a::b)",
            "",
            "::",
        ];
        names.iter().for_each(|name| assert_eq!(short_name(name), *name));
    }

    #[test]
    fn odd_names_are_never_empty_or_longer() {
        let deep = format!("void f{}", "<a".repeat(5000));
        let closed = format!("void f{}", ">".repeat(5000));
        for name in [
            "void ",
            "void (",
            "void f<",
            "a::b<>()",
            "void <>(int)",
            "void ü::ö<ä>(é*)",
            "f<(a::b>)",
            "void f(int)::{lambda()#1}",
            &deep,
            &closed,
        ] {
            let short = short_name(name);
            assert!(!short.is_empty() && short.len() <= name.len(), "{name}: {short}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_name_keeps_something(name in "[a-z<>(){}:, *&#-]{1,60}") {
            let short = short_name(&name);
            proptest::prop_assert!(!short.is_empty() && short.len() <= name.len());
        }
    }
}
