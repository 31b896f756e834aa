//! The user's own lesson: a text file on this device or at an address.

use super::prelude::*;
use crate::{
    checkpoint::{AnySource, BundleFiles, ByteSource, CheckpointError},
    lazy::lazy,
};
use lesson_format::{LONGEST_TEXT, Lesson, LessonError};

/// Reads a lesson: the file that comes with the question, or the text at an address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadLesson {
    /// The address, if no file comes with the question.
    pub address: Option<String>,
}

impl SingleAnswer for ReadLesson {
    type Answer = Lesson;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Lesson, Failure> {
        let file = context.take_files().into_iter().next();
        let (name, source) = match (file, self.address) {
            (Some((name, file)), _) => (name, AnySource::Local(file)),
            (None, Some(address)) => {
                let remote = context.session.remote().await?.open(&address, true).await?;
                match remote.files {
                    BundleFiles::One(source) => (remote.name, AnySource::Remote(source)),
                    BundleFiles::Shards { .. } => {
                        return Err(Failure::not_there(format!(
                            "“{address}” is not a file, so it is not a lesson. Choose a text file."
                        )));
                    }
                }
            }
            (None, None) => return Err(Failure::model_closed()),
        };
        let text = text_of(&source, &name).await?;
        parse_lesson(&text).await?.map_err(|error| {
            Failure::not_there(format!("{name} could not be read as a lesson. {error}"))
        })
    }
}

lazy! { in lessons;
    async fn parse_lesson(text: &str) -> Result<Lesson, LessonError> {
        Lesson::parse(text)
    }
}

async fn text_of<L: ByteSource>(source: &AnySource<L>, name: &str) -> Result<String, Failure> {
    let to_failure = |error| Failure::from(CheckpointError::Source(error));
    source.ready().await.map_err(to_failure)?;
    let size = source.size();
    if size > LONGEST_TEXT as u64 {
        return Err(Failure::not_there(format!(
            "{name} has {size} bytes. A lesson is a text of at most {LONGEST_TEXT}."
        )));
    }
    let bytes = source.read(0..size).await.map_err(to_failure)?;
    let text = String::from_utf8(bytes);
    text.map_err(|error| {
        let line = 1 + (error.as_bytes().iter().take(error.utf8_error().valid_up_to()))
            .filter(|byte| **byte == b'\n')
            .count();
        Failure::not_there(format!(
            "{name} is not UTF-8 text: line {line} has other bytes. Save it as UTF-8 and open it again."
        ))
    })
}
