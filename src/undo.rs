//! Undo and redo: states before and after the present one. A gesture, such as pulling a slider, is one
//! step however many states it passes through.

/// Steps kept.
const DEPTH: usize = 200;

/// The past and the undone future of a value.
#[derive(Debug, Clone)]
pub struct UndoHistory<T> {
    past: Vec<T>,
    future: Vec<T>,
    gesture: Option<u32>,
}

impl<T> Default for UndoHistory<T> {
    fn default() -> Self {
        Self {
            past: Vec::new(),
            future: Vec::new(),
            gesture: None,
        }
    }
}

impl<T> UndoHistory<T> {
    /// Remembers the value before a change. Changes of one gesture count as one.
    pub fn record(&mut self, before: T, gesture: Option<u32>) {
        if gesture.is_some() && gesture == self.gesture {
            return;
        }
        self.gesture = gesture;
        self.future.clear();
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        self.past.push(before);
    }

    /// The next change is a step of its own.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// The value before the last step; `present` can be had back by [`UndoHistory::redo`].
    pub fn undo(&mut self, present: T) -> Option<T> {
        self.gesture = None;
        let before = self.past.pop()?;
        self.future.push(present);
        Some(before)
    }

    /// The value that was undone last.
    pub fn redo(&mut self, present: T) -> Option<T> {
        self.gesture = None;
        let after = self.future.pop()?;
        self.past.push(present);
        Some(after)
    }

    /// Whether there is something to undo.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is something to redo.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}
