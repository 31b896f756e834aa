//! Undo and redo. A gesture, such as dragging a slider, is one step, however many states it passes through.

/// Maximum number of undo steps.
const DEPTH: usize = 200;

/// Undo and redo stacks of a value.
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
    /// Records the value before a change. Changes of one gesture count as one step.
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

    /// Ends a gesture: the next change is a new step.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Returns the value before the last step; [`UndoHistory::redo`] restores `present`.
    pub fn undo(&mut self, present: T) -> Option<T> {
        self.gesture = None;
        let before = self.past.pop()?;
        self.future.push(present);
        Some(before)
    }

    /// Returns the value that was undone last.
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
