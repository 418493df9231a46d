//! From a word to an instruction, by the table of opcodes. Whatever is not verified refuses the whole word.

use super::codes::{self, Codes, Dtype, Refused};
use super::instruction::{Access, Instruction, MEMORY_END, Operand, Transfer, TransferEnd, TransferPlace, Value};
use super::layout::{Class, DtypeAt, End, LAYOUTS, Part};
use super::word::{WORD_BYTES, Word};
use super::{learned, sync};
use std::cell::RefCell;

/// The second byte of every word seen.
const MARK: u8 = 0x10;
/// A notification, whose third byte is its kind.
const NOTIFY: u8 = 0xA6;
/// The compiler's form of a transfer.
pub(super) const PSEUDO_TRANSFER: u8 = 0xD4;
/// Most registers that a word can name from byte 0x20 on.
const MAX_REGISTERS: usize = WORD_BYTES - 0x20;

/// Decodes a word, or says which code of it is neither verified nor learned.
pub(crate) fn decode(bytes: &[u8; WORD_BYTES]) -> Result<Instruction, Refused> {
    decode_by(bytes, &learned::name)
}

/// Decodes a word; `learned` names codes, by field, that are not verified.
pub(super) fn decode_by(
    bytes: &[u8; WORD_BYTES],
    learned: &dyn Fn(&'static str, u8) -> Option<&'static str>,
) -> Result<Instruction, Refused> {
    let word = Word(bytes);
    let reader = Reader { word, opcode: word.u8(0), learned, used: RefCell::default() };
    let layout = LAYOUTS.iter().find(|l| l.opcode == reader.opcode).ok_or_else(|| reader.refused("", word.u8(0).into()))?;
    reader.only("word format", 1, MARK)?;
    if reader.opcode != NOTIFY {
        reader.only("word format", 2, 0)?;
    }
    let sync = sync::first(word)?;
    let mut operands = Vec::new();
    for part in layout.parts {
        reader.part(*part, &mut operands)?;
    }
    let is_matrix = matches!(layout.class, Class::Weights | Class::Product);
    let is_transpose = is_matrix && Some(reader.code("transpose mode", 0x22, codes::TRANSPOSE_MODE)?) != codes::TRANSPOSE_MODE.name(0);
    let learned = reader.used.into_inner();
    Ok(Instruction { opcode: reader.opcode, class: layout.class, sync, operands, is_transpose, learned })
}

struct Reader<'a> {
    word: Word<'a>,
    opcode: u8,
    learned: &'a dyn Fn(&'static str, u8) -> Option<&'static str>,
    /// Codes that were named by it: (field, code).
    used: RefCell<Vec<(&'static str, u8)>>,
}

impl Reader<'_> {
    fn refused(&self, field: &'static str, code: u64) -> Refused {
        Refused { opcode: self.opcode, field, code }
    }

    fn only(&self, field: &'static str, at: usize, value: u8) -> Result<(), Refused> {
        let found = self.word.u8(at);
        if found == value { Ok(()) } else { Err(self.refused(field, found.into())) }
    }

    fn code(&self, field: &'static str, at: usize, codes: Codes) -> Result<&'static str, Refused> {
        let code = self.word.u8(at);
        let known = codes.name(code).or_else(|| self.learned_name(codes.field, code));
        known.ok_or_else(|| self.refused(field, code.into()))
    }

    fn dtype(&self, code: u8) -> Result<Dtype, Refused> {
        let known = codes::dtype(code).or_else(|| self.learned_name(codes::DTYPE, code).and_then(learned::dtype));
        known.ok_or_else(|| self.refused(codes::DTYPE, code.into()))
    }

    /// The name of a code that is not verified, which is noted.
    fn learned_name(&self, field: &'static str, code: u8) -> Option<&'static str> {
        let name = (self.learned)(field, code)?;
        let mut used = self.used.borrow_mut();
        if !used.contains(&(field, code)) {
            used.push((field, code));
        }
        Some(name)
    }

    fn part(&self, part: Part, out: &mut Vec<Operand>) -> Result<(), Refused> {
        let word = self.word;
        out.push(match part {
            Part::Number(key, at, n_bytes) => Operand::Named(key, Value::Number(word.number(at, n_bytes))),
            Part::Float(key, at) => Operand::Named(key, Value::Float(word.f32(at))),
            Part::Code(key, at, codes) => Operand::Named(key, Value::Name(self.code(key, at, codes)?)),
            Part::OptionalCode(_, at, _) | Part::Flag(_, at) if word.u8(at) == 0 => return Ok(()),
            Part::OptionalCode(key, at, codes) => Operand::Named(key, Value::Name(self.code(key, at, codes)?)),
            Part::Flag(key, at) => {
                self.only(key, at, 1)?;
                Operand::Named(key, Value::Number(1))
            }
            Part::Only(field, at, value) => return self.only(field, at, value),
            Part::Access(end, at, n_dims, dtype) => Operand::Access(self.access(end, at, n_dims, dtype)?),
            Part::Array(rows, columns) => Operand::Array(word.u8(rows), word.u8(columns)),
            Part::Function(at) => Operand::Function(word.u8(at)),
            Part::Bias(dtype, at) => {
                let address = self.address(word.u32(at))?;
                Operand::Named("bias_ptr", Value::Pointer(self.dtype(word.u8(dtype) >> 4)?, address.into()))
            }
            Part::ScalarSteps => return self.scalar_steps(out),
            Part::SecondSync => Operand::Sync(sync::second(word)?),
            Part::Writes => return self.writes(out),
            Part::Loads => return self.loads(out),
            Part::Branch => return self.branch(out),
            Part::Ends => Operand::Transfer(self.transfer()?),
            Part::Fixed(text) => Operand::Fixed(text),
            Part::Gap => Operand::Gap,
        });
        Ok(())
    }

    /// An address of State Buffer or PSUM. What lies beyond them, as registers and indirect forms do, is not verified.
    fn address(&self, address: u32) -> Result<u32, Refused> {
        if address < MEMORY_END { Ok(address) } else { Err(self.refused("address", address.into())) }
    }

    fn access(&self, end: End, at: usize, n_dims: usize, dtype: DtypeAt) -> Result<Access, Refused> {
        let word = self.word;
        let dtype = match dtype {
            DtypeAt::Byte(at) => Some(self.dtype(word.u8(at))?),
            DtypeAt::Low(at) => Some(self.dtype(word.u8(at) & 0xF)?),
            DtypeAt::None => None,
        };
        let address = self.address(word.u32(at))?;
        let steps = (0..n_dims).map(|i| word.i16(at + 4 + 2 * i)).collect();
        let counts = (0..n_dims).map(|i| word.u16(at + 4 + 2 * (n_dims + i))).collect();
        Ok(Access { end, dtype, address, steps, counts })
    }

    fn scalar_steps(&self, out: &mut Vec<Operand>) -> Result<(), Refused> {
        let step = |at| self.code("arithmetic", at, codes::ALU).map(Value::Name);
        let sources = self.code("immediate source", 0x23, codes::IMMEDIATE_SOURCE)?;
        let (first, second) = (self.address(self.word.u32(0x28))?, self.word.u32(0x2C));
        // How any other number is printed is not verified.
        if second != 0 {
            return Err(self.refused("second immediate", second.into()));
        }
        out.push(Operand::Named("ops", Value::List(vec![step(0x24)?, step(0x25)?])));
        out.push(Operand::Named("imm", Value::List(vec![Value::Hex(first.into()), Value::Number(second.into())])));
        out.push(Operand::Named("imm_src", Value::Name(sources)));
        Ok(())
    }

    fn writes(&self, out: &mut Vec<Operand>) -> Result<(), Refused> {
        let word = self.word;
        if word.u8(0x0C) == 0 {
            return Err(self.refused("size of the first write", 0));
        }
        let n = if word.u8(0x0D) == 0 { 1 } else { 2 };
        let list = |value: &dyn Fn(usize) -> Value| Value::List((0..n).map(value).collect());
        out.push(Operand::Named("data", list(&|i| Value::Hex(word.u64(0x20 + 8 * i)))));
        out.push(Operand::Named("size", list(&|i| Value::Number(word.u8(0x0C + i).into()))));
        out.push(Operand::Named("dst", list(&|i| Value::Hex(word.u64(0x10 + 8 * i)))));
        Ok(())
    }

    fn loads(&self, out: &mut Vec<Operand>) -> Result<(), Refused> {
        let word = self.word;
        let counts = [word.u8(0x0E), word.u8(0x0F)];
        let n = usize::from(counts[0]) * usize::from(counts[1]);
        if n == 0 || n > MAX_REGISTERS {
            return Err(self.refused("number of registers", n as u64));
        }
        let steps = [word.i32(0x18), word.i32(0x1C)];
        out.push(Operand::Named("addr", Value::Pattern(self.dtype(word.u8(0x0C))?, word.u64(0x10), steps, counts)));
        out.push(Operand::Named("data", Value::List((0..n).map(|i| Value::Register(word.u8(0x20 + i))).collect())));
        Ok(())
    }

    fn branch(&self, out: &mut Vec<Operand>) -> Result<(), Refused> {
        let word = self.word;
        // What is compared is the same in every verified word: other words would have other registers and numbers in these bytes.
        self.only("kind of comparison", 0x0E, 3)?;
        if let Some(at) = (0x0F..0x30).find(|at| word.u8(*at) != 0) {
            return Err(self.refused("compared value", word.u8(at).into()));
        }
        let target = Operand::Named("label_id", Value::Number(word.u32(0x30).into()));
        match (word.u8(0x0C), word.u8(0x03)) {
            (0, 2) => {
                out.push(Operand::Named("cmp_op", Value::Name("ALWAYS")));
                out.push(target);
                out.push(Operand::Named("debugHint", Value::Number(2)));
            }
            (3, 0) => {
                out.push(Operand::Named("cmp_op", Value::Name("EQ")));
                out.push(Operand::Named("dtype", Value::Name(self.dtype(word.u8(0x0D))?.name)));
                out.push(Operand::Named("cmp0", Value::Register(0)));
                out.push(Operand::Named("cmp1", Value::Number(0)));
                out.push(target);
            }
            (0 | 3, hint) => return Err(self.refused("debug hint", hint.into())),
            (code, _) => return Err(self.refused("comparison", code.into())),
        }
        Ok(())
    }

    fn transfer(&self) -> Result<Transfer, Refused> {
        let word = self.word;
        self.code("arithmetic of the transfer", 0x0F, codes::COMPUTE)?;
        Ok(Transfer {
            semaphore: word.u8(0x0D),
            increment: word.u8(0x0E),
            source: self.end(0x10)?,
            destination: self.end(0x28)?,
            dtypes: (self.dtype(word.u8(0x3E))?, self.dtype(word.u8(0x3F))?),
        })
    }

    fn end(&self, at: usize) -> Result<TransferEnd, Refused> {
        let word = self.word;
        let raw = word.u64(at);
        let (index, offset) = ((raw >> 32) as u32 & 0xFF_FFFF, raw as u32);
        let place = match raw >> 56 {
            0 => TransferPlace::Address(raw),
            0x20 => TransferPlace::Table { index, offset },
            0x10 if self.opcode == PSEUDO_TRANSFER => TransferPlace::Variable { id: index, offset },
            code => return Err(self.refused("form of a transfer's address", code)),
        };
        Ok(TransferEnd {
            place,
            steps: [word.i32(at + 8), word.i32(at + 0xC)],
            counts: [word.u16(at + 0x10), word.u16(at + 0x12)],
            element_bytes: word.u16(at + 0x14),
        })
    }
}
