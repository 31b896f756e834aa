//! The files of the tokenizer beside a model on a server.

use super::prelude::*;

/// Reads the files of the tokenizer beside a model on a server. Their bytes are sent first, a message each, in the order
/// of the names in the answer: they are for another program, and the page does not read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenizerFiles {
    /// Address or name of the model.
    pub model: String,
}

impl SingleAnswer for TokenizerFiles {
    /// Names of the files; none if the model has no tokenizer.
    type Answer = Vec<String>;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<String>, Failure> {
        let remote = context.session.remote().await?;
        let files = remote.tokenizer_files(&self.model).await?;
        let (names, bytes): (_, Vec<_>) = files.into_iter().unzip();
        for bytes in bytes {
            context.send_bytes(bytes);
        }
        Ok(names)
    }
}
