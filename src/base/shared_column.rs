//! Columns that several tables share: a copy of a table has the same values, not other ones.

use std::ops::Deref;
use std::sync::Arc;

/// A column whose clones share its values. It reads as a slice of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedColumn<T>(Arc<Vec<T>>);

impl<T> SharedColumn<T> {
    /// Whether both are the same values in memory.
    pub fn is_same(&self, other: &SharedColumn<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Clone> SharedColumn<T> {
    /// To change it; the values are copied first where another table has them as well.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> Deref for SharedColumn<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for SharedColumn<T> {
    fn from(values: Vec<T>) -> Self {
        SharedColumn(Arc::new(values))
    }
}

impl<T> FromIterator<T> for SharedColumn<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a SharedColumn<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_clone_leaves_the_others_as_they_are() {
        let first: SharedColumn<u32> = (0..3).collect();
        let mut second = first.clone();
        assert!(first.is_same(&second) && second.iter().eq(&first));
        second.to_mut().push(3);
        assert!(!first.is_same(&second));
        assert_eq!((&first[..], &second[1..]), (&[0, 1, 2][..], &[1, 2, 3][..]));
    }
}
