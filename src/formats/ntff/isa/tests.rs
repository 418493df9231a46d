//! Words written here: what each verified opcode prints, and what is refused.

use super::counters::{Memory, counters};
use super::decode::decode;
use super::layout::LAYOUTS;
use super::program::{CorePrograms, Functions, Program};
use super::text::{Names, text};
use super::word::WORD_BYTES;
use crate::formats::ntff::info::{Patch, Queue, Subgraph};
use proptest::prelude::*;
use std::rc::Rc;

struct Plain;

impl Names for Plain {
    fn is_runtime(&self) -> bool {
        false
    }

    fn owner(&self, semaphore: u8) -> &str {
        if semaphore == 5 { "Tensor" } else { "" }
    }

    fn function(&self, id: u8) -> Option<&str> {
        (id == 7).then_some("EXP")
    }
}

/// A word with these bytes: (offset, bytes).
fn word(opcode: u8, fields: &[(usize, &[u8])]) -> [u8; WORD_BYTES] {
    let mut out = [0; WORD_BYTES];
    (out[0], out[1]) = (opcode, 0x10);
    for (at, bytes) in fields {
        out[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    out
}

/// An access pattern of three or four dimensions.
fn pattern(address: u32, steps: &[i16], counts: &[u16]) -> Vec<u8> {
    let steps = steps.iter().flat_map(|s| s.to_le_bytes());
    address.to_le_bytes().into_iter().chain(steps).chain(counts.iter().flat_map(|c| c.to_le_bytes())).collect()
}

fn transfer_end(place: u64, steps: [i32; 2], counts: [u16; 2], element_bytes: u16) -> Vec<u8> {
    let steps = steps.iter().flat_map(|s| s.to_le_bytes());
    let counts = counts.iter().flat_map(|c| c.to_le_bytes());
    place.to_le_bytes().into_iter().chain(steps).chain(counts).chain(element_bytes.to_le_bytes()).collect()
}

fn check(word: [u8; WORD_BYTES], want: &str) {
    match decode(&word) {
        Ok(instruction) => assert_eq!(text(&instruction, &Plain), want),
        Err(refused) => panic!("{want}: {refused}"),
    }
}

#[test]
fn products_and_their_weights() {
    let source = pattern(0x3_6500, &[1, 0, 0], &[512, 1, 1]);
    let result = pattern(0x200_3800, &[1, 0, 0], &[512, 1, 1]);
    let common: [(usize, &[u8]); 5] = [(0x20, &[10]), (0x21, &[3]), (0x26, &[128, 64]), (0x2C, &[15, 15]), (0x10, &source)];
    let product = word(0x02, &[&common[..], &[(0x30, &result), (0x2B, &[2]), (4, &[5, 5, 0x13, 9, 4])]].concat());
    let want = "S[5] (Tensor)>=4 S[9]++@complete acc_flags=2 fp32_mode=LOW_HIGH src=fp32@0x36500[1,0,0][512,1,1] dst=0x2003800[1,0,0][512,1,1] 128*64 ";
    check(product, want);
    let weights = word(0x01, &[&common[..], &[(0x21, &[0]), (0x22, &[1])]].concat());
    check(weights, " transpose_mode=ENABLED src=fp32@0x36500[1,0,0][512,1,1] 128*64 ");
    let product = decode(&product).expect("verified");
    let of = counters(&product, &|_, _| None);
    assert_eq!((of.elements, of.sbuf_read, of.psum_write, of.sbuf_write), (Some(512 * 128 * 64), Some(2048), Some(2048), None));
    assert!(!product.is_transpose && decode(&weights).expect("verified").is_transpose);
}

#[test]
fn instructions_of_vector_and_scalar() {
    let (psum, sbuf) = (pattern(0x200_2000, &[1, 1, 1, 1], &[512, 1, 1, 1]), pattern(0x4800, &[1, 1, 1, 1], &[512, 1, 1, 1]));
    let types: (usize, &[u8]) = (0x20, &[10, 6, 128]);
    for opcode in [0x46, 0x47, 0x48] {
        let moved = word(opcode, &[(0x0C, &psum), (0x2C, &sbuf), types]);
        check(moved, " src=fp32@0x2002000[1,1,1,1][512,1,1,1] dst=bfloat16@0x4800[1,1,1,1][512,1,1,1] channels=128 ");
        let of = counters(&decode(&moved).expect("verified"), &|_, _| None);
        assert_eq!((of.psum_read, of.sbuf_write, of.psum_to_sbuf, of.sbuf_read), (Some(2048), Some(1024), Some(1024), None));
    }
    let reduced = [(0x0C, &psum[..]), (0x2C, &sbuf), types, (0x24, &[8, 2]), (0x23, &[1])];
    check(
        word(0x42, &reduced),
        " op=MAX dim=X negated=1 src=fp32@0x2002000[1,1,1,1][512,1,1,1] dst=bfloat16@0x4800[1,1,1,1][512,1,1,1] channels=128 ",
    );
    let (psum, sbuf) = (pattern(0x200_2000, &[1, 1, 1], &[512, 1, 1]), pattern(0x4820, &[1, 1, 1], &[512, 1, 1]));
    let activated: [(usize, &[u8]); 7] = [
        (0x10, &psum),
        (0x30, &sbuf),
        (0x20, &[0xAA, 10, 128, 7]),
        (0x24, &1.0f32.to_le_bytes()),
        (0x28, &0x4810u32.to_le_bytes()),
        (0x2C, &(-0.5f32).to_le_bytes()),
        (4, &[0, 0, 0x13, 5]),
    ];
    let want = "S[5] (Tensor)++@complete EXP bias_ptr=fp32@0x4810 src=fp32@0x2002000[1,1,1][512,1,1] dst=fp32@0x4820[1,1,1][512,1,1] channels=128 scale=1.000000 imm=-0.500000 accumulator_cmd=IDLE";
    check(word(0x21, &activated), want);
    let other = word(0x21, &[&activated[..], &[(0x23, &[6])]].concat());
    check(other, &want.replace("EXP", "function 6"));
    let scaled: [(usize, &[u8]); 5] =
        [(0x10, &psum), (0x30, &sbuf), (0x20, &[10, 10, 128, 1]), (0x24, &[6, 0]), (0x28, &0x6840u32.to_le_bytes())];
    let want = " ops=MULTIPLY,BYPASS imm=0x6840,0 imm_src=PTR,INSTRUCTION src=fp32@0x2002000[1,1,1][512,1,1] dst=fp32@0x4820[1,1,1][512,1,1] channels=128 ";
    check(word(0x43, &scaled), want);
    check(word(0x23, &[(0x0C, &[3])]), " table_sel=3 ");
}

#[test]
fn control_instructions() {
    check(word(0xA0, &[(0x20, &[1, 2, 0x15, 3, 4, 0, 0, 0, 6])]), " setter=0 S[2]==4 S[3]+=6@complete ");
    check(word(0xA0, &[(0x20, &[0, 0, 0x19, 3])]), " setter=0  S[3]=0@complete ");
    check(word(0xA0, &[(0x20, &[5, 5, 0x14, 3])]), " setter=0 S[5] (Tensor)>=0 S[3]--@complete ");
    check(word(0xA2, &[(0x28, &[1])]), " ");
    check(word(0xA4, &[(0x0C, &[9]), (4, &[7, 4, 0x11, 2])]), "E[4]==1- E[2]+@complete cycle=9 ");
    let one = word(0xA5, &[(0x0C, &[4]), (0x10, &[1, 2]), (0x20, &[3])]);
    check(one, " data=0x3 size=4 dst=0x201 ");
    check(word(0xA5, &[(0x0C, &[4, 4]), (0x10, &[1, 2]), (0x18, &[7]), (0x20, &[3])]), " data=0x3,0x0 size=4,4 dst=0x201,0x7 ");
    check(word(0xA6, &[(2, &[9]), (0x24, &[8]), (0x27, &[1])]), "  hint=8 notification=EXPLICIT  trace=START ");
    let branch = |fields: &[(usize, &[u8])]| word(0xA9, &[&[(0x0E, &[3u8][..]), (0x30, &[0xC0, 0xFF, 0xFF, 0xFF])], fields].concat());
    check(branch(&[(0x0C, &[3, 8])]), " cmp_op=EQ dtype=int32 cmp0=$R[0] cmp1=0 label_id=4294967232 ");
    check(branch(&[(3, &[2])]), " cmp_op=ALWAYS label_id=4294967232 debugHint=2");
    let loaded = word(0xAA, &[(0x0C, &[9, 0, 2, 1]), (0x10, &[0, 0x50]), (0x18, &[1]), (0x20, &[130, 131])]);
    check(loaded, " addr=uint32@0x5000[1,0][2,1] data=$R[130],$R[131] ");
    check(word(0xB0, &[(0x0C, &[1, 3, 9])]), " mode=SEMAPHORE_ZERO first=3 last=9 ");
    check(word(0xB1, &[(0x0C, &[1])]), " ordering_mode=strict ");
}

fn transfer(opcode: u8, source: u64, destination: u64, dtypes: [u8; 2]) -> [u8; WORD_BYTES] {
    let source = transfer_end(source, [512, 1], [128, 1], 512);
    let destination = transfer_end(destination, [0x4_0000, 1], [128, 1], 512);
    word(opcode, &[(0x0D, &[8, 16]), (0x10, &source), (0x28, &destination), (0x3E, &dtypes)])
}

#[test]
fn transfers() {
    let loaded = transfer(0xB8, 0x2000_0001_0000_0010, 0x8020_0003_6500, [10, 6]);
    let want = " semaphore=8 sem_increment=16  src_elem_size=512 dst_elem_size=512 src_pattern=[512,1][128,1] dst_pattern=[262144,1][128,1] src_table_offset_imm=0x10 src_table_index=1 src_shape_reg=0 dst_addr_imm=0x802000036500 dst_shape_reg=0 in_dtype=fp32 out_dtype=bfloat16 compute_op=NONE ";
    check(loaded, want);
    let compiled = transfer(0xD4, 0x2000_0001_0000_0010, 0x1000_0005_0000_0020, [10, 10]);
    let want = " dge_op=DIRECT2D semaphore=8 sem_increment=16  src_elem_size=512 dst_elem_size=512 src_pattern=[512,1][128,1] dst_pattern=[262144,1][128,1] src_table_offset_imm=16 src_table_index=1 src_shape_reg=0 dst_var_id=5 dst_var_offset=32 dst_shape_reg=0   ";
    check(compiled, want);
    let loaded = decode(&loaded).expect("verified");
    let of = |core| counters(&loaded, &|end, _| super::counters::memory_of(end, core));
    assert_eq!((of(4).hbm_read, of(4).sbuf_write, of(4).hbm_write), (Some(65_536), Some(65_536), None));
    let stored = decode(&transfer(0xB8, 0x8020_0000_0000, 0x8005_0000_0000, [10, 10])).expect("verified");
    let of = |core| counters(&stored, &|end, _| super::counters::memory_of(end, core));
    assert_eq!((of(4).hbm_write, of(6).hbm_write), (Some(65_536), None), "addresses of other cores are not verified");
    let recorded = counters(&stored, &|_, _| Some(Memory::StateBuffer));
    assert_eq!((recorded.sbuf_write, recorded.hbm_write), (Some(65_536), None));
}

#[test]
fn what_is_not_verified_is_refused() {
    let refused = |word: [u8; WORD_BYTES]| decode(&word).map(|i| text(&i, &Plain)).expect_err("refused").to_string();
    assert_eq!(refused(word(0x41, &[])), "operands not available: code 0x41 not verified");
    let copy = |fields: &[(usize, &[u8])]| word(0x46, &[&[(0x20, &[10u8, 10, 128][..])], fields].concat());
    assert!(decode(&copy(&[])).is_ok());
    for (fields, want) in [
        ((0x20, &[11u8, 10][..]), "data type 0x0b of code 0x46"),
        ((0x0C, &[0, 0, 0, 0x20]), "address 0x20000000 of code 0x46"),
        ((0x0C, &[0, 0, 0, 4]), "address 0x4000000 of code 0x46"),
        ((4, &[4, 1]), "wait mode 0x04 of code 0x46"),
        ((6, &[0x15]), "update mode 0x15 of code 0x46"),
        ((1, &[0x11]), "word format 0x11 of code 0x46"),
        ((2, &[1]), "word format 0x01 of code 0x46"),
    ] {
        assert_eq!(refused(copy(&[fields])), format!("operands not available: {want} not verified"));
    }
    assert!(refused(word(0xAA, &[(0x0C, &[9, 0, 33, 1])])).contains("number of registers"));
    assert!(refused(word(0xA9, &[(0x0C, &[3, 8, 3]), (0x20, &[3])])).contains("compared value"));
    assert!(refused(transfer(0xB8, 1 << 60, 0, [10, 10])).contains("form of a transfer's address"));
}

#[test]
fn programs_have_owners_and_words_of_the_runtime() {
    let set = |id: u8| word(0xA4, &[(6, &[0x13, id])]);
    let starts = transfer(0xB8, 0x8005_0000_0000, 0x8020_0000_0000, [10, 10]);
    let wait = word(0xA4, &[(4, &[5, 5, 0x13, 8, 1])]);
    // Runtime, program of three words, runtime.
    let tensor = [set(9), set(5), wait, wait, set(9)].concat();
    let sync = [set(9), starts, starts, starts].concat();
    let patch = |engine, offset, n_inserted, n_removed| Patch { engine, offset, n_inserted, n_removed };
    let patches = vec![patch(0, 0, 1, 0), patch(0, 64, 1, 2), patch(0, 256, 1, 0), patch(4, 0, 1, 0)];
    let queue = |name: &str| Queue { name: name.into(), ..Queue::default() };
    let mut subgraph = Subgraph { nc: 4, patches, queues: vec![queue("qPoolDynamic"), queue("qSPDynamicHW")], ..Subgraph::default() };
    let open = |subgraph: &Subgraph, sync: &[u8]| {
        let program = |engine, words: &[u8]| (engine, Rc::new(Program::new(words.to_vec(), engine, &subgraph.patches)));
        CorePrograms::new(subgraph, vec![program(0, &tensor), program(4, sync)])
    };
    let text_at = |core: &CorePrograms, pc| {
        let word = core.decode(0, pc, &Functions::default(), &|_| None).expect("a word");
        word.map(|w| (w.text, w.instruction_type)).expect("verified")
    };
    let core = open(&subgraph, &[&sync[..], &[1, 2, 3]].concat());
    assert_eq!(core.program(4).map(|p| p.n_words()), Some(4), "the cut word is left out");
    let pcs = [0, 1, 2, 3, 4, 5].map(|pc| core.program(0).and_then(|p| p.compiler_pc(pc)));
    assert_eq!(pcs, [None, Some(0), Some(2), Some(3), None, None]);
    assert_eq!(text_at(&core, 0), ("$S[9]++@complete cycle=0 ".into(), ""));
    assert_eq!(text_at(&core, 1), ("S[5] (Tensor)++@complete cycle=0 ".into(), ""));
    // Semaphore 8 is raised by Tensor and by a queue: neither is its owner.
    assert_eq!(text_at(&core, 2), ("S[5] (Tensor)>=1 S[8]++@complete cycle=0 ".into(), "REGULAR"));
    assert!(core.decode(0, 5, &Functions::default(), &|_| None).is_none() && core.decode(3, 0, &Functions::default(), &|_| None).is_none());
    subgraph.queues.push(queue("qSPDynamic"));
    assert!(text_at(&open(&subgraph, &sync), 2).0.contains("S[8] (Tensor)++"), "an engine with two queues names none");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_word_panics(bytes in proptest::collection::vec(any::<u8>(), WORD_BYTES), layout in 0..LAYOUTS.len(), is_known in any::<bool>()) {
        let mut word: [u8; WORD_BYTES] = bytes.try_into().expect("64 bytes");
        if is_known {
            (word[0], word[1], word[2]) = (LAYOUTS[layout].opcode, 0x10, 0);
        }
        if let Ok(instruction) = decode(&word) {
            prop_assert!(text(&instruction, &Plain).len() < 2000);
            let _ = counters(&instruction, &|end, _| super::counters::memory_of(end, 4));
        }
    }
}
