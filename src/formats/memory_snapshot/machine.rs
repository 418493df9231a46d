//! The stack machine of a pickle, for plain data.

use super::broken::Broken;
use super::containers::Containers;
use super::memo::Memo;
use super::opcodes::Op;
use super::value::Value;

/// Maximum values on the stack. A list of the pickler puts at most 1000 there at a time, a tuple all its values.
const STACK_MAX: usize = 1 << 22;
/// Containers open at a time.
const MARKS_MAX: usize = 1 << 12;

/// The machine.
pub struct Machine {
    stack: Vec<Value>,
    /// Lengths of the stack at its marks.
    marks: Vec<usize>,
    memo: Memo,
    /// What was built so far.
    pub containers: Containers,
}

impl Machine {
    /// A machine with nothing on its stack.
    pub fn new() -> Self {
        Machine { stack: Vec::new(), marks: Vec::new(), memo: Memo::default(), containers: Containers::new() }
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
                let id = self.containers.records.strings.intern(&text);
                self.push(Value::Text(id))?;
            }
            Op::EmptyList => {
                let list = self.containers.new_list()?;
                self.push(Value::Object(list))?;
            }
            Op::EmptyDict => {
                let dict = self.containers.new_dict()?;
                self.push(Value::Object(dict))?;
            }
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
                let at = self.containers.new_dict()?;
                self.set(at, mark)?;
                self.push(Value::Object(at))?;
            }
            Op::Append => {
                let value = self.pop()?;
                let list = self.below()?;
                self.containers.append(list, value);
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
                self.memo.push(top)?;
            }
        }
        Ok(false)
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
                    Some(&list @ Value::Object(before)) if matches!(value, Value::Object(_)) && self.is_pending(list, &open, below) => {
                        self.containers.append(before, value);
                    }
                    _ => open.push(value),
                }
            }
            let n = open.len();
            self.stack.extend(open);
            if let Value::Object(at) = below {
                if self.containers.is_dict(below) {
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
    fn is_pending(&self, list: Value, open: &[Value], below: Value) -> bool {
        self.containers.is_list(list) && self.containers.is_dict(below) && open.len().is_multiple_of(2)
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

    /// A list of what is on the stack from `from` on.
    fn collect(&mut self, from: usize) -> Result<(), Broken> {
        let at = self.containers.new_list()?;
        self.extend(at, from);
        self.push(Value::Object(at))
    }

    /// Moves what is on the stack from `from` on into a list.
    fn extend(&mut self, list: u32, from: usize) {
        for i in from..self.stack.len() {
            self.containers.append(list, self.stack[i]);
        }
        self.stack.truncate(from);
    }

    /// Moves the pairs on the stack from `from` on into a dict.
    fn set(&mut self, dict: u32, from: usize) -> Result<(), Broken> {
        self.containers.set(dict, &self.stack[from..])?;
        self.stack.truncate(from);
        Ok(())
    }
}
