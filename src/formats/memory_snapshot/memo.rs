//! The memo of a pickle: values that are named again, by place.

use super::broken::Broken;
use super::value::Value;
use crate::base::StrId;

/// Places at most.
const PLACES_MAX: u64 = 1 << 26;

/// Values by place: 8 bytes each, since a long trace notes every event in it.
#[derive(Debug, Default)]
pub struct Memo {
    /// Kind in the upper half, number in the lower; 0 if empty.
    places: Vec<u64>,
    /// Values that are neither text nor container.
    others: Vec<Value>,
}

impl Memo {
    const TEXT: u64 = 1 << 32;
    const OBJECT: u64 = 2 << 32;
    const OTHER: u64 = 3 << 32;

    /// Puts a value at the next place.
    pub fn push(&mut self, value: Value) -> Result<(), Broken> {
        self.put(self.places.len() as u64, value)
    }

    /// The value at a place; `None` where nothing is.
    pub fn get(&self, place: u64) -> Option<Value> {
        let packed = *self.places.get(usize::try_from(place).ok()?)?;
        let number = packed as u32;
        match packed & !u64::from(u32::MAX) {
            Self::TEXT => Some(Value::Text(StrId(number))),
            Self::OBJECT => Some(Value::Object(number)),
            Self::OTHER => self.others.get(number as usize).copied(),
            _ => None,
        }
    }

    /// Puts a value at a place. Places come one after the other; a jump ahead is followed a short way only.
    pub fn put(&mut self, place: u64, value: Value) -> Result<(), Broken> {
        const AHEAD_MAX: u64 = 1 << 10;
        let n = self.places.len() as u64;
        if place > n + AHEAD_MAX || place >= PLACES_MAX {
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
