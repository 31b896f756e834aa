//! Pending requests in the order in which they were sent. There are a few dozen at most, so lookups are linear.

/// Pending requests by number.
#[derive(Debug)]
pub struct PendingRequests<T>(Vec<(u32, T)>);

// Not derived, because that would require `T: Default`.
impl<T> Default for PendingRequests<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PendingRequests<T> {
    /// Adds a request under a number that is not in use.
    pub fn insert(&mut self, number: u32, thing: T) {
        self.0.push((number, thing));
    }

    /// Returns the request with this number.
    pub fn get(&self, number: u32) -> Option<&T> {
        let entry = self.0.iter().find(|(other, _)| *other == number);
        entry.map(|(_, thing)| thing)
    }

    /// Removes and returns the request with this number.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let at = self.0.iter().position(|(other, _)| *other == number)?;
        Some(self.0.remove(at).1)
    }

    /// Iterates over all requests.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, thing)| thing)
    }

    /// Numbers of the matching requests.
    pub fn numbers(&self, is_meant: impl Fn(&T) -> bool) -> Vec<u32> {
        let matching = self.0.iter().filter(|(_, thing)| is_meant(thing));
        matching.map(|(number, _)| *number).collect()
    }

    /// Removes all requests and returns them with their numbers.
    pub fn take(&mut self) -> Vec<(u32, T)> {
        std::mem::take(&mut self.0)
    }

    /// Whether no request is pending.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
