//! Numbers as the names of what a program imports from its script.
//!
//! wasm-bindgen's names end in hashes, which do not compress, and stand in the module and in the script. Numbers take
//! 11 of 404 KB off the compressed first paint.

use std::collections::HashMap;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ImportSection, Module, RawSection};
use wasmparser::{Parser, Payload};

use crate::Result;

/// Replaces the names of all imports from the module `from` by numbers, in a program and in its script. The script
/// defines each of them on a line that begins with `NAME: `.
///
/// # Errors
/// If the program is no WebAssembly module, or the script does not define one of the imports.
pub fn shorten(program: &[u8], script: &str, from: &str) -> Result<(Vec<u8>, String)> {
    let mut numbers = HashMap::new();
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(program) {
        match payload? {
            Payload::ImportSection(section) => {
                let mut imports = ImportSection::new();
                for import in section.into_imports() {
                    let import = import?;
                    let number = numbers.len().to_string();
                    let name = if import.module == from {
                        numbers.entry(import.name).or_insert(number).as_str()
                    } else {
                        import.name
                    };
                    imports.import(
                        import.module,
                        name,
                        RoundtripReencoder.entity_type(import.ty)?,
                    );
                }
                module.section(&imports);
            }
            payload => {
                if let Some((id, range)) = payload.as_section() {
                    let data = &program[range];
                    module.section(&RawSection { id, data });
                }
            }
        }
    }
    let lines = script.lines().map(|line| {
        let definition = line.split_once(": ");
        let numbered = definition.and_then(|(name, rest)| Some((numbers.remove(name)?, rest)));
        numbered.map_or_else(
            || format!("{line}\n"),
            |(number, rest)| format!("{number}: {rest}\n"),
        )
    });
    let script = lines.collect();
    match numbers.keys().next() {
        Some(name) => {
            Err(format!("wasm-bindgen wrote a script that does not define {name}").into())
        }
        None => Ok((module.finish(), script)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{CodeSection, EntityType, Function, FunctionSection, TypeSection, ValType};

    const SCRIPT: &str = "const import0 = {\n__wbg_a_0123: function(arg0) {\nreturn arg0;\n},\n__wbg_b_4567: function() { return handleError(function () {\n}); },\n};\n";

    /// A module that imports functions, and has one of its own.
    fn program(imports: &[(&str, &str)]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], [ValType::I32]);
        let mut section = ImportSection::new();
        for (module, name) in imports {
            section.import(module, name, EntityType::Function(0));
        }
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut function = Function::new([]);
        function.instructions().local_get(0).end();
        let mut code = CodeSection::new();
        code.function(&function);
        let mut module = Module::new();
        module.section(&types).section(&section);
        module.section(&functions).section(&code);
        module.finish()
    }

    #[test]
    fn imports_are_numbered_in_the_program_and_in_its_script() {
        let imports = [
            ("./page.js", "__wbg_b_4567"),
            ("./parts.js", "__wbg_a_0123"),
            ("./page.js", "__wbg_a_0123"),
            ("./page.js", "__wbg_b_4567"),
        ];
        let (module, script) = shorten(&program(&imports), SCRIPT, "./page.js").expect("both");
        let numbered = [
            ("./page.js", "0"),
            ("./parts.js", "__wbg_a_0123"),
            ("./page.js", "1"),
            ("./page.js", "0"),
        ];
        assert_eq!(module, program(&numbered));
        let expected = SCRIPT
            .replace("__wbg_b_4567", "0")
            .replace("__wbg_a_0123", "1");
        assert_eq!(script, expected);
    }

    #[test]
    fn what_the_tools_never_write_is_refused() {
        let missing = shorten(
            &program(&[("./page.js", "__wbg_c_89")]),
            SCRIPT,
            "./page.js",
        );
        assert!(missing.is_err_and(|error| error.to_string().contains("__wbg_c_89")));
        assert!(shorten(b"\0asm, or not", SCRIPT, "./page.js").is_err());
    }
}
