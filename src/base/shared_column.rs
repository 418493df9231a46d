//! Columns that several tables share. A copy of a table reads the same memory, also where it shows the values in another order, below those of another
//! table, or with a constant added.

use super::{StrId, first_position};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Values of a column, to which a table can add a constant.
pub trait Addend: Copy + Default + PartialEq {
    /// The sum; at the limit of the type where it is larger.
    fn plus(self, more: Self) -> Self;
}

macro_rules! addend {
    ($($kind:ty),*) => {
        $(impl Addend for $kind {
            fn plus(self, more: Self) -> Self {
                self.saturating_add(more)
            }
        })*
    };
}
addend!(i64, u32, u16);

impl Addend for StrId {
    fn plus(self, more: Self) -> Self {
        StrId(self.0.plus(more.0))
    }
}

/// A column whose clones share its values. Two are equal if they show equal values in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedColumn<T> {
    /// The values of a table by itself, or of the first of several tables.
    first: Part<T>,
    /// Those of the other tables.
    others: Arc<Vec<Part<T>>>,
    /// What is behind them.
    more: Arc<Vec<T>>,
    /// Indexed by position: index in all of these; `None`: each at its own.
    order: Option<Arc<Vec<u32>>>,
}

/// Values of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Part<T> {
    values: Arc<Vec<T>>,
    /// Position of the first.
    at: usize,
    /// Added to each.
    plus: T,
}

impl<T: Addend> Part<T> {
    fn end(&self) -> usize {
        self.at + self.values.len()
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values) && self.plus == other.plus
    }
}

impl<T: Addend> SharedColumn<T> {
    /// Several columns, one after the other. Each comes with a constant, which is added to its values.
    pub fn stacked<'a>(columns: impl IntoIterator<Item = (&'a SharedColumn<T>, T)>) -> Self
    where
        T: 'a,
    {
        let mut parts = Vec::new();
        let mut at = 0;
        for (column, plus) in columns {
            let values = match column.is_plain() && column.first.plus == T::default() {
                true => column.first.values.clone(),
                false => Arc::new(column.iter().collect()),
            };
            let part = Part { values, at, plus };
            at = part.end();
            parts.push(part);
        }
        let others = parts.split_off(parts.len().min(1));
        SharedColumn { first: parts.pop().unwrap_or_default(), others: Arc::new(others), more: Arc::default(), order: None }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.order.as_ref().map_or(self.n_shared() + self.more.len(), |order| order.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a position.
    pub fn get(&self, i: usize) -> Option<T> {
        let number = match &self.order {
            Some(order) => *order.get(i)? as usize,
            None => i,
        };
        match self.first.values.get(number) {
            Some(value) => Some(value.plus(self.first.plus)),
            None => self.behind_first(number),
        }
    }

    /// The value at a position that is there; another one is a panic.
    pub fn value_at(&self, i: usize) -> T {
        self.get(i).expect("a position of the column")
    }

    /// The place in what is behind all shared values, where that is what a position shows.
    pub fn place_behind(&self, i: usize) -> Option<usize> {
        if self.more.is_empty() {
            return None;
        }
        let number = self.order.as_ref().map_or(Some(i), |order| order.get(i).map(|number| *number as usize))?;
        number.checked_sub(self.n_shared()).filter(|at| *at < self.more.len())
    }

    /// All values by position.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone {
        (0..self.len()).map(|i| self.value_at(i))
    }

    /// The first position of `range` where `is_before` does not hold. It must hold for none behind that one.
    pub fn partition_point(&self, range: Range<usize>, is_before: impl Fn(T) -> bool) -> usize {
        first_position(range, |i| !is_before(self.value_at(i)))
    }

    /// Indexed by position: index in the values as they were made, then in what was added; `None`: each at its own.
    pub fn order(&self) -> Option<&Arc<Vec<u32>>> {
        self.order.as_ref()
    }

    /// Whether both show the same values of memory at these positions; what stands behind the shared values is compared.
    pub fn is_same_in(&self, other: &SharedColumn<T>, range: Range<usize>) -> bool {
        if !self.has_parts_of(other) || range.end > self.len().min(other.len()) {
            return false;
        }
        let n = self.n_shared();
        if self.order.is_none() && other.order.is_none() && range.end <= n {
            return true;
        }
        let number = |column: &Self, i: usize| column.order.as_ref().map_or(i, |order| order[i] as usize);
        range.into_iter().all(|i| {
            let (own, others) = (number(self, i), number(other, i));
            own == others && (own < n || self.more.get(own - n) == other.more.get(own - n))
        })
    }

    /// The values of consecutive positions; `None` where there are fewer.
    pub fn run(&self, range: Range<usize>) -> Option<Cow<'_, [T]>> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        if let Some(values) = self.shared_run(&range) {
            return Some(Cow::Borrowed(values));
        }
        // Reserved at once, and without a test of each: a run can have millions.
        let mut out = Vec::with_capacity(range.len());
        out.extend(range.map(|i| self.value_at(i)));
        Some(Cow::Owned(out))
    }

    /// To change it; the values are copied first where another table has them as well.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if !self.is_plain() || self.first.plus != T::default() {
            *self = self.iter().collect();
        }
        Arc::make_mut(&mut self.first.values)
    }

    /// The same values, and `more` behind all of them, in this order: position `i` has number `order[i]` of all. A number that is not there is a
    /// panic when it is read. [`order_with`](Self::order_with) leaves what is there at its position.
    pub fn with_more(&self, order: Option<Arc<Vec<u32>>>, more: impl IntoIterator<Item = T>) -> Self {
        let more = self.more.iter().copied().chain(more).collect();
        SharedColumn { first: self.first.clone(), others: self.others.clone(), more: Arc::new(more), order }
    }

    /// The order with `n` more values behind all others, for all columns of a table.
    pub fn order_with(&self, n: usize) -> Option<Arc<Vec<u32>>> {
        let first = (self.n_shared() + self.more.len()) as u32;
        self.order.as_ref().map(|order| Arc::new(order.iter().copied().chain(first..first + n as u32).collect()))
    }

    fn n_shared(&self) -> usize {
        self.others.last().unwrap_or(&self.first).end()
    }

    fn is_plain(&self) -> bool {
        self.order.is_none() && self.more.is_empty() && self.others.is_empty()
    }

    fn has_parts_of(&self, other: &Self) -> bool {
        let is_same = |(own, others): (&Part<T>, &Part<T>)| own.is_same(others);
        self.first.is_same(&other.first) && self.others.len() == other.others.len() && self.others.iter().zip(&*other.others).all(is_same)
    }

    /// The value with a number behind those of the first table.
    fn behind_first(&self, number: usize) -> Option<T> {
        match self.others.partition_point(|part| part.end() <= number) {
            at if at < self.others.len() => {
                let part = &self.others[at];
                Some(part.values.get(number.checked_sub(part.at)?)?.plus(part.plus))
            }
            _ => self.more.get(number.checked_sub(self.n_shared())?).copied(),
        }
    }

    /// Consecutive positions in memory, where they are shown as they are there.
    fn shared_run(&self, range: &Range<usize>) -> Option<&[T]> {
        if self.order.is_some() {
            return None;
        }
        let part = std::iter::once(&self.first).chain(&*self.others).find(|part| part.at <= range.start && range.end <= part.end())?;
        (part.plus == T::default()).then(|| part.values.get(range.start - part.at..range.end - part.at)).flatten()
    }
}

impl<T: Default> From<Vec<T>> for SharedColumn<T> {
    fn from(values: Vec<T>) -> Self {
        let first = Part { values: Arc::new(values), at: 0, plus: T::default() };
        SharedColumn { first, others: Arc::default(), more: Arc::default(), order: None }
    }
}

impl<T: Default> FromIterator<T> for SharedColumn<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(column: &SharedColumn<u32>) -> Vec<u32> {
        column.iter().collect()
    }

    #[test]
    fn a_changed_clone_leaves_the_others_as_they_are() {
        let first: SharedColumn<u32> = (0..3).collect();
        let mut second = first.clone();
        assert!(Arc::ptr_eq(&first.first.values, &second.first.values) && second == first);
        second.to_mut().push(3);
        assert_eq!((all(&first), second.run(1..4)), (vec![0, 1, 2], Some(Cow::Borrowed(&[1, 2, 3][..]))));
    }

    #[test]
    fn another_order_shares_the_values() {
        let values: SharedColumn<u32> = vec![10, 11, 12, 13].into();
        let moved = values.with_more(Some(Arc::new(vec![3, 4, 0])), [20]);
        assert_eq!((all(&moved), moved.len(), moved.get(3), moved.value_at(1)), (vec![13, 20, 10], 3, None, 20));
        assert!(Arc::ptr_eq(&moved.first.values, &values.first.values));
        assert_eq!((moved.run(1..3), moved.run(1..4)), (Some(Cow::Owned(vec![20, 10])), None));
    }

    #[test]
    fn values_behind_all_others_keep_the_order_before_them() {
        let values: SharedColumn<u32> = vec![10, 11].into();
        let plain = values.with_more(values.order_with(2), [30, 31]);
        assert_eq!((all(&plain), plain.order()), (vec![10, 11, 30, 31], None));
        let moved = values.with_more(Some(Arc::new(vec![2, 0])), [20]);
        let mut more = moved.with_more(moved.order_with(1), [30]);
        assert_eq!(all(&more), [20, 10, 30]);
        more.to_mut().push(40);
        assert_eq!((all(&more), all(&moved)), (vec![20, 10, 30, 40], vec![20, 10]));
    }

    #[test]
    fn positions_that_show_the_same_are_known() {
        let values: SharedColumn<u32> = (0..6).collect();
        let moved = values.with_more(Some(Arc::new(vec![0, 1, 3, 2, 4, 5, 6])), [20]);
        let is_same = |range| moved.is_same_in(&values, range);
        assert_eq!([0..2, 0..3, 4..6, 4..7].map(is_same), [true, false, true, false]);
        let more = moved.with_more(moved.order_with(1), [30]);
        assert!(more.is_same_in(&moved, 0..7) && !more.is_same_in(&moved, 0..8));
        let other = values.with_more(Some(Arc::new(vec![0, 1, 3, 2, 4, 5, 6])), [21]);
        assert!(!other.is_same_in(&moved, 6..7) && other.is_same_in(&moved, 0..6));
        assert!(!(0..6).collect::<SharedColumn<u32>>().is_same_in(&values, 0..2), "equal values elsewhere");
    }

    #[test]
    fn the_first_that_is_not_before_is_found_in_any_order() {
        let column = SharedColumn::from(vec![5u32, 1, 3]).with_more(Some(Arc::new(vec![1, 2, 0])), []);
        let first = |range, at: u32| column.partition_point(range, |v| v < at);
        assert_eq!((first(0..3, 3), first(0..3, 9), first(1..2, 0), first(2..2, 9)), (1, 3, 1, 2));
    }

    #[test]
    fn tables_below_each_other_share_their_values() {
        let (a, b): (SharedColumn<u32>, SharedColumn<u32>) = (vec![1, 2].into(), vec![1, 5, 6].into());
        let empty = SharedColumn::default();
        let both = SharedColumn::stacked([(&a, 0), (&empty, 3), (&b, 10)]);
        assert_eq!((all(&both), both.len(), both.get(5)), (vec![1, 2, 11, 15, 16], 5, None));
        assert!(Arc::ptr_eq(&both.others[1].values, &b.first.values));
        assert_eq!(both.partition_point(0..5, |v| v < 15), 3);
        let is_borrowed = |range| matches!(both.run(range), Some(Cow::Borrowed(_)));
        assert_eq!([0..2, 1..3, 2..4].map(is_borrowed), [true, false, false]);
        assert_eq!((both.run(1..4).as_deref(), both.run(3..6)), (Some(&[2, 11, 15][..]), None));
        let again = SharedColumn::stacked([(&both, 1), (&a, 0)]);
        assert_eq!(all(&again), [2, 3, 12, 16, 17, 1, 2]);
        assert!(all(&SharedColumn::stacked([])).is_empty());
    }

    #[test]
    fn tables_below_each_other_are_reordered_and_changed() {
        let (a, b): (SharedColumn<u32>, SharedColumn<u32>) = (vec![1, 2].into(), vec![3].into());
        let both = SharedColumn::stacked([(&a, 0), (&b, 10)]);
        let mut moved = both.with_more(Some(Arc::new(vec![3, 2, 0])), [20]);
        assert_eq!(all(&moved), [20, 13, 1]);
        assert!(both.clone().is_same_in(&both, 0..3) && !SharedColumn::stacked([(&a, 0), (&b, 9)]).is_same_in(&both, 0..3));
        moved.to_mut().push(40);
        assert_eq!((all(&moved), all(&both)), (vec![20, 13, 1, 40], vec![1, 2, 13]));
        let mut later = SharedColumn::stacked([(&a, 5)]);
        later.to_mut().push(9);
        assert_eq!((all(&later), all(&a)), (vec![6, 7, 9], vec![1, 2]));
    }
}
