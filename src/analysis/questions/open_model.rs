//! Opening a model: from files handed over, from what somebody named, or computed.

use crate::{
    analysis::{
        Compute, Desk, Failure, ModelSummary, Opened, Reply, SingleAnswer, Urgency,
        opening::{computed, of_files, of_servers},
    },
    checkpoint::{ByteSource, ErrorKind, TensorInfo},
    encoding::{Random, Sinusoidal},
    model::Choice,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Opens a model. What was open under its number stays until this succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenModel {
    /// What it will be known as.
    pub opened: Opened,
    /// Where it comes from.
    pub origin: Origin,
    /// How it is looked at.
    pub choice: Choice,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Origin {
    /// The files that come with the question: those of one model.
    Files,
    /// What a person named: an address, or a model of the Hugging Face Hub.
    Web {
        /// What was typed or pasted.
        named: String,
        /// Whether it may be read whole where the server sends no parts.
        whole: bool,
    },
    /// A computed table.
    Sinusoidal(Sinusoidal),
    /// A computed table.
    Random(Random),
}

/// What came of opening a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Opening {
    /// It is open.
    Opened(Box<ModelSummary>),
    /// No family is known, or its positions are of no kind that is shown, which the sentence says. These
    /// tensors could be the position table, or queries and keys.
    Choose(Vec<TensorInfo>, String),
    /// The server sends no parts of files: may it be read whole? With its size where that is known.
    AskWhole(Option<u64>),
}

impl SingleAnswer for OpenModel {
    type Answer = Opening;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.opened)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Opening, Failure> {
        let session = desk.session;
        let gate = session.gate(self.opened.id);
        let _alone = gate.lock().await;
        let formats = session.late.formats;
        let file = match self.origin {
            Origin::Files => of_files(desk.take_files(), formats).await?,
            Origin::Web { named, whole } => {
                let remote = session.remote().await?;
                match remote.open(&named, whole).await {
                    Ok(model) => of_servers(model, formats).await?,
                    Err(failure) => match failure.kind {
                        ErrorKind::OnlyWhole { size } => return Ok(Opening::AskWhole(size)),
                        _ => return Err(failure.into()),
                    },
                }
            }
            Origin::Sinusoidal(table) => {
                let named = (
                    "sinusoidal",
                    format!("sines and cosines, base {}", table.base),
                );
                let summary = computed(session, self.opened, table.table(), named, desk).await?;
                return Ok(Opening::Opened(Box::new(summary)));
            }
            Origin::Random(table) => {
                let named = ("random", format!("noise baseline, seed {}", table.seed));
                let summary = computed(session, self.opened, table.table(), named, desk).await?;
                return Ok(Opening::Opened(Box::new(summary)));
            }
        };
        session
            .open_file(self.opened, Rc::new(file), &self.choice, desk)
            .await
    }
}
