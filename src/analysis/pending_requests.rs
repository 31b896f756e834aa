//! What is being answered, in the order in which it was sent: some dozens at most, so that they are looked through.

/// Things by the number under which they were sent.
#[derive(Debug)]
pub struct PendingRequests<T>(Vec<(u32, T)>);

// Not derived, which would ask for things that have a default.
impl<T> Default for PendingRequests<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PendingRequests<T> {
    /// One is sent, under a number that no other has now.
    pub fn insert(&mut self, number: u32, thing: T) {
        self.0.push((number, thing));
    }

    /// The one of a number.
    pub fn get(&self, number: u32) -> Option<&T> {
        let found = self.0.iter().find(|(other, _)| *other == number);
        found.map(|(_, thing)| thing)
    }

    /// The one of a number has ended.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let at = self.0.iter().position(|(other, _)| *other == number)?;
        Some(self.0.remove(at).1)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, thing)| thing)
    }

    /// The numbers of those that are meant.
    pub fn numbers(&self, is_meant: impl Fn(&T) -> bool) -> Vec<u32> {
        let meant = self.0.iter().filter(|(_, thing)| is_meant(thing));
        meant.map(|(number, _)| *number).collect()
    }

    /// All of them and their numbers; none is left.
    pub fn take(&mut self) -> Vec<(u32, T)> {
        std::mem::take(&mut self.0)
    }

    /// Whether nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
