//! A server that behaves like the Hugging Face Hub, for trying things manually: `cargo run --package browser --bin hub
//! -- [PORT] [FOLDER…]`.
//!
//! It has `test/bert-base` (438 MB), `test/large` (6.5 GB), and each folder given as `test/NAME`. A revision that is
//! the name of a fault causes it: `test/bert-base@stall`.

use std::path::PathBuf;
use std::time::Duration;

use browser::Result;
use browser::hub::{Content, Fault, Hub};

fn main() -> Result {
    let mut arguments = std::env::args().skip(1).peekable();
    let port = arguments.next_if(|word| word.parse::<u16>().is_ok());
    let hub = Hub::start(port.map_or(Ok(0), |port| port.parse())?, true)?;
    hub.set_latency(Duration::from_millis(20));
    for (model, words) in [("test/bert-base", 30_522), ("test/large", 2_000_000)] {
        hub.put(model, "model.safetensors", Content::bert(words));
        hub.put(model, "config.json", Content::bert_config());
    }
    for folder in arguments.map(PathBuf::from) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        hub.put_folder(&format!("test/{name}"), &folder)?;
    }
    println!(
        "The Hub is at {} (stop with Ctrl-C). Its faults:",
        hub.origin()
    );
    for (name, _) in Fault::NAMES {
        println!("  test/bert-base@{name}");
    }
    loop {
        std::thread::park();
    }
}
