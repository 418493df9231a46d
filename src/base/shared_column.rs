//! Columns that several tables share: a copy of a table has the same values, not other ones, even where it shows them in another order.

use super::first_position;
use std::borrow::Cow;
use std::ops::{Index, Range};
use std::sync::Arc;

/// A column whose clones share its values. Two are equal if they show equal values in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedColumn<T> {
    values: Arc<Vec<T>>,
    /// What is behind `values`.
    more: Arc<Vec<T>>,
    /// Indexed by position: index in `values` followed by `more`; `None`: each at its own.
    order: Option<Arc<Vec<u32>>>,
}

impl<T> SharedColumn<T> {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.order.as_ref().map_or(self.values.len() + self.more.len(), |order| order.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a position.
    pub fn get(&self, i: usize) -> Option<&T> {
        let at = match &self.order {
            Some(order) => *order.get(i)? as usize,
            None => i,
        };
        at.checked_sub(self.values.len()).map_or_else(|| self.values.get(at), |behind| self.more.get(behind))
    }

    /// All values by position.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        (0..self.len()).map(|i| &self[i])
    }

    /// The first position of `range` where `is_before` does not hold. It must hold for none behind that one.
    pub fn partition_point(&self, range: Range<usize>, is_before: impl Fn(&T) -> bool) -> usize {
        first_position(range, |i| !is_before(&self[i]))
    }

    /// Indexed by position: index in the values as they were made, then in what was added; `None`: each at its own.
    pub fn order(&self) -> Option<&Arc<Vec<u32>>> {
        self.order.as_ref()
    }

    fn is_plain(&self) -> bool {
        self.order.is_none() && self.more.is_empty()
    }
}

impl<T: PartialEq> SharedColumn<T> {
    /// Whether both show the same values of memory at these positions; what stands behind `values` is compared.
    pub fn is_same_in(&self, other: &SharedColumn<T>, range: Range<usize>) -> bool {
        if !Arc::ptr_eq(&self.values, &other.values) || range.end > self.len().min(other.len()) {
            return false;
        }
        let n = self.values.len();
        if self.order.is_none() && other.order.is_none() && range.end <= n {
            return true;
        }
        let number = |column: &Self, i: usize| column.order.as_ref().map_or(i, |order| order[i] as usize);
        range.into_iter().all(|i| {
            let (own, others) = (number(self, i), number(other, i));
            own == others && (own < n || self.more.get(own - n) == other.more.get(own - n))
        })
    }
}

impl<T: Clone> SharedColumn<T> {
    /// The values of consecutive positions; `None` where there are fewer.
    pub fn run(&self, range: Range<usize>) -> Option<Cow<'_, [T]>> {
        if self.is_plain() {
            return self.values.get(range).map(Cow::Borrowed);
        }
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        // Reserved at once, and without a test of each: a run can have millions.
        let mut out = Vec::with_capacity(range.len());
        out.extend(range.map(|i| self[i].clone()));
        Some(Cow::Owned(out))
    }

    /// To change it; the values are copied first where another table has them as well.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if !self.is_plain() {
            *self = self.iter().cloned().collect();
        }
        Arc::make_mut(&mut self.values)
    }

    /// The same values, and `more` behind all of them, in this order: position `i` has number `order[i]` of all. A number that is not there is a
    /// panic when it is read. [`order_with`](Self::order_with) leaves what is there at its position.
    pub fn with_more(&self, order: Option<Arc<Vec<u32>>>, more: impl IntoIterator<Item = T>) -> Self {
        let more = self.more.iter().cloned().chain(more).collect();
        SharedColumn { values: self.values.clone(), more: Arc::new(more), order }
    }

    /// The order with `n` more values behind all others, for all columns of a table.
    pub fn order_with(&self, n: usize) -> Option<Arc<Vec<u32>>> {
        let first = (self.values.len() + self.more.len()) as u32;
        self.order.as_ref().map(|order| Arc::new(order.iter().copied().chain(first..first + n as u32).collect()))
    }
}

impl<T> Index<usize> for SharedColumn<T> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        let at = self.order.as_ref().map_or(i, |order| order[i] as usize);
        match at.checked_sub(self.values.len()) {
            None => &self.values[at],
            Some(behind) => &self.more[behind],
        }
    }
}

impl<T> From<Vec<T>> for SharedColumn<T> {
    fn from(values: Vec<T>) -> Self {
        SharedColumn { values: Arc::new(values), more: Arc::default(), order: None }
    }
}

impl<T> FromIterator<T> for SharedColumn<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(column: &SharedColumn<u32>) -> Vec<u32> {
        column.iter().copied().collect()
    }

    #[test]
    fn a_changed_clone_leaves_the_others_as_they_are() {
        let first: SharedColumn<u32> = (0..3).collect();
        let mut second = first.clone();
        assert!(Arc::ptr_eq(&first.values, &second.values) && second == first);
        second.to_mut().push(3);
        assert_eq!((all(&first), second.run(1..4)), (vec![0, 1, 2], Some(Cow::Borrowed(&[1, 2, 3][..]))));
    }

    #[test]
    fn another_order_shares_the_values() {
        let values: SharedColumn<u32> = vec![10, 11, 12, 13].into();
        let moved = values.with_more(Some(Arc::new(vec![3, 4, 0])), [20]);
        assert_eq!((all(&moved), moved.len(), moved.get(3), moved[1]), (vec![13, 20, 10], 3, None, 20));
        assert!(Arc::ptr_eq(&moved.values, &values.values));
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
        let first = |range, at: u32| column.partition_point(range, |v| *v < at);
        assert_eq!((first(0..3, 3), first(0..3, 9), first(1..2, 0), first(2..2, 9)), (1, 3, 1, 2));
    }
}
