//! Client of the page's own worker. Sends it questions as the page does; the worker starts its usual helpers.

use diagonal::analysis::{
    AnyQuestion, MatrixPart, ModelVersion, Notification, OpenModel, Origin, PositionTile,
    Similarity,
};
use diagonal::math::Tile;
use diagonal::model::ModelOptions;
use diagonal::protocol::{AnalysisRequest, AnalysisResponse, AnalysisWorker};
use js_sys::{Array, Function, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;
use worker_protocol::{Attachments, WorkerHandle};

/// Name of the only tensor in the file.
const TABLE: &str = "table";
const OPENED: ModelVersion = ModelVersion { id: 1, revision: 1 };

/// A worker and its one pending question.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PageWorker {
    worker: WorkerHandle<AnalysisWorker>,
    asked: Rc<QueryState>,
    number: Cell<u32>,
    product: RefCell<Vec<f32>>,
}

#[derive(Debug, Default)]
struct QueryState {
    piece: RefCell<Vec<u8>>,
    /// Computing time that the worker reports, in milliseconds.
    took_ms: Cell<u32>,
    /// Resolves or rejects the pending promise.
    settle: RefCell<Option<(Function, Function)>>,
}

impl QueryState {
    fn receive(&self, response: AnalysisResponse, attachments: &Attachments) {
        let ended = match response {
            AnalysisResponse::Chunk => {
                let piece = attachments.bytes(0);
                (self.piece).replace(piece.map(|piece| piece.to_vec()).unwrap_or_default());
                return;
            }
            AnalysisResponse::News(Notification::Computed(computed)) => {
                self.took_ms.set(computed.took_ms);
                return;
            }
            AnalysisResponse::News(Notification::Done) => None,
            AnalysisResponse::News(Notification::Failed(failure)) => Some(failure.sentence),
            _ => return,
        };
        if let Some((resolve, reject)) = self.settle.take() {
            // Resolve and reject functions of a promise do not throw.
            let _ = match ended {
                None => resolve.call0(&JsValue::NULL),
                Some(sentence) => reject.call1(&JsValue::NULL, &sentence.into()),
            };
        }
    }
}

#[wasm_bindgen]
impl PageWorker {
    /// Starts the worker at an address and opens a table there.
    ///
    /// # Errors
    /// If the worker does not start, or cannot open the table.
    pub async fn open(address: String, table: Vec<f32>, width: usize) -> Result<Self, JsValue> {
        let state = Rc::<QueryState>::default();
        let receive = {
            let state = Rc::clone(&state);
            move |_, response, attachments: Attachments| state.receive(response, &attachments)
        };
        let this = Self {
            worker: WorkerHandle::start(&address, None, receive, |_| ())?,
            asked: state,
            number: Cell::new(0),
            product: RefCell::default(),
        };
        let question = OpenModel {
            version: OPENED,
            origin: Origin::Files,
            choice: ModelOptions {
                table: Some(TABLE.to_owned()),
                ..ModelOptions::default()
            },
        };
        let file = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(
            safetensors(&table, width).as_slice(),
        )))?;
        this.ask(
            question.into(),
            vec![("model.safetensors".to_owned(), file)],
        )
        .await?;
        Ok(this)
    }

    /// Asks for P, the table's position matrix, cell by cell, and waits until its numbers have arrived.
    ///
    /// # Errors
    /// If the worker fails to answer.
    pub async fn product(&self, rows: usize) -> Result<(), JsValue> {
        let question = PositionTile {
            of: OPENED,
            similarity: Similarity::default(),
            part: MatrixPart::Whole,
            window: None,
            limit: rows,
        };
        self.ask(question.into(), Vec::new()).await?;
        let tile: Tile =
            postcard::from_bytes(&self.asked.piece.take()).map_err(|error| error.to_string())?;
        self.product.replace(tile.values);
        Ok(())
    }

    /// Time in milliseconds that the worker spent on P, without the transfer to the page.
    #[must_use]
    pub fn took_ms(&self) -> u32 {
        self.asked.took_ms.get()
    }

    /// The numbers of P, row by row.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        self.product.borrow().clone()
    }

    async fn ask(&self, question: AnyQuestion, files: Vec<(String, Blob)>) -> Result<(), JsValue> {
        let answer = Promise::new(&mut |resolve, reject| {
            self.asked.settle.replace(Some((resolve, reject)));
        });
        let number = self.number.get() + 1;
        self.number.set(number);
        let (paths, files): (_, Vec<_>) = files.into_iter().unzip();
        let request = AnalysisRequest { question, paths };
        (self.worker).send(number, &request, &Attachments::from_files(&files));
        JsFuture::from(answer).await.map(drop)
    }
}

/// A safetensors file with one table.
fn safetensors(table: &[f32], width: usize) -> Vec<u8> {
    let bytes = 4 * table.len();
    let rows = table.len() / width;
    let header = format!(
        r#"{{"{TABLE}":{{"dtype":"F32","shape":[{rows},{width}],"data_offsets":[0,{bytes}]}}}}"#
    );
    let length = (header.len() as u64).to_le_bytes();
    let numbers = table.iter().flat_map(|number| number.to_le_bytes());
    length
        .into_iter()
        .chain(header.into_bytes())
        .chain(numbers)
        .collect()
}
