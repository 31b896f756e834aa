//! A small map with numeric keys. A list is fast enough for a few entries, and adds a tenth of a map's code to the
//! first paint.

/// A map from numbers to values, searched linearly.
#[derive(Debug)]
pub(super) struct ByNumber<T>(Vec<(u32, T)>);

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByNumber<T> {
    /// Returns the value of a number.
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let (_, thing) = self.0.iter().find(|(other, _)| *other == number)?;
        Some(thing)
    }

    /// Inserts a value and drops the previous one of that number.
    pub(super) fn insert(&mut self, number: u32, thing: T) {
        self.remove(number);
        self.0.push((number, thing));
    }

    /// Removes and returns the value of a number.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let at = self.0.iter().position(|(other, _)| *other == number)?;
        Some(self.0.remove(at).1)
    }
}
