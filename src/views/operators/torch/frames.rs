//! Frames of a call stack: to be copied as `file:line`, or opened in an editor.

use crate::ui::dom;
use leptos::prelude::*;

/// Where the folder that paths are relative to is kept in the browser.
const ROOT_KEY: &str = "axonscope.source_root";

/// A frame taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Path of the file; empty when the frame names none.
    pub path: String,
    /// Line.
    pub line: Option<u32>,
    /// Function, or the whole text of a frame of another form.
    pub function: String,
}

/// Reads `path(line): function`.
pub fn frame(text: &str) -> Frame {
    let other = || Frame { path: String::new(), line: None, function: text.trim().into() };
    let Some((place, function)) = text.split_once("): ") else { return other() };
    let Some((path, line)) = place.rsplit_once('(') else { return other() };
    match line.trim().parse() {
        Ok(line) if !path.trim().is_empty() => Frame { path: path.trim().into(), line: Some(line), function: function.trim().into() },
        _ => other(),
    }
}

impl Frame {
    /// `file:line`, as editors and compilers write it.
    pub fn place(&self) -> String {
        self.line.map_or_else(|| self.path.clone(), |line| format!("{}:{line}", self.path))
    }

    /// The address that opens it in the editor; `root` comes before a path that is not absolute. `None` without a path.
    pub fn address(&self, root: &str) -> Option<String> {
        if self.path.is_empty() {
            return None;
        }
        let path = self.path.replace('\\', "/");
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        let whole = if is_absolute { path } else { format!("{}/{path}", root.trim().replace('\\', "/").trim_end_matches('/')) };
        let line = self.line.map(|l| format!(":{l}")).unwrap_or_default();
        Some(format!("vscode://file/{}{line}", encode(whole.trim_start_matches('/'))))
    }
}

fn encode(path: &str) -> String {
    let byte = |b: u8| match b {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b':' => (b as char).to_string(),
        b => format!("%{b:02X}"),
    };
    path.bytes().map(byte).collect()
}

/// The folder that paths are relative to, as the user has set it; empty at first.
pub fn source_root() -> RwSignal<String> {
    let storage = window().local_storage().ok().flatten();
    let stored = storage.and_then(|s| s.get_item(ROOT_KEY).ok().flatten()).unwrap_or_default();
    RwSignal::new(stored)
}

/// Keeps the folder.
pub fn keep_root(root: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        // A full or forbidden storage forgets it with the page: the field still works.
        let _ = if root.is_empty() { storage.remove_item(ROOT_KEY) } else { storage.set_item(ROOT_KEY, root) };
    }
}

/// A frame with its two ways out.
#[component]
pub fn FrameLine(
    /// As the trace has it.
    text: String,
    /// The folder that paths are relative to.
    root: RwSignal<String>,
) -> impl IntoView {
    let frame = frame(&text);
    let (is_done, set_done) = signal(false);
    let place = frame.place();
    let copy = move |_| {
        dom::copy_text(&place);
        set_done.set(true);
        let undo = move || {
            let _ = set_done.try_set(false);
        };
        set_timeout(undo, std::time::Duration::from_millis(1200));
    };
    let has_place = !frame.path.is_empty();
    let (shown, function) = (frame.place(), frame.function.clone());
    let address = move || frame.address(&root.get());
    let ways = has_place.then(|| {
        view! {
            <span class="frame__ways">
                <button type="button" class="link" data-frame="copy" on:click=copy>{move || if is_done.get() { "copied" } else { "copy" }}</button>
                <a data-frame="open" title="Open in Visual Studio Code" href=address>"open"</a>
            </span>
        }
    });
    view! {
        <li class="frame">
            <span class="frame__function mono">{function}</span>
            {ways}
            {has_place.then(|| view! { <span class="frame__place mono" title=text.clone()>{shown}</span> })}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_apart() {
        let found = frame("torch/nn/modules/conv.py(446): _conv_forward");
        assert_eq!((found.place().as_str(), found.function.as_str()), ("torch/nn/modules/conv.py:446", "_conv_forward"));
        let odd = frame("a (copy)/x(1).py(7): <module>");
        assert_eq!((odd.path.as_str(), odd.line), ("a (copy)/x(1).py", Some(7)));
        for other in ["<built-in method conv2d>", "nn.Module: Conv2d_0", "(3): f", "x(y): f", ""] {
            let found = frame(other);
            assert_eq!((found.path.as_str(), found.function.as_str()), ("", other));
            assert_eq!(found.address("/src"), None);
        }
    }

    #[test]
    fn addresses_name_file_and_line() {
        let at = |text: &str, root: &str| frame(text).address(root).unwrap();
        assert_eq!(at("/opt/a b/x.py(3): f", "/ignored"), "vscode://file/opt/a%20b/x.py:3");
        assert_eq!(at("pkg/x.py(3): f", "/src/"), "vscode://file/src/pkg/x.py:3");
        assert_eq!(at("C:\\p\\x.py(3): f", ""), "vscode://file/C:/p/x.py:3");
        assert_eq!(at("x#?.py(3): f", "/s"), "vscode://file/s/x%23%3F.py:3");
    }
}
