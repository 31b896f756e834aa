//! Starts questions by urgency: a question begins only when no more urgent one is being answered.
//!
//! Only the beginning waits. A question that has begun is not held up, since others may wait for what it computes.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    task::{Poll, Waker},
};

/// Urgency of a question. The worker begins a question only when no more urgent one is being answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Needed for the figure in view.
    Now,
    /// Needed beside the figure in view.
    Soon,
    /// Not in view yet, or as long as everything else together.
    Later,
}

/// Numbers of questions being answered, by urgency.
#[derive(Debug, Default)]
pub(super) struct PriorityGate {
    running_counts: [Cell<usize>; 3],
    wakers: RefCell<Vec<Waker>>,
}

/// Permit of a question that is being answered; ends when it is dropped.
pub(super) struct GatePass<'a> {
    turns: &'a PriorityGate,
    urgency: Urgency,
}

impl PriorityGate {
    /// Waits until no more urgent question is being answered.
    pub(super) async fn begin(&self, urgency: Urgency) -> GatePass<'_> {
        poll_fn(|context| {
            let more_urgent = &self.running_counts[..urgency as usize];
            if more_urgent.iter().all(|count| count.get() == 0) {
                return Poll::Ready(());
            }
            self.wakers.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
        let count = &self.running_counts[urgency as usize];
        count.set(count.get() + 1);
        GatePass {
            turns: self,
            urgency,
        }
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        let count = &self.turns.running_counts[self.urgency as usize];
        count.set(count.get() - 1);
        for waker in self.turns.wakers.take() {
            waker.wake();
        }
    }
}
