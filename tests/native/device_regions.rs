//! Regions of a run: phases by what instructions are labelled with, from every source of both real runs.

use crate::device_bounds::sources;
use crate::neuron_parquet::text_table;
use crate::neuron_support::{Named, conformance, file, import_one, set};
use axonscope::analysis::device::bounds::evidence::evidence;
use axonscope::analysis::device::bounds::regions::regions;
use axonscope::analysis::device::bounds::{BoundsQuery, EvidenceQuery, GapKind, Regions, RegionsQuery, bounds};
use axonscope::analysis::device::explain;
use axonscope::analysis::explain::ExplainQuery;
use axonscope::base::{TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::formats::import;
use axonscope::model::Profile;

fn by(profile: &Profile, by: &str) -> Regions {
    regions(profile, &RegionsQuery { by: by.into(), ..RegionsQuery::default() })
}

fn has_choice(found: &Regions, id: &str) -> bool {
    found.choices.iter().any(|choice| choice.0 == id)
}

#[test]
fn parts_of_each_region_add_up_to_its_time() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("baseline_attention", "baseline"), ("fused_attention", "fused")] {
        for (source, files) in sources(&folder, run, stem) {
            let profile = import_one(&files).expect("it opens").profile;
            for (id, _) in by(&profile, "").choices {
                let found = by(&profile, &id);
                assert_eq!(found.by, id, "{run}, {source}");
                for region in &found.regions {
                    let sum: i64 = region.exclusive.iter().map(|e| e.time.0).sum();
                    assert_eq!(sum, region.time.0, "{run}, {source}, {id}, {}", region.name);
                    assert!(region.wall.duration() >= region.time && region.instructions > 0);
                }
            }
        }
    }
}

#[test]
fn functions_are_those_that_the_neff_names() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("baseline_attention", "baseline"), ("fused_attention", "fused")] {
        for (source, files) in sources(&folder, run, stem) {
            let profile = import_one(&files).expect("it opens").profile;
            let found = by(&profile, "function");
            let says_so = found.notes.iter().any(|note| note.starts_with("Regions by function need"));
            assert_eq!(has_choice(&found, "function"), !says_so, "{run}, {source}: {:?}", found.notes);
            if source != "NTFF and NEFF" {
                assert!(says_so, "{run}, {source}: no function is recorded there");
                continue;
            }
            let names: Vec<&str> = found.regions.iter().map(|r| r.name.as_str()).collect();
            assert_eq!(names, [run], "the one kernel");
            // Every instruction of the kernel, which are those that the compiler's own names are known of.
            let known = profile.attribute("tensorizer").expect("a NEFF").values.iter().filter(|id| !profile.strings.get(**id).is_empty());
            assert_eq!(found.regions[0].instructions, known.count() as u64, "{run}");
        }
    }
}

#[test]
fn functions_of_call_stacks_are_the_innermost() {
    let instructions = text_table(
        &["start_ts", "duration_ns", "engine", "opcode", "kernel_instruction_name", "stack_frame_ids", "pcore_idx"],
        &[
            &["0", "5", "Tensor", "MATMUL", "i:0", "", "0"],
            &["5", "5", "Vector", "COPY", "i:1", "", "0"],
            &["10", "5", "Tensor", "MATMUL", "i:0", "", "0"],
            &["15", "5", "Scalar", "ACTIVATE", "", "[3, 1]", "0"],
            &["20", "5", "Scalar", "ACTIVATE", "i:7", "[9]", "0"],
        ],
    );
    let files: Vec<Named> = vec![
        ("d/Instruction.parquet".into(), instructions),
        (
            "d/KernelInstructions.parquet".into(),
            text_table(
                &["kernel_instruction_name", "stack_frame_id", "pcore_idx"],
                &[&["i:0", "2", "0"], &["i:1", "1", "0"], &["i:1", "2", "1"]],
            ),
        ),
        (
            "d/KernelStackFrames.parquet".into(),
            text_table(
                &["stack_frame_id", "fully_qualified_function_name", "parent_stack_frame_id", "pcore_idx"],
                &[&["1", "k.outer", "", "0"], &["2", "k.inner", "1", "0"], &["2", "k.other", "1", "1"]],
            ),
        ),
        ("d/StackFrame.parquet".into(), text_table(&["id", "file_location_id", "parent_frame_id"], &[&["3", "8", "0"], &["1", "9", "0"]])),
        (
            "d/StackFrameFileLocation.parquet".into(),
            text_table(&["id", "file_name_id", "function_name_id", "line_number"], &[&["8", "1", "4", "12"]]),
        ),
        ("d/StackFrameFunctionName.parquet".into(), text_table(&["id", "name"], &[&["4", "forward"]])),
    ];
    let found = by(&import_one(&files).expect("opens").profile, "function");
    let recorded: Vec<(&str, i64, u64)> = found.regions.iter().map(|r| (r.name.as_str(), r.time.0, r.n_windows)).collect();
    assert_eq!(recorded, [("k.inner", 10, 2), ("forward", 5, 1), ("k.outer", 5, 1)]);
    assert!(found.notes.iter().all(|note| !note.contains("by function")), "{:?}", found.notes);
}

#[test]
fn answers_that_share_rows_are_those_of_the_profile_alone() {
    let Some(folder) = conformance() else { return };
    let files = [file(&folder, "fused_attention", "fused_exec_2_profile_full.json")];
    let (claim, outcome) = import::import(&set(&files)).expect("it opens").remove(0);
    let (imported, input) = outcome.expect("it opens");
    let session = Session::new(claim, input, imported);
    let profile = &session.profile;
    let half = Some(TimeRange { start: TimeNs(0), end: TimeNs(19_000) });
    let late = Some(TimeRange { start: TimeNs(19_000), end: TimeNs(30_000) });
    for range in [None, half, late, half, None] {
        let query = BoundsQuery { range, order: Vec::new() };
        assert_eq!(session.ask(&query).expect("bounds"), bounds(profile, &query), "{range:?}");
        for gap in GapKind::ALL {
            let query = EvidenceQuery { range, core: 0, gap };
            assert_eq!(session.ask(&query).expect("causes"), evidence(profile, &query), "{range:?}, {gap:?}");
        }
        let query = RegionsQuery { by: "opcode".into(), range, ..RegionsQuery::default() };
        assert_eq!(session.ask(&query).expect("regions"), regions(profile, &query), "{range:?}");
        let query = ExplainQuery { range, order: Vec::new() };
        let (shared, alone) = (session.ask(&query).expect("a part"), explain::part(profile, &query));
        assert_eq!(shared.units, alone.units, "{range:?}");
    }
}
