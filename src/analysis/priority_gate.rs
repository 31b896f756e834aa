//! Who goes first: a less urgent question begins when no more urgent one is being answered.
//!
//! Only the beginning waits. A question that has begun goes on, since it may hold what others wait for.

use super::Urgency;
use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    task::{Poll, Waker},
};

/// Counts the questions that are being answered, by urgency.
#[derive(Debug, Default)]
pub(super) struct PriorityGate {
    running: [Cell<usize>; 3],
    waiting: RefCell<Vec<Waker>>,
}

/// A question's turn; it ends when this is dropped.
pub(super) struct GatePass<'a> {
    turns: &'a PriorityGate,
    urgency: Urgency,
}

impl PriorityGate {
    /// Waits until nothing more urgent is being answered.
    pub(super) async fn begin(&self, urgency: Urgency) -> GatePass<'_> {
        poll_fn(|context| {
            let more_urgent = &self.running[..urgency as usize];
            if more_urgent.iter().all(|count| count.get() == 0) {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
        let count = &self.running[urgency as usize];
        count.set(count.get() + 1);
        GatePass {
            turns: self,
            urgency,
        }
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        let count = &self.turns.running[self.urgency as usize];
        count.set(count.get() - 1);
        for waker in self.turns.waiting.take() {
            waker.wake();
        }
    }
}
