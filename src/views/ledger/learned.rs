//! Undecoded instruction words, with their text in the profiler's output of the same run.

use super::agreement::of_one_run;
pub use crate::analysis::device::instructions::learned::LearnedNames;
use crate::analysis::device::instructions::learned::{LearnedCode, LearnedWord, is_code_name, is_opcode_name, names, sample};
use crate::base::text;
use crate::engine::query::{LearnQuery, LearnedCodesQuery, UnknownWordsQuery};
use crate::ui::dom::save_text;
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::other_profile::OtherProfile;
use crate::views::query::follow;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// Text of undecoded words in the profiler's output of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// The words with names and texts.
    pub words: Vec<LearnedWord>,
    /// Codes of operands that follow from them.
    pub codes: Vec<LearnedCode>,
}

/// The words of a trace that are not decoded, with their names and texts from the first of `others` that is the profiler's output of its run.
pub fn learned_words(own: Ask, others: Signal<Vec<OtherProfile>>) -> Signal<Learned> {
    let given = Signal::derive(move || Some(others.get()).filter(|all| !all.is_empty()));
    let found = follow(given, move |others: Vec<OtherProfile>| learn(own.clone(), others));
    Signal::derive(move || found.value.with(|all| all.as_ref().map(|all| all.as_ref().clone()).unwrap_or_default()))
}

async fn learn(own: Ask, others: Vec<OtherProfile>) -> Result<Learned, EngineError> {
    let unknown = own.ask(UnknownWordsQuery).await?;
    if unknown.is_empty() {
        return Ok(Learned::default());
    }
    for (other, _) in of_one_run(&own, others).await? {
        let words = other.ask.ask(LearnQuery { words: unknown.clone() }).await?;
        if !words.is_empty() {
            let codes = own.ask(LearnedCodesQuery { words: words.clone() }).await?;
            return Ok(Learned { words, codes });
        }
    }
    Ok(Learned::default())
}

/// Known names with the found ones added; found names replace known ones of the same opcode or code.
pub fn with_new(mut known: LearnedNames, found: &Learned) -> LearnedNames {
    let new = names(&found.words);
    known.opcodes.retain(|(code, _)| !new.contains_key(code));
    known.opcodes.extend(new);
    known.opcodes.sort();
    known.codes.retain(|k| found.codes.iter().all(|c| (&c.field, c.code) != (&k.field, k.code)));
    known.codes.extend(found.codes.iter().cloned());
    known.codes.sort();
    known
}

/// The stored names without invalid ones.
pub fn known_names(text: &str) -> LearnedNames {
    let mut all: LearnedNames = serde_json::from_str(text).unwrap_or_default();
    all.opcodes.retain(|(_, name)| is_opcode_name(name));
    all.codes.retain(|code| is_code_name(&code.name));
    all
}

/// Names for keeping.
pub fn names_text(all: &LearnedNames) -> String {
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
fn sentence(known: &LearnedNames) -> String {
    let opcodes = known.opcodes.iter().map(|(code, name)| format!("{code:#04x} {name}"));
    let codes = known.codes.iter().map(|c| format!("{} {:#04x} {}", c.field, c.code, c.name));
    let names: Vec<String> = opcodes.chain(codes).collect();
    let counts = [(known.opcodes.len(), "opcode"), (known.codes.len(), "operand code")];
    let counts: Vec<String> = counts.iter().filter(|c| c.0 > 0).map(|(n, what)| text::counted(*n as u64, what)).collect();
    format!(
        "This browser learned the names of {} from the profiler's output: {}. They are marked as learned wherever they are shown.",
        counts.join(" and "),
        names.join(", ")
    )
}

/// What the words give beyond names of opcodes.
fn codes_sentence(codes: &[LearnedCode]) -> String {
    let names: Vec<String> = codes.iter().map(|c| format!("{} {:#04x} = {}", c.field, c.code, c.name)).collect();
    format!(
        "Learned from these texts: {}. Traces that are opened from now on are decoded with them: open this trace again.",
        names.join(", ")
    )
}

/// Words with learned names; absent without any.
#[component]
pub fn LearnedWords(
    /// What was learned from the profile in front.
    found: Signal<Learned>,
    /// Names that the browser keeps.
    known: Signal<LearnedNames>,
    /// Forget these.
    on_forget: Callback<()>,
) -> impl IntoView {
    let save = move |_| save_text("instruction-words.json", "application/json", &found.with(|f| sample(&f.words, &f.codes)));
    let table_rows = Signal::derive(move || Arc::new(found.with(|f| rows(&f.words))));
    let has_words = move || found.with(|f| !f.words.is_empty());
    view! {
        <Show when=move || known.with(|k| !k.is_empty()) || has_words()>
            <section data-part="learned">
                <h2>"Instruction words that are not decoded"</h2>
                <Show when=move || known.with(|k| !k.is_empty())>
                    <p>{move || known.with(sentence)}</p>
                    <button type="button" class="button" data-forget on:click=move |_| on_forget.run(())>"Forget learned names"</button>
                </Show>
                <Show when=has_words>
                    <p>"The profiler's output of this run has names and operands for them. The sample holds these words and texts, no data, for a bug report."</p>
                    <Show when=move || found.with(|f| !f.codes.is_empty())>
                        <p data-learned-codes>{move || found.with(|f| codes_sentence(&f.codes))}</p>
                    </Show>
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
    use crate::analysis::device::instructions::learned::UnknownWord;

    fn code(code: u8, name: &str) -> LearnedCode {
        LearnedCode { field: "data type".into(), code, name: name.into() }
    }

    #[test]
    fn rows_fit_their_columns() {
        let word = UnknownWord { engine: "Vector".into(), pc: 3, opcode: "opcode 0x41".into(), ..UnknownWord::default() };
        let words = vec![LearnedWord { word, opcode: "TENSOR_TENSOR".into(), operands: "op=ADD".into() }];
        assert_eq!(rows(&words)[0].cells.len(), columns().len());
        let old = LearnedNames { opcodes: vec![(0x41, "OTHER".into()), (0x99, "NINE".into())], codes: vec![code(11, "fp8_e3m4")] };
        let all = with_new(old, &Learned { words, codes: vec![code(11, "fp8_e4m3")] });
        assert_eq!(all.opcodes, [(0x41, "TENSOR_TENSOR".to_string()), (0x99, "NINE".to_string())]);
        assert_eq!(all.codes, [code(11, "fp8_e4m3")]);
        assert_eq!(known_names(&names_text(&all)), all);
        let odd = LearnedNames { opcodes: vec![(65, "<b>".into())], codes: vec![code(1, "<b>")] };
        assert!(known_names(&names_text(&odd)).is_empty() && known_names("").is_empty() && known_names("[[300,\"A1\"]]").is_empty());
        let sentence = sentence(&all);
        assert!(sentence.contains("2 opcodes and 1 operand code from") && sentence.contains("data type 0x0b fp8_e4m3"), "{sentence}");
        assert!(codes_sentence(&all.codes).contains("data type 0x0b = fp8_e4m3"));
    }
}
