//! A few things by number. A list is enough for them, and weighs a tenth of a map in the first paint.

/// Things by number, each of which has one at most.
#[derive(Debug)]
pub(super) struct ByNumber<T>(Vec<(u32, T)>);

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByNumber<T> {
    /// The thing of a number.
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let (_, thing) = self.0.iter().find(|(other, _)| *other == number)?;
        Some(thing)
    }

    /// Keeps a thing in the place of what had its number before.
    pub(super) fn insert(&mut self, number: u32, thing: T) {
        self.remove(number);
        self.0.push((number, thing));
    }

    /// Takes the thing of a number out.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let at = self.0.iter().position(|(other, _)| *other == number)?;
        Some(self.0.remove(at).1)
    }
}
