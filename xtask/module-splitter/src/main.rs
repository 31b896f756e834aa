//! Splits a compiled program into parts and writes the script that starts it.
//!
//! `module-splitter MODULE FOLDER NAME [--whole]` reads the module that the compiler wrote and writes into the folder
//! `NAME.js`, `NAME_bg.wasm` and, without `--whole`, the parts that are loaded on first use and the script that loads
//! them, `__wasm_split.js`.
//!
//! It is a package of its own, which the commands compile when they first build the page: other commands do without
//! the libraries. As libraries rather than installed programs, they have the versions in `Cargo.lock`, and neither
//! their command lines nor their test runners are compiled.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support as splitter;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [module, folder, name] => {
            let folder = Path::new(folder);
            let main_part = folder.join(format!("{name}.wasm"));
            split(Path::new(module), folder, name, &main_part)?;
            write_script(&main_part, folder, name)?;
            Ok(fs::remove_file(main_part)?)
        }
        [module, folder, name, "--whole"] => {
            write_script(Path::new(module), Path::new(folder), name)
        }
        _ => Err("usage: module-splitter MODULE FOLDER NAME [--whole]".into()),
    }
}

/// Splits a module. wasm-bindgen discards the relocations, which say what is reachable from what, so this comes first.
fn split(module: &Path, folder: &Path, name: &str, main_part: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(module)?;
    let script = format!("./{name}.js");
    let mut options = splitter::Options::new(&bytes);
    options.output_dir = folder;
    options.main_out_path = main_part;
    options.main_module = &script;
    splitter::transform(options)?;
    Ok(())
}

/// Writes a module without wasm-bindgen's marks, and the script that they describe.
fn write_script(module: &Path, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)?
        .input_path(module)
        .out_name(name)
        .typescript(false)
        // Without an address, the script takes the module beside it.
        .omit_default_module_path(false)
        // Names of its shims: 1.2 KB of the compressed page.
        .remove_name_section(true)
        // The function table, through which the parts call each other.
        .keep_lld_exports(true);
    Ok(bindgen.generate(folder)?)
}
