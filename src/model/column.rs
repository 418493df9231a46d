//! Columns that are made when they are first read: most questions read few of them.

use crate::base::for_each_chunk;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Make<T> = Box<dyn FnOnce() -> Vec<T> + Send>;

/// Computes values of a column without the others.
trait Compute<T>: Send + Sync {
    fn one(&self, i: usize) -> T;
    /// Adds those of a range.
    fn part(&self, range: Range<usize>, out: &mut Vec<T>);
}

impl<T, F: Fn(usize) -> T + Send + Sync> Compute<T> for F {
    fn one(&self, i: usize) -> T {
        self(i)
    }

    fn part(&self, range: Range<usize>, out: &mut Vec<T>) {
        out.extend(range.map(self));
    }
}

/// A value for each slice. What it is made from is kept until somebody reads it; it reads as a slice of values.
pub struct Column<T> {
    n_rows: usize,
    is_recorded: bool,
    values: OnceLock<Vec<T>>,
    /// Makes them, once.
    make: Mutex<Option<Make<T>>>,
    compute: Option<Arc<dyn Compute<T>>>,
}

impl<T> Column<T> {
    /// A column of `n_rows` values that `make` computes at the first read; `is_recorded`: whether any value is recorded.
    pub fn later(n_rows: usize, is_recorded: bool, make: impl FnOnce() -> Vec<T> + Send + 'static) -> Self {
        Column { n_rows, is_recorded, values: OnceLock::new(), make: Mutex::new(Some(Box::new(make))), compute: None }
    }

    /// A column of `n_rows` values; `value(i)` computes the `i`-th.
    pub fn by_value(n_rows: usize, is_recorded: bool, value: impl Fn(usize) -> T + Send + Sync + 'static) -> Self
    where
        T: 'static,
    {
        let compute: Arc<dyn Compute<T>> = Arc::new(value);
        let all = compute.clone();
        let make = move || {
            let mut out = Vec::with_capacity(n_rows);
            for_each_chunk(n_rows, &mut |part| all.part(part, &mut out));
            out
        };
        Column { compute: Some(compute), ..Column::later(n_rows, is_recorded, make) }
    }

    /// The value at `i`, without computing the others if the column allows it. For code that reads few values, such as those of instructions: of a
    /// long run the transfers are far more.
    pub fn at(&self, i: usize) -> Option<T>
    where
        T: Copy,
    {
        match self.uncomputed() {
            Some(compute) => (i < self.n_rows).then(|| compute.one(i)),
            None => self.as_slice().get(i).copied(),
        }
    }

    /// Replaces `out` by the values of a range, as [`Column::at`] has them. For loops over many that need few columns.
    pub fn part(&self, range: Range<usize>, out: &mut Vec<T>)
    where
        T: Copy,
    {
        out.clear();
        let range = range.start.min(self.n_rows)..range.end.min(self.n_rows);
        match self.uncomputed() {
            Some(compute) => compute.part(range, out),
            None => out.extend_from_slice(&self.as_slice()[range]),
        }
    }

    /// What computes single values, where the column allows it and is not made yet.
    fn uncomputed(&self) -> Option<&dyn Compute<T>> {
        self.compute.as_deref().filter(|_| self.values.get().is_none())
    }

    /// Whether any value is as asked. Computes no more than needed.
    pub fn any(&self, mut is: impl FnMut(&T) -> bool) -> bool
    where
        T: Copy,
    {
        let (mut found, mut values) = (false, Vec::new());
        for_each_chunk(self.n_rows, &mut |part| {
            if !found {
                self.part(part, &mut values);
                found = values.iter().any(&mut is);
            }
        });
        found
    }

    /// Whether any slice has a recorded value. Does not compute the column.
    pub fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// How many values there are; reads none.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// All of them. A loop over many takes this once, instead of asking whether the column is there at every value.
    pub fn as_slice(&self) -> &[T] {
        self.values.get_or_init(|| {
            let make = self.make.lock().unwrap_or_else(PoisonError::into_inner).take();
            make.map_or_else(Vec::new, |make| make())
        })
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Send + 'static> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column::later(values.len(), !values.is_empty(), move || values)
    }
}

impl<T: Send + 'static> Default for Column<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Send + Clone + 'static> Clone for Column<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: PartialEq, V: AsRef<[T]>> PartialEq<V> for Column<T> {
    fn eq(&self, other: &V) -> bool {
        self.as_slice() == other.as_ref()
    }
}

impl<T> AsRef<[T]> for Column<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<'a, T> IntoIterator for &'a Column<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_is_made_once_when_it_is_read() {
        let n_made = Arc::new(AtomicUsize::new(0));
        let count = n_made.clone();
        let column = Column::later(3, true, move || {
            count.fetch_add(1, Ordering::Relaxed);
            vec![1, 2, 3]
        });
        assert_eq!((column.len(), n_made.load(Ordering::Relaxed)), (3, 0));
        assert_eq!((column[1], column.iter().sum::<i32>(), n_made.load(Ordering::Relaxed)), (2, 6, 1));
        assert_eq!(column.clone().as_slice(), [1, 2, 3]);
        assert_eq!((column.at(1), column.at(3)), (Some(2), None));
        let mut part = vec![7];
        column.part(1..9, &mut part);
        assert_eq!(part, [2, 3]);
        let column = Column::by_value(3, true, |i| 10 * i as i32);
        column.part(0..2, &mut part);
        assert_eq!((part.as_slice(), column.uncomputed().is_some()), (&[0, 10][..], true));
        assert_eq!((column.any(|v| *v == 20), column.any(|v| *v == 30), column.uncomputed().is_some()), (true, false, true));
        assert_eq!((column.at(1), column.at(3), column.as_slice()), (Some(10), None, &[0, 10, 20][..]));
        assert!(Column::<u32>::default().is_empty() && !Column::<u32>::default().is_recorded());
    }
}
