//! Opening a model: from the user's files, from a name or address, or computed.

use super::prelude::*;
use crate::{
    analysis::{
        ModelSummary,
        opening::{open_computed_table, open_files, open_remote_files},
    },
    checkpoint::{ErrorKind, TensorInfo},
    encoding::{Random, Sinusoidal},
    model::ModelOptions,
};
use std::rc::Rc;

/// Opens a model. Any model that is open under the same number stays until this succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenModel {
    /// Version of the opened model.
    pub version: ModelVersion,
    /// Source of the model.
    pub origin: Origin,
    /// Options for opening it.
    pub choice: ModelOptions,
}

/// Source of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Origin {
    /// The files that come with the question, all of one model.
    Files,
    /// An address, or a model of the Hugging Face Hub.
    Web {
        /// Text that was typed or pasted.
        text: String,
        /// Whether a file may be fetched whole if the server does not send parts.
        whole: bool,
    },
    /// A computed sinusoidal table.
    Sinusoidal(Sinusoidal),
    /// A computed table of random numbers.
    Random(Random),
}

/// Result of opening a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OpenResult {
    /// The model is open.
    Opened(Box<ModelSummary>),
    /// The family is unknown, its positions cannot be shown, or the user asks, as the sentence says. The tensors are
    /// candidates for the position table, words, queries and keys, and vectors that may be norms.
    Choose(Vec<TensorInfo>, String),
    /// The server does not send parts of files: asks whether the file may be fetched whole. With its size if known.
    AskWhole(Option<u64>),
}

impl SingleAnswer for OpenModel {
    type Answer = OpenResult;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.version)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<OpenResult, Failure> {
        let session = context.session;
        let gate = session.gate(self.version.id);
        let _alone = gate.lock().await;
        let file = match self.origin {
            Origin::Files => open_files(context.take_files()).await?,
            Origin::Web { text, whole } => {
                let remote = session.remote().await?;
                match remote.open(&text, whole).await {
                    Ok(model) => open_remote_files(model).await?,
                    Err(failure) => match failure.kind {
                        ErrorKind::OnlyWhole { size } => return Ok(OpenResult::AskWhole(size)),
                        _ => return Err(failure.into()),
                    },
                }
            }
            Origin::Sinusoidal(table) => {
                let about = (
                    "sinusoidal",
                    format!("sines and cosines, base {}", table.base),
                );
                let summary =
                    open_computed_table(session, self.version, table.table(), about, context)
                        .await?;
                return Ok(OpenResult::Opened(Box::new(summary)));
            }
            Origin::Random(table) => {
                let about = ("random", format!("noise baseline, seed {}", table.seed));
                let summary =
                    open_computed_table(session, self.version, table.table(), about, context)
                        .await?;
                return Ok(OpenResult::Opened(Box::new(summary)));
            }
        };
        session
            .open_file(self.version, Rc::new(file), &self.choice, context)
            .await
    }
}
