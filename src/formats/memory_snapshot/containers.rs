//! Lists, tuples and dicts of a pickle. Dicts with records of a snapshot become rows when they are added to a list.

use super::broken::Broken;
use super::records::{Key, Pair, Records, Row};
use super::value::Value;

/// Containers at most.
const CONTAINERS_MAX: usize = 1 << 26;

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

/// All containers, and what records became.
pub struct Containers {
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

impl Containers {
    /// None yet.
    pub fn new() -> Self {
        Containers {
            objects: Vec::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            free_dicts: Vec::new(),
            free_lists: Vec::new(),
            records: Records::new(),
            n_late: 0,
        }
    }

    /// What records became; everything else is dropped.
    pub fn into_records(self) -> Records {
        self.records
    }

    /// A new, empty list.
    pub fn new_list(&mut self) -> Result<u32, Broken> {
        self.object(Object::EmptyList)
    }

    /// A new, empty dict.
    pub fn new_dict(&mut self) -> Result<u32, Broken> {
        self.object(Object::EmptyDict)
    }

    fn object(&mut self, object: Object) -> Result<u32, Broken> {
        if self.objects.len() >= CONTAINERS_MAX {
            return Err(Broken::TooMany("containers"));
        }
        self.objects.push(object);
        Ok(self.objects.len() as u32 - 1)
    }

    /// Adds an item to a list.
    pub fn append(&mut self, list: u32, value: Value) {
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

    /// Adds pairs to a dict: keys and values in turn.
    pub fn set(&mut self, dict: u32, pairs: &[Value]) -> Result<(), Broken> {
        if !pairs.len().is_multiple_of(2) {
            return Err(Broken::WrongObject("a value for each key"));
        }
        let at = match self.objects[dict as usize] {
            Object::Dict(at) => at,
            Object::EmptyDict if pairs.is_empty() => return Ok(()),
            Object::EmptyDict => {
                let at = self.free_dicts.pop().unwrap_or_else(|| {
                    self.dicts.push(Vec::new());
                    self.dicts.len() as u32 - 1
                });
                self.objects[dict as usize] = Object::Dict(at);
                at
            }
            Object::Row(_) => {
                self.n_late += pairs.len() as u64 / 2;
                return Ok(());
            }
            Object::EmptyList | Object::List(_) => return Err(Broken::WrongObject("a dict")),
        };
        self.dicts[at as usize].extend(pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        Ok(())
    }

    /// Whether it is a dict, empty or not, that has not become a row.
    pub fn is_dict(&self, value: Value) -> bool {
        object_of(value).is_some_and(|at| matches!(self.objects.get(at), Some(Object::EmptyDict | Object::Dict(_))))
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
                Some(Key::Frames) => Value::Int(i64::from(self.stack_of(*value))),
                Some(Key::History) => self.history(*value),
                Some(Key::Blocks) => {
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
}

fn object_of(value: Value) -> Option<usize> {
    if let Value::Object(at) = value { Some(at as usize) } else { None }
}
