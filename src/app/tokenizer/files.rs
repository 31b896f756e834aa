//! The files of a model's tokenizer: those that were opened with it or added to it, or those beside it on the web.

use crate::{
    analysis::{Failure, FailureKind, ModelId, Origin, TokenizerFiles},
    app::query_client::{MutationEvent, NamedFile, QueryClient},
    lazy::LoadFailure,
    model::SITE_MODELS,
    same_origin_files,
};
use futures_channel::oneshot;
use js_sys::Array;
use std::{cell::RefCell, rc::Rc};
use text_tokenizer::is_tokenizer_file;
use web_sys::Blob;

/// Files of a tokenizer in a folder of this site.
const SITE_FILES: [&str; 2] = ["tokenizer.json", "tokenizer_config.json"];

/// Returns the files of an open model's tokenizer, none if it has no tokenizer. Of a model on the web they are fetched,
/// from the same place and hence with the visitor's consent.
///
/// # Errors
/// If a file on the web exists and cannot be read.
pub(in crate::app) async fn tokenizer_files(
    client: QueryClient,
    model: ModelId,
) -> Result<Vec<NamedFile>, Failure> {
    let Some(reopening) = client.reopening(model) else {
        return Ok(Vec::new());
    };
    let mut files = reopening.files;
    if files.iter().any(|(path, _)| is_tokenizer_file(path)) {
        files.retain(|(path, _)| is_tokenizer_file(path) || is_configuration(path));
        return Ok(files);
    }
    // A preset's only file is called after it, and so is the folder of its whole model.
    let mut folders = SITE_MODELS
        .iter()
        .filter_map(|model| model.weights.split('/').next());
    let folder = folders.find(|folder| files.iter().any(|(path, _)| path == folder));
    match (reopening.origin, folder) {
        (Origin::Web { text, .. }, _) => fetch(client, text).await,
        (Origin::Files, Some(folder)) => site_tokenizer(&format!("presets/{folder}")).await,
        _ => Ok(Vec::new()),
    }
}

/// Returns the files of a tokenizer in a folder of this site, such as `presets/minilm-l6`. Returns none if the site was
/// built without them.
///
/// # Errors
/// If they cannot be fetched.
pub(in crate::app) async fn site_tokenizer(folder: &str) -> Result<Vec<NamedFile>, Failure> {
    let mut files = Vec::new();
    for name in SITE_FILES {
        match same_origin_files::load(&format!("{folder}/{name}")).await {
            Ok(file) => files.push((name.to_owned(), file)),
            Err(LoadFailure::Lost) => return Ok(Vec::new()),
            Err(why) => {
                let sentence = format!(
                    "The tokenizer could not be fetched from this page’s own server. {why}"
                );
                return Err(Failure::new(FailureKind::Network, sentence));
            }
        }
    }
    Ok(files)
}

/// Fetches the files beside a model on the web.
async fn fetch(client: QueryClient, model: String) -> Result<Vec<NamedFile>, Failure> {
    let (sender, receiver) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let blobs: Rc<RefCell<Vec<Blob>>> = Rc::default();
    client.run(TokenizerFiles { model }, Vec::new(), move |event| {
        let result = match event {
            MutationEvent::Bytes(bytes) => {
                let blob = Blob::new_with_u8_array_sequence(&Array::of1(&bytes));
                blobs.borrow_mut().extend(blob);
                return;
            }
            MutationEvent::Chunk(names) => Ok(names.into_iter().zip(blobs.take()).collect()),
            MutationEvent::Failed(failure) => Err(failure),
            MutationEvent::Done => return,
        };
        if let Some(sender) = sender.take() {
            // The receiver is dropped when the view that waits for the files goes.
            let _ = sender.send(result);
        }
    });
    receiver.await.unwrap_or_else(|_| Ok(Vec::new()))
}

/// Whether a file is a model's configuration, which names the kind of tokenizer.
fn is_configuration(path: &str) -> bool {
    path.rsplit('/').next() == Some("config.json")
}
