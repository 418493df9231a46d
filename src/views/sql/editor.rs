//! The field of a query: words are coloured behind it, names are completed below it.

use super::tokens::{self, KEYWORDS, Kind};
use leptos::{ev, html, prelude::*};

/// Names that are offered.
const MOST: usize = 8;
/// Functions of the page and of DuckDB that are offered.
const FUNCTIONS: [&str; 14] =
    ["avg", "busy", "coalesce", "count", "in_range", "list", "max", "median", "merged", "min", "nullif", "overlap", "quantile_cont", "sum"];

/// A name that fits what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What is put in.
    pub name: String,
    /// What it is: "table", "column of slice".
    pub what: String,
}

/// The word before a place, in bytes: where it begins.
fn word_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    at - before.chars().rev().take_while(is_word).map(char::len_utf8).sum::<usize>()
}

/// Names that begin like the word before `at`: tables, columns of the tables that the query names, functions, words of the language.
pub fn offers(text: &str, at: usize, tables: &[(String, Vec<String>)]) -> Vec<Offer> {
    let from = word_start(text, at);
    let typed = text.get(from..at).unwrap_or("").to_lowercase();
    let is_in_text =
        tokens::tokens(text).iter().any(|t| matches!(t.kind, Kind::Text | Kind::Comment) && t.at < at && at < t.at + t.text.len());
    if typed.is_empty() || typed.starts_with(|c: char| c.is_ascii_digit()) || is_in_text {
        return Vec::new();
    }
    // A word that is complete needs no other.
    let is_it = |name: &str| name.eq_ignore_ascii_case(&typed);
    let is_known =
        tables.iter().any(|t| is_it(&t.0) || t.1.iter().any(|c| is_it(c))) || KEYWORDS.iter().chain(&FUNCTIONS).any(|word| is_it(word));
    if is_known {
        return Vec::new();
    }
    let names = tokens::names(text);
    let is_named = |table: &str| names.iter().any(|n| n.eq_ignore_ascii_case(table));
    let any = tables.iter().any(|t| is_named(&t.0));
    let mut out: Vec<Offer> = Vec::new();
    let mut add = |name: &str, what: String| {
        let is_new = name.to_lowercase().starts_with(&typed) && name.len() > typed.len() && out.iter().all(|o| o.name != name);
        if is_new && out.len() < MOST {
            out.push(Offer { name: name.into(), what });
        }
    };
    for (table, columns) in tables.iter().filter(|t| !any || is_named(&t.0)) {
        columns.iter().for_each(|column| add(column, format!("column of {table}")));
    }
    tables.iter().for_each(|(table, _)| add(table, "table".into()));
    FUNCTIONS.iter().for_each(|name| add(name, "function".into()));
    KEYWORDS.iter().for_each(|word| add(word, "keyword".into()));
    out
}

/// The text with the word before `at` completed, and where the cursor is then.
fn completed(text: &str, at: usize, name: &str) -> (String, usize) {
    let from = word_start(text, at);
    let (before, after) = (text.get(..from).unwrap_or(""), text.get(at..).unwrap_or(""));
    (format!("{before}{name}{after}"), from + name.len())
}

/// Line and column of a place in bytes, both from 0.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or("");
    (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or("").chars().count())
}

/// A place counted as the browser does, in UTF-16 units, as bytes.
fn bytes_of(text: &str, units: usize) -> usize {
    let mut n = 0;
    for (at, c) in text.char_indices() {
        if n >= units {
            return at;
        }
        n += c.len_utf16();
    }
    text.len()
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Keyword => "sql__keyword",
        Kind::Text => "sql__text",
        Kind::Number => "sql__number",
        Kind::Comment => "sql__comment",
        Kind::Name | Kind::Quoted | Kind::Sign => "",
    }
}

/// The text with its words coloured; `wrong`: where an error is.
fn coloured(text: &str, wrong: Option<usize>) -> impl IntoView + use<> {
    let mut out: Vec<AnyView> = Vec::new();
    let mut at = 0;
    for token in tokens::tokens(text) {
        out.push(text[at..token.at].to_string().into_any());
        at = token.at + token.text.len();
        let is_wrong = wrong.is_some_and(|w| token.at <= w && w < at);
        let class = if is_wrong { "sql__wrong" } else { class(token.kind) };
        out.push(match class {
            "" => token.text.to_string().into_any(),
            class => view! { <span class=class>{token.text.to_string()}</span> }.into_any(),
        });
    }
    // An empty last line needs a height.
    out.push(format!("{}\n", &text[at..]).into_any());
    out
}

/// The field. Ctrl+Enter runs, Escape ends.
#[component]
pub fn Editor(
    /// The query.
    text: RwSignal<String>,
    /// Where an error is, in bytes.
    wrong: Signal<Option<usize>>,
    /// Tables and their columns.
    tables: Signal<Vec<(String, Vec<String>)>>,
    /// Runs the query.
    on_run: Callback<()>,
    /// Ends it.
    on_end: Callback<()>,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let behind = NodeRef::<html::Pre>::new();
    let found = RwSignal::new(Vec::<Offer>::new());
    let (chosen, set_chosen) = signal(0usize);
    // Below the word: line and column in the field, and how far that is scrolled, px.
    let (place, set_place) = signal((0usize, 0usize, 0i32));
    let cursor = move || {
        let units = field.get_untracked().and_then(|f| f.selection_start().ok().flatten()).unwrap_or(0);
        text.with_untracked(|t| bytes_of(t, units as usize))
    };
    let look = move || {
        let at = cursor();
        found.set(text.with_untracked(|t| tables.with_untracked(|tables| offers(t, at, tables))));
        set_chosen.set(0);
        let (line, column) = text.with_untracked(|t| line_and_column(t, word_start(t, at)));
        set_place.set((line, column, field.get_untracked().map_or(0, |f| f.scroll_top())));
    };
    let take = move |offer: Offer| {
        let (new, at) = text.with_untracked(|t| completed(t, cursor(), &offer.name));
        let units = new.get(..at).map_or(0, |before| before.encode_utf16().count()) as u32;
        text.set(new.clone());
        found.set(Vec::new());
        if let Some(field) = field.get_untracked() {
            field.set_value(&new);
            // A field that refuses keeps its cursor at the end.
            let _ = field.set_selection_range(units, units);
            let _ = field.focus();
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let offers = found.get_untracked();
        match event.key().as_str() {
            "Enter" if event.ctrl_key() || event.meta_key() => {
                found.set(Vec::new());
                on_run.run(());
            }
            "Escape" if offers.is_empty() => on_end.run(()),
            "Escape" => found.set(Vec::new()),
            "ArrowDown" if !offers.is_empty() => set_chosen.update(|n| *n = (*n + 1) % offers.len()),
            "ArrowUp" if !offers.is_empty() => set_chosen.update(|n| *n = (*n + offers.len() - 1) % offers.len()),
            "Tab" | "Enter" if !offers.is_empty() && !event.shift_key() => {
                if let Some(offer) = offers.get(chosen.get_untracked()).cloned() {
                    take(offer);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let on_scroll = move |_| {
        if let (Some(field), Some(behind)) = (field.get_untracked(), behind.get_untracked()) {
            behind.set_scroll_top(field.scroll_top());
            behind.set_scroll_left(field.scroll_left());
        }
    };
    let option = move |(at, offer): (usize, Offer)| {
        let taken = offer.clone();
        let on_down = move |event: ev::MouseEvent| {
            // The field keeps the focus.
            event.prevent_default();
            take(taken.clone());
        };
        view! {
            <li id=format!("sql-offer-{at}") role="option" aria-selected=move || (chosen.get() == at).to_string() on:mousedown=on_down>
                <span class="mono">{offer.name}</span>" "<span class="sql__what">{offer.what}</span>
            </li>
        }
    };
    let list = move || {
        let offers = found.get();
        (!offers.is_empty()).then(|| {
            let (line, column, scrolled) = place.get_untracked();
            let top = format!("{}px", 20 * (line as i32 + 1) + 12 - scrolled);
            let left = format!("min({column}ch + 10px, 60%)");
            let options = offers.into_iter().enumerate().map(option).collect_view();
            view! {
                <ul class="sql__offers" id="sql-offers" role="listbox" aria-label="Completions" style:top=top style:left=left>
                    {options}
                </ul>
            }
        })
    };
    view! {
        <div class="sql__editor">
            <pre class="sql__behind" aria-hidden="true" node_ref=behind>{move || coloured(&text.get(), wrong.get())}</pre>
            <textarea
                class="sql__field" data-sql-text="" aria-label="Query" spellcheck="false" autocapitalize="off" wrap="off" rows="8" aria-haspopup="listbox"
                aria-autocomplete="list" aria-controls=move || found.with(|f| (!f.is_empty()).then_some("sql-offers"))
                aria-activedescendant=move || found.with(|f| (!f.is_empty()).then(|| format!("sql-offer-{}", chosen.get())))
                node_ref=field prop:value=move || text.get() on:scroll=on_scroll on:keydown=on_key on:blur=move |_| found.set(Vec::new())
                on:input:target=move |e| {
                    text.set(e.target().value());
                    look();
                }
            ></textarea>
            {list}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_offered_by_their_beginning() {
        let tables = [("Instruction".to_string(), vec!["engine".to_string(), "end_ts".into()]), ("slice".into(), vec!["enough".into()])];
        let found = |text: &str| -> Vec<String> { offers(text, text.len(), &tables).into_iter().map(|o| o.name).collect() };
        assert_eq!(found("select En"), ["engine", "end_ts", "enough", "end"]);
        assert_eq!(found("from Instruction select en"), ["engine", "end_ts", "end"], "of a table that is named alone");
        assert_eq!(found("select * from Ins"), ["Instruction"]);
        assert_eq!(found("select 1 as a order by a desc"), [""; 0], "not `describe`");
        for text in ["", "select ", "select 'en", "select 1 -- en", "select 5e"] {
            let text = format!("{text}{}", if text.contains('\'') { "'" } else { " x" });
            assert!(offers(&text, text.len() - 1, &tables).is_empty() || text.contains("5e"), "{text}");
        }
        assert_eq!(completed("select eng from", 10, "engine"), ("select engine from".to_string(), 13));
        assert_eq!((bytes_of("ä𝄞b", 3), bytes_of("ab", 9)), (6, 2));
    }
}
