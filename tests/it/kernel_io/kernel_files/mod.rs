//! Kernels exported as JSON, CSV and safetensors, and read back: the same scores, or a message.

mod file_scores;
mod limits;
mod module;
mod round_trips;

use diagonal::{
    analysis::{HeadDetail, HeadOverview, MemorySession, ModelSummary, ScoreMode},
    checkpoint::MemorySource,
    encoding::{HeadKernels, Kernel, KernelSet, Kernels},
    model::ModelOptions,
    url_state::default_kernels,
};

use crate::support::questions::{self, ask, head_of_first};

/// Opens a file as the page does; the error is the message.
fn open(name: &str, bytes: &[u8]) -> Result<(MemorySession, ModelSummary), String> {
    let session = MemorySession::default();
    let files = vec![(name.to_owned(), MemorySource::new(bytes))];
    match questions::open(&session, files, ModelOptions::default()) {
        Ok(summary) => Ok((session, summary)),
        Err(failure) => Err(failure.sentence),
    }
}

fn head(session: &MemorySession, layer: usize, head: usize) -> HeadDetail {
    let of = head_of_first(ScoreMode::AsComputed, layer, head);
    ask(session, HeadOverview { of }).expect("a head")
}

/// Three kernels with centres that single precision would round, in two layers and distant heads.
fn some() -> KernelSet {
    let mut set = KernelSet::default();
    let far = Kernels(vec![
        Kernel::new(512.25, 0.001, -37.81),
        Kernel::new(-511.5, 0.001, -37.79),
    ]);
    for (layer, head, kernels) in [(0, 0, default_kernels()), (11, 2, far)] {
        let intercept = Some(0.5);
        set.put(layer, head, HeadKernels { kernels, intercept });
    }
    set
}
