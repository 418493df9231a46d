//! The stack machine of a pickle, for plain data. Dicts with records of a snapshot become rows when they are added to a list.

use super::opcodes::Op;
use super::records::{Pair, Records, Row};
use super::value::Value;
use crate::base::StrId;

/// Maximum values on the stack. A list of the pickler puts at most 1000 there at a time, a tuple all its values.
const STACK_MAX: usize = 1 << 22;
/// Containers open at a time.
const MARKS_MAX: usize = 1 << 12;
/// Containers and places of the memo.
const OBJECTS_MAX: usize = 1 << 26;

/// What a container is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    EmptyList,
    EmptyDict,
    /// Place in `lists`.
    List(u32),
    /// Place in `dicts`.
    Dict(u32),
    Row(Row),
}

/// A list or a tuple: its values, and the row ranges made from its dicts.
#[derive(Debug, Default, Clone)]
pub struct List {
    /// Everything that is no row.
    pub values: Vec<Value>,
    /// Rows one after the other: the first, and how many.
    pub runs: Vec<(Row, u32)>,
}

/// Why the data cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The stack has less than the instruction takes.
    EmptyStack,
    /// Something else is there than the instruction needs.
    WrongObject(&'static str),
    /// A place of the memo that holds nothing.
    NoMemo,
    /// More values at once than are taken.
    TooMany(&'static str),
}

/// The machine.
pub struct Machine {
    stack: Vec<Value>,
    /// Lengths of the stack at its marks.
    marks: Vec<usize>,
    memo: Memo,
    objects: Vec<Object>,
    lists: Vec<List>,
    dicts: Vec<Vec<Pair>>,
    /// Places in `dicts` and `lists` that are free again.
    free_dicts: Vec<u32>,
    free_lists: Vec<u32>,
    /// Values made from records.
    pub records: Records,
    /// Pairs and items that were added to a record after it was converted to a row.
    pub n_late: u64,
}

impl Machine {
    /// A machine with nothing on its stack.
    pub fn new() -> Self {
        Machine {
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Memo::default(),
            objects: Vec::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            free_dicts: Vec::new(),
            free_lists: Vec::new(),
            records: Records::new(),
            n_late: 0,
        }
    }

    /// Runs one instruction. `true`: it was the last.
    pub fn run(&mut self, op: Op<'_>) -> Result<bool, Broken> {
        match op {
            Op::Nothing => {}
            Op::Stop => return Ok(true),
            Op::Mark => {
                if self.marks.len() >= MARKS_MAX {
                    return Err(Broken::TooMany("containers inside each other"));
                }
                self.marks.push(self.stack.len());
            }
            Op::Pop => match self.marks.last() {
                Some(&mark) if mark == self.stack.len() => _ = self.marks.pop(),
                _ => _ = self.pop()?,
            },
            Op::PopMark => {
                let mark = self.unmark()?;
                self.stack.truncate(mark);
            }
            Op::Dup => {
                let top = self.top()?;
                self.push(top)?;
            }
            Op::None | Op::WideInt => self.push(Value::None)?,
            Op::Bool(value) => self.push(Value::Bool(value))?,
            Op::Int(value) => self.push(Value::Int(value))?,
            Op::Unsigned(value) => self.push(Value::Unsigned(value))?,
            Op::Float(value) => self.push(Value::Float(value))?,
            Op::Text(text) => {
                let id = self.records.strings.intern(&text);
                self.push(Value::Text(id))?;
            }
            Op::EmptyList => self.push_object(Object::EmptyList)?,
            Op::EmptyDict => self.push_object(Object::EmptyDict)?,
            Op::List | Op::Tuple => {
                let mark = self.unmark()?;
                self.collect(mark)?;
            }
            Op::TupleOf(n) => {
                let from = self.stack.len().checked_sub(n).filter(|from| *from >= self.floor()).ok_or(Broken::EmptyStack)?;
                self.collect(from)?;
            }
            Op::Dict => {
                let mark = self.unmark()?;
                let at = self.object(Object::EmptyDict)?;
                self.set(at, mark)?;
                self.push(Value::Object(at))?;
            }
            Op::Append => {
                let value = self.pop()?;
                let list = self.below()?;
                self.append(list, value);
            }
            Op::Appends => {
                let mark = self.unmark()?;
                let list = self.stack.get(mark.wrapping_sub(1)).copied();
                let list = self.as_object(list.ok_or(Broken::EmptyStack)?)?;
                self.extend(list, mark);
            }
            Op::SetItem => {
                let from = self.stack.len().checked_sub(2).filter(|from| *from > self.floor()).ok_or(Broken::EmptyStack)?;
                let dict = self.as_object(self.stack[from - 1])?;
                self.set(dict, from)?;
            }
            Op::SetItems => {
                let mark = self.unmark()?;
                let dict = self.stack.get(mark.wrapping_sub(1)).copied();
                let dict = self.as_object(dict.ok_or(Broken::EmptyStack)?)?;
                self.set(dict, mark)?;
            }
            Op::Get(place) => {
                let value = self.memo.get(place).ok_or(Broken::NoMemo)?;
                self.push(value)?;
            }
            Op::Put(place) => {
                let top = self.top()?;
                self.memo.put(place, top)?;
            }
            Op::Memoize => {
                let top = self.top()?;
                self.memo.put(self.memo.places.len() as u64, top)?;
            }
        }
        Ok(false)
    }

    /// What records became; everything else is dropped.
    pub fn into_records(self) -> Records {
        self.records
    }

    /// The result: what is on top of the stack.
    pub fn result(&self) -> Option<Value> {
        self.stack.last().copied()
    }

    /// Closes all open values: the result of a truncated file.
    pub fn close(&mut self) -> Option<Value> {
        loop {
            let mark = self.marks.pop().unwrap_or(usize::from(!self.stack.is_empty()));
            if mark > self.stack.len() || mark == 0 {
                self.stack.truncate(mark);
                if self.marks.is_empty() {
                    return None;
                }
                continue;
            }
            let below = self.stack[mark - 1];
            // A value behind a list of pairs or items is about to be appended to what is before it.
            let mut open: Vec<Value> = Vec::new();
            for value in self.stack.split_off(mark) {
                match open.last() {
                    Some(&Value::Object(before)) if matches!(value, Value::Object(_)) && self.is_pending(before, &open, below) => {
                        self.append(before, value);
                    }
                    _ => open.push(value),
                }
            }
            let n = open.len();
            self.stack.extend(open);
            if let Value::Object(at) = below {
                if matches!(self.objects[at as usize], Object::EmptyDict | Object::Dict(_)) {
                    self.stack.truncate(mark + n / 2 * 2);
                    // A dict that holds itself or a bad key stays without them.
                    if self.set(at, mark).is_err() {
                        self.stack.truncate(mark);
                    }
                } else {
                    self.extend(at, mark);
                }
            } else {
                self.stack.truncate(mark);
            }
            if self.marks.is_empty() && self.stack.len() <= 1 {
                return self.stack.last().copied();
            }
        }
    }

    /// Whether `list`, the last of the values above `below`, is a list that the next value is an item of: in a dict, a value; never a key.
    fn is_pending(&self, list: u32, open: &[Value], below: Value) -> bool {
        let is_list = matches!(self.objects.get(list as usize), Some(Object::EmptyList | Object::List(_)));
        let is_in_dict = matches!(below, Value::Object(at) if matches!(self.objects[at as usize], Object::EmptyDict | Object::Dict(_)));
        is_list && is_in_dict && open.len().is_multiple_of(2)
    }

    /// The pairs of a dict.
    pub fn dict(&self, value: Value) -> Option<&[Pair]> {
        match self.objects.get(object_of(value)?)? {
            Object::EmptyDict => Some(&[]),
            Object::Dict(at) => Some(&self.dicts[*at as usize]),
            _ => None,
        }
    }

    /// The items of a list or a tuple; `None` for an empty one.
    pub fn list(&self, value: Value) -> Option<&List> {
        match self.objects.get(object_of(value)?)? {
            Object::List(at) => Some(&self.lists[*at as usize]),
            _ => None,
        }
    }

    /// Whether it is a list, empty or not.
    pub fn is_list(&self, value: Value) -> bool {
        object_of(value).is_some_and(|at| matches!(self.objects.get(at), Some(Object::EmptyList | Object::List(_))))
    }

    /// A value of a dict, by its key.
    pub fn value(&self, dict: Value, key: &str) -> Option<Value> {
        self.dict(dict)?.iter().find(|(k, _)| matches!(k, Value::Text(id) if self.records.strings.get(*id) == key)).map(|pair| pair.1)
    }

    /// A value as text, as Python writes it; what is deep or long is cut.
    pub fn text(&self, value: Value) -> String {
        const TEXT_MAX: usize = 4096;
        let mut out = String::new();
        self.write(value, 0, TEXT_MAX, &mut out);
        out
    }

    fn write(&self, value: Value, depth: usize, most: usize, out: &mut String) {
        const DEPTH_MAX: usize = 8;
        if depth > DEPTH_MAX || out.len() > most {
            return out.push('…');
        }
        match value {
            Value::None => out.push_str("None"),
            Value::Bool(value) => out.push_str(if value { "True" } else { "False" }),
            Value::Int(value) => out.push_str(&value.to_string()),
            Value::Unsigned(value) => out.push_str(&value.to_string()),
            Value::Float(value) => out.push_str(&value.to_string()),
            Value::Text(id) => out.push_str(self.records.strings.get(id)),
            Value::Object(_) => {
                let mut is_first = true;
                let mut part = |out: &mut String| {
                    if !std::mem::take(&mut is_first) {
                        out.push_str(", ");
                    }
                };
                if let Some(pairs) = self.dict(value) {
                    for (key, value) in pairs.iter().take(most) {
                        if out.len() > most {
                            break;
                        }
                        part(out);
                        self.write(*key, depth + 1, most, out);
                        out.push_str(": ");
                        self.write(*value, depth + 1, most, out);
                    }
                } else if let Some(list) = self.list(value) {
                    for value in list.values.iter().take(most) {
                        if out.len() > most {
                            break;
                        }
                        part(out);
                        self.write(*value, depth + 1, most, out);
                    }
                }
            }
        }
    }

    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn push(&mut self, value: Value) -> Result<(), Broken> {
        if self.stack.len() >= STACK_MAX {
            return Err(Broken::TooMany("values in one container before it is built"));
        }
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, Broken> {
        if self.stack.len() <= self.floor() {
            return Err(Broken::EmptyStack);
        }
        self.stack.pop().ok_or(Broken::EmptyStack)
    }

    fn top(&self) -> Result<Value, Broken> {
        self.stack.last().copied().ok_or(Broken::EmptyStack)
    }

    fn unmark(&mut self) -> Result<usize, Broken> {
        let mark = self.marks.pop().ok_or(Broken::WrongObject("a mark"))?;
        if mark <= self.stack.len() { Ok(mark) } else { Err(Broken::EmptyStack) }
    }

    /// The container on top of the stack.
    fn below(&self) -> Result<u32, Broken> {
        self.as_object(self.top()?)
    }

    fn as_object(&self, value: Value) -> Result<u32, Broken> {
        if let Value::Object(at) = value { Ok(at) } else { Err(Broken::WrongObject("a list or a dict")) }
    }

    fn object(&mut self, object: Object) -> Result<u32, Broken> {
        if self.objects.len() >= OBJECTS_MAX {
            return Err(Broken::TooMany("containers"));
        }
        self.objects.push(object);
        Ok(self.objects.len() as u32 - 1)
    }

    fn push_object(&mut self, object: Object) -> Result<(), Broken> {
        let at = self.object(object)?;
        self.push(Value::Object(at))
    }

    /// A list of what is on the stack from `from` on.
    fn collect(&mut self, from: usize) -> Result<(), Broken> {
        let at = self.object(Object::EmptyList)?;
        self.extend(at, from);
        self.push(Value::Object(at))
    }

    /// Moves what is on the stack from `from` on into a list.
    fn extend(&mut self, list: u32, from: usize) {
        for i in from..self.stack.len() {
            self.append(list, self.stack[i]);
        }
        self.stack.truncate(from);
    }

    fn append(&mut self, list: u32, value: Value) {
        let row = self.row(value);
        let at = match self.objects[list as usize] {
            Object::List(at) => at,
            Object::EmptyList => {
                let at = self.free_lists.pop().unwrap_or_else(|| {
                    self.lists.push(List::default());
                    self.lists.len() as u32 - 1
                });
                self.objects[list as usize] = Object::List(at);
                at
            }
            _ => return self.n_late += 1,
        };
        let list = &mut self.lists[at as usize];
        match (row, list.runs.last_mut()) {
            (Some(Row::Frame(_)) | None, _) => list.values.push(value),
            (Some(row), Some((first, n))) if first.plus(*n) == Some(row) => *n += 1,
            (Some(row), _) => list.runs.push((row, 1)),
        }
    }

    /// The row that a value is, or becomes now that it enters a list.
    fn row(&mut self, value: Value) -> Option<Row> {
        let at = object_of(value)?;
        match self.objects[at] {
            Object::Row(row) => Some(row),
            Object::Dict(dict) => {
                let mut pairs = std::mem::take(&mut self.dicts[dict as usize]);
                let kind = self.records.kind(&pairs);
                if let Some(kind) = kind {
                    self.resolve(&mut pairs);
                    let row = self.records.add(kind, &pairs);
                    self.objects[at] = Object::Row(row);
                    pairs.clear();
                    self.free_dicts.push(dict);
                    self.dicts[dict as usize] = pairs;
                    return Some(row);
                }
                self.dicts[dict as usize] = pairs;
                None
            }
            _ => None,
        }
    }

    /// Makes what a record refers to plain: lists of frames become stacks, other lists and dicts texts.
    fn resolve(&mut self, pairs: &mut [Pair]) {
        for (key, value) in pairs {
            let Value::Object(_) = value else { continue };
            *value = match self.records.key_of(*key) {
                Some(super::records::Key::Frames) => Value::Int(i64::from(self.stack_of(*value))),
                Some(super::records::Key::History) => self.history(*value),
                Some(super::records::Key::Blocks) => {
                    let runs = self.list(*value).map_or(&[][..], |list| &list.runs).to_vec();
                    Value::Int(i64::from(self.records.block_runs(runs)))
                }
                _ => {
                    let text = self.text(*value);
                    Value::Text(self.records.strings.intern(&text))
                }
            };
        }
    }

    /// Id of the stack with this list of frames.
    fn stack_of(&mut self, value: Value) -> u32 {
        let Some(at) = object_of(value) else { return 0 };
        if let Object::Row(Row::Stack(stack)) = self.objects[at] {
            return stack;
        }
        let Object::List(list) = self.objects[at] else { return 0 };
        let objects = &self.objects;
        let frame = |value: &Value| match objects.get(object_of(*value)?)? {
            Object::Row(Row::Frame(frame)) => Some(*frame),
            _ => None,
        };
        let stack = self.records.stack(self.lists[list as usize].values.iter().filter_map(frame));
        self.objects[at] = Object::Row(Row::Stack(stack));
        self.lists[list as usize].values.clear();
        self.free_lists.push(list);
        stack
    }

    /// What older snapshots have instead of frames: the allocations that a block was made of, the last one first.
    fn history(&mut self, value: Value) -> Value {
        let Some(&last) = self.list(value).and_then(|list| list.values.first()) else { return Value::None };
        let size = self.value(last, "real_size");
        let stack = self.value(last, "frames").map_or(0, |frames| self.stack_of(frames));
        let size = if let Some(Value::Int(size)) = size { u64::try_from(size).ok() } else { None };
        Value::Int(i64::from(self.records.history(stack, size)))
    }

    fn set(&mut self, dict: u32, from: usize) -> Result<(), Broken> {
        if (self.stack.len() - from) % 2 == 1 {
            return Err(Broken::WrongObject("a value for each key"));
        }
        let at = match self.objects[dict as usize] {
            Object::Dict(at) => at,
            Object::EmptyDict if self.stack.len() == from => return Ok(()),
            Object::EmptyDict => {
                let at = self.free_dicts.pop().unwrap_or_else(|| {
                    self.dicts.push(Vec::new());
                    self.dicts.len() as u32 - 1
                });
                self.objects[dict as usize] = Object::Dict(at);
                at
            }
            Object::Row(_) => {
                self.n_late += (self.stack.len() - from) as u64 / 2;
                self.stack.truncate(from);
                return Ok(());
            }
            Object::EmptyList | Object::List(_) => return Err(Broken::WrongObject("a dict")),
        };
        let pairs = &mut self.dicts[at as usize];
        pairs.extend(self.stack[from..].chunks_exact(2).map(|pair| (pair[0], pair[1])));
        self.stack.truncate(from);
        Ok(())
    }
}

fn object_of(value: Value) -> Option<usize> {
    if let Value::Object(at) = value { Some(at as usize) } else { None }
}

/// Values by place: 8 bytes each, since a long trace notes every event in it.
#[derive(Debug, Default)]
struct Memo {
    /// Kind in the upper half, number in the lower; 0 if empty.
    places: Vec<u64>,
    /// Values that are neither text nor container.
    others: Vec<Value>,
}

impl Memo {
    const TEXT: u64 = 1 << 32;
    const OBJECT: u64 = 2 << 32;
    const OTHER: u64 = 3 << 32;

    fn get(&self, place: u64) -> Option<Value> {
        let packed = *self.places.get(usize::try_from(place).ok()?)?;
        let number = packed as u32;
        match packed & !u64::from(u32::MAX) {
            Self::TEXT => Some(Value::Text(StrId(number))),
            Self::OBJECT => Some(Value::Object(number)),
            Self::OTHER => self.others.get(number as usize).copied(),
            _ => None,
        }
    }

    /// Places come one after the other; a jump ahead is followed a short way only.
    fn put(&mut self, place: u64, value: Value) -> Result<(), Broken> {
        const AHEAD_MAX: u64 = 1 << 10;
        let n = self.places.len() as u64;
        if place > n + AHEAD_MAX || place >= OBJECTS_MAX as u64 {
            return Err(Broken::TooMany("places of the memo"));
        }
        let packed = match value {
            Value::Text(id) => Self::TEXT | u64::from(id.0),
            Value::Object(at) => Self::OBJECT | u64::from(at),
            other => {
                self.others.push(other);
                Self::OTHER | (self.others.len() as u64 - 1)
            }
        };
        if place >= n {
            self.places.resize(place as usize + 1, 0);
        }
        self.places[place as usize] = packed;
        Ok(())
    }
}
