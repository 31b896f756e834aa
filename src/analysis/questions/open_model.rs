//! Opening a model: from files handed over, from what somebody named, or computed.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, ModelSummary, ModelVersion, ResponseSink, SingleAnswer,
        Urgency,
        opening::{computed, of_files, of_servers},
    },
    checkpoint::{ByteSource, ErrorKind, TensorInfo},
    encoding::{Random, Sinusoidal},
    model::ModelOptions,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Opens a model. What was open under its number stays until this succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenModel {
    /// What it will be known as.
    pub opened: ModelVersion,
    /// Where it comes from.
    pub origin: Origin,
    /// How it is looked at.
    pub choice: ModelOptions,
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
pub enum OpenResult {
    /// It is open.
    Opened(Box<ModelSummary>),
    /// No family is known, or its positions are of no kind that is shown, which the sentence says. These
    /// tensors could be the position table, or queries and keys.
    Choose(Vec<TensorInfo>, String),
    /// The server sends no parts of files: may it be read whole? With its size where that is known.
    AskWhole(Option<u64>),
}

impl SingleAnswer for OpenModel {
    type Answer = OpenResult;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<ModelVersion> {
        Some(self.opened)
    }

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<OpenResult, Failure> {
        let session = context.session;
        let gate = session.gate(self.opened.id);
        let _alone = gate.lock().await;
        let formats = session.late.formats;
        let file = match self.origin {
            Origin::Files => of_files(context.take_files(), formats).await?,
            Origin::Web { named, whole } => {
                let remote = session.remote().await?;
                match remote.open(&named, whole).await {
                    Ok(model) => of_servers(model, formats).await?,
                    Err(failure) => match failure.kind {
                        ErrorKind::OnlyWhole { size } => return Ok(OpenResult::AskWhole(size)),
                        _ => return Err(failure.into()),
                    },
                }
            }
            Origin::Sinusoidal(table) => {
                let named = (
                    "sinusoidal",
                    format!("sines and cosines, base {}", table.base),
                );
                let summary = computed(session, self.opened, table.table(), named, context).await?;
                return Ok(OpenResult::Opened(Box::new(summary)));
            }
            Origin::Random(table) => {
                let named = ("random", format!("noise baseline, seed {}", table.seed));
                let summary = computed(session, self.opened, table.table(), named, context).await?;
                return Ok(OpenResult::Opened(Box::new(summary)));
            }
        };
        session
            .open_file(self.opened, Rc::new(file), &self.choice, context)
            .await
    }
}
