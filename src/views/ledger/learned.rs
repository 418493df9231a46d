//! Instruction words that are not decoded, with what the profiler's output of the same run says of them.

use super::agreement::of_one_run;
use crate::analysis::device::learned::{LearnedWord, is_opcode_name, names, sample};
use crate::base::text;
use crate::engine::query::{LearnQuery, UnknownWordsQuery};
use crate::ui::dom::save_text;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::ask::follow;
use crate::views::other_profile::OtherProfile;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The words of a trace that are not decoded, with their names and texts from the first of `others` that is the profiler's output of its run.
pub fn learned_words(own: Ask, others: Signal<Vec<OtherProfile>>) -> Signal<Vec<LearnedWord>> {
    let given = Signal::derive(move || Some(others.get()).filter(|all| !all.is_empty()));
    let found = follow(given, move |others: Vec<OtherProfile>| learn(own.clone(), others));
    Signal::derive(move || found.value.with(|all| all.as_ref().map(|all| all.as_ref().clone()).unwrap_or_default()))
}

async fn learn(own: Ask, others: Vec<OtherProfile>) -> Result<Vec<LearnedWord>, EngineError> {
    let words = own.ask(UnknownWordsQuery).await?;
    if words.is_empty() {
        return Ok(Vec::new());
    }
    for (other, _) in of_one_run(&own, others).await? {
        let learned = other.ask.ask(LearnQuery { words: words.clone() }).await?;
        if !learned.is_empty() {
            return Ok(learned);
        }
    }
    Ok(Vec::new())
}

/// Names of opcodes that the words give, by number.
pub fn learned_names(words: &[LearnedWord]) -> BTreeMap<u8, String> {
    names(words)
}

/// Names as they were kept, without what is none.
pub fn known_names(text: &str) -> Vec<(u8, String)> {
    let mut all: Vec<(u8, String)> = serde_json::from_str(text).unwrap_or_default();
    all.retain(|(_, name)| is_opcode_name(name));
    all
}

/// Names for keeping.
pub fn names_text(all: &[(u8, String)]) -> String {
    serde_json::to_string(all).unwrap_or_default()
}

fn columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("engine", "Engine", Kind::Name, ""),
        column("pc", "Address", Kind::Number, "Program counter of the word, or of the first of equal ones."),
        column("code", "Opcode in the trace", Kind::Text, "By name or by number."),
        column("refused", "Not decoded because", Kind::Text, "").wide(),
        column("opcode", "Opcode in the profiler's output", Kind::Text, ""),
        column("operands", "Operands in the profiler's output", Kind::Text, "").wide(),
    ]
}

fn rows(words: &[LearnedWord]) -> Vec<Row> {
    let row = |w: &LearnedWord| {
        let text = |text: &str| Cell::Text(text.into());
        let found = &w.word;
        Row::new(vec![
            text(&found.engine),
            Cell::Int(found.pc.into()),
            text(&found.opcode),
            text(&found.refused),
            text(&w.opcode),
            text(&w.operands),
        ])
    };
    words.iter().map(row).collect()
}

/// The learned names in a sentence.
fn sentence(known: &[(u8, String)]) -> String {
    let names: Vec<String> = known.iter().map(|(code, name)| format!("{code:#04x} {name}")).collect();
    let n = text::counted(known.len() as u64, "opcode");
    format!(
        "This browser learned the names of {n} from the profiler's output: {}. They are marked as learned wherever they are shown.",
        names.join(", ")
    )
}

/// Words with what was learned of them; absent where nothing was.
#[component]
pub fn LearnedWords(
    /// Of the profile in front.
    words: Signal<Vec<LearnedWord>>,
    /// Names that the browser keeps.
    known: Signal<Vec<(u8, String)>>,
    /// Forget these.
    on_forget: Callback<()>,
) -> impl IntoView {
    let save = move |_| save_text("instruction-words.json", "application/json", &words.with(|w| sample(w)));
    let table_rows = Signal::derive(move || Arc::new(words.with(|w| rows(w))));
    view! {
        <Show when=move || known.with(|k| !k.is_empty()) || words.with(|w| !w.is_empty())>
            <section data-part="learned">
                <h2>"Instruction words that are not decoded"</h2>
                <Show when=move || known.with(|k| !k.is_empty())>
                    <p>{move || known.with(|k| sentence(k))}</p>
                    <button type="button" class="button" data-forget on:click=move |_| on_forget.run(())>"Forget learned names"</button>
                </Show>
                <Show when=move || words.with(|w| !w.is_empty())>
                    <p>"The profiler's output of this run has names and operands for them. The sample holds these words and texts, no data, for a bug report."</p>
                    <button type="button" class="button" data-save-sample on:click=save>"Save sample"</button>
                    <Table id="learned-words" label="Words that are not decoded" columns=Signal::stored(Arc::new(columns())) rows=table_rows empty="Every executed word is decoded." />
                </Show>
            </section>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::learned::UnknownWord;

    #[test]
    fn rows_fit_their_columns() {
        let word = UnknownWord { engine: "Vector".into(), pc: 3, opcode: "opcode 0x41".into(), ..UnknownWord::default() };
        let found = rows(&[LearnedWord { word, opcode: "TENSOR_TENSOR".into(), operands: "op=ADD".into() }]);
        assert_eq!(found[0].cells.len(), columns().len());
        let known = vec![(0x41, "TENSOR_TENSOR".to_string())];
        assert_eq!(known_names(&names_text(&known)), known);
        assert!(known_names("[[65,\"<b>\"],[300,\"A1\"]]").is_empty() && known_names("").is_empty());
        let sentence = sentence(&[(0x41, "TENSOR_TENSOR".into())]);
        assert!(sentence.contains("1 opcode from") && sentence.contains("0x41 TENSOR_TENSOR"), "{sentence}");
    }
}
