//! Joins modules of one split program into one.
//!
//! The splitter writes modules that share the memory and the function table of the initial module, and call each other
//! through that table alone. Each repeats the program's types, which are most of a small module. Joined, their functions,
//! elements and data follow each other, with new numbers.

use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, FunctionSection, ImportSection,
    Module, RawSection, SectionId,
};
use wasmparser::{Parser, Payload, TypeRef};

use crate::Result;

/// Joins modules. The result does in one instantiation what they do one after the other.
///
/// # Errors
/// If they have different types, import or export functions, or define anything but functions, elements and data.
pub fn join<'a>(modules: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut joined = JoinedModule::default();
    for module in modules {
        joined.append(module)?;
    }
    Ok(joined.finish())
}

/// Length of what a module adds to others when they are joined: its code, elements and data.
///
/// # Errors
/// If the bytes are no WebAssembly module.
pub fn own_bytes(module: &[u8]) -> Result<usize> {
    let mut bytes = 0;
    for payload in Parser::new(0).parse_all(module) {
        bytes += match payload? {
            Payload::ElementSection(elements) => elements.range().len(),
            Payload::CodeSectionStart { range, .. } => range.len(),
            Payload::DataSection(data) => data.range().len(),
            _ => 0,
        };
    }
    Ok(bytes)
}

/// Sections of the modules that are joined already.
#[derive(Default)]
struct JoinedModule<'a> {
    /// Content of the section of types.
    types: Option<&'a [u8]>,
    imports: ImportSection,
    /// Names of the imports: module, field, and whether it is a global.
    import_names: Vec<(&'a str, &'a str, bool)>,
    functions: FunctionSection,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
}

impl<'a> JoinedModule<'a> {
    fn append(&mut self, module: &'a [u8]) -> Result {
        let mut numbers = NewNumbers {
            functions: self.functions.len(),
            data: self.data.len(),
            globals: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    let bytes = &module[types.range()];
                    if *self.types.get_or_insert(bytes) != bytes {
                        return Err("the modules have different types".into());
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import?;
                        let number = self.import(&import)?;
                        numbers.globals.extend(number);
                    }
                }
                Payload::FunctionSection(types) => {
                    for ty in types {
                        self.functions.function(ty?);
                    }
                }
                Payload::ElementSection(elements) => {
                    numbers.parse_element_section(&mut self.elements, elements)?;
                }
                Payload::CodeSectionEntry(body) => {
                    numbers.parse_function_body(&mut self.code, body)?;
                }
                Payload::DataSection(data) => {
                    numbers.parse_data_section(&mut self.data, data)?;
                }
                Payload::ExportSection(exports) if exports.count() == 0 => {}
                // They say how the modules were made, and how many data segments follow.
                Payload::CustomSection(_)
                | Payload::DataCountSection { .. }
                | Payload::Version { .. }
                | Payload::CodeSectionStart { .. }
                | Payload::End(_) => {}
                other => return Err(format!("a module cannot be joined: {other:?}").into()),
            }
        }
        Ok(())
    }

    /// Adds an import, unless it is there. Returns the number of a global.
    fn import(&mut self, import: &wasmparser::Import<'a>) -> Result<Option<u32>> {
        let is_global = matches!(import.ty, TypeRef::Global(_));
        if !is_global && !matches!(import.ty, TypeRef::Table(_) | TypeRef::Memory(_)) {
            return Err(format!("a module imports {}, a function", import.name).into());
        }
        let name = (import.module, import.name, is_global);
        if !self.import_names.contains(&name) {
            let ty = reencode::RoundtripReencoder.entity_type(import.ty)?;
            self.imports.import(import.module, import.name, ty);
            self.import_names.push(name);
        }
        let mut globals = self
            .import_names
            .iter()
            .filter(|(.., is_global)| *is_global);
        let number = globals.position(|other| *other == name);
        Ok(number.map(u32::try_from).transpose()?)
    }

    fn finish(self) -> Vec<u8> {
        let mut module = Module::new();
        if let Some(data) = self.types {
            module.section(&RawSection {
                id: SectionId::Type.into(),
                data,
            });
        }
        module.section(&self.imports);
        module.section(&self.functions);
        module.section(&self.elements);
        module.section(&DataCountSection {
            count: self.data.len(),
        });
        module.section(&self.code);
        module.section(&self.data);
        module.finish()
    }
}

/// Numbers in the joined module of what one of the modules defines or imports.
struct NewNumbers {
    /// Number of functions of the modules before.
    functions: u32,
    /// Number of data segments of the modules before.
    data: u32,
    /// Numbers of the globals that the module imports.
    globals: Vec<u32>,
}

impl Reencode for NewNumbers {
    type Error = Infallible;

    fn function_index(
        &mut self,
        function: u32,
    ) -> std::result::Result<u32, reencode::Error<Infallible>> {
        Ok(self.functions + function)
    }

    fn data_index(&mut self, data: u32) -> std::result::Result<u32, reencode::Error<Infallible>> {
        Ok(self.data + data)
    }

    fn global_index(
        &mut self,
        global: u32,
    ) -> std::result::Result<u32, reencode::Error<Infallible>> {
        // No module defines a global of its own.
        let number = self.globals.get(global as usize);
        Ok(number.copied().unwrap_or(global))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ConstExpr, Elements, EntityType, ExportKind, ExportSection, Function, GlobalType,
        MemoryType, RefType, TableType, TypeSection, ValType,
    };

    const MEMORY: EntityType = EntityType::Memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    const TABLE: EntityType = EntityType::Table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: 8,
        maximum: None,
        shared: false,
    });
    const GLOBAL: EntityType = EntityType::Global(GlobalType {
        val_type: ValType::I32,
        mutable: true,
        shared: false,
    });

    /// A module with one or more functions that add a global to a constant; each calls the first of them. The functions
    /// are in the table, and their constants in memory.
    fn module(
        imports: &[(&str, EntityType)],
        globals: &[u32],
        constants: &[i32],
        place: (u32, i32),
    ) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let mut import_section = ImportSection::new();
        for (name, ty) in imports {
            import_section.import("__wasm_split", name, *ty);
        }
        let (first, at) = place;
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for (constant, global) in constants.iter().zip(globals) {
            functions.function(0);
            let mut body = Function::new([]);
            let mut instructions = body.instructions();
            instructions.call(first).i32_const(*constant).i32_add();
            instructions.global_get(*global).i32_add().end();
            code.function(&body);
        }
        let numbers: Vec<u32> = (first..).take(constants.len()).collect();
        let mut elements = ElementSection::new();
        let in_table = Elements::Functions(numbers.into());
        elements.active(None, &ConstExpr::i32_const(at), in_table);
        let mut data = DataSection::new();
        let bytes = constants.iter().map(|constant| *constant as u8);
        data.active(0, &ConstExpr::i32_const(at), bytes);
        let mut module = Module::new();
        module.section(&types).section(&import_section);
        module.section(&functions).section(&elements);
        module.section(&DataCountSection { count: 1 });
        module.section(&code).section(&data);
        module.finish()
    }

    #[test]
    fn functions_and_globals_get_new_numbers() -> Result {
        let one = module(
            &[("table", TABLE), ("memory", MEMORY), ("x", GLOBAL)],
            &[0],
            &[5],
            (0, 2),
        );
        let two = module(
            &[
                ("y", GLOBAL),
                ("memory", MEMORY),
                ("x", GLOBAL),
                ("table", TABLE),
            ],
            &[0, 1],
            &[7, 9],
            (0, 4),
        );
        let joined = join([one.as_slice(), &two])?;
        let mut imports = Vec::new();
        let mut calls = Vec::new();
        let mut globals = Vec::new();
        let mut elements = Vec::new();
        for payload in Parser::new(0).parse_all(&joined) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        imports.push(import?.name);
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    for operator in body.get_operators_reader()? {
                        match operator? {
                            wasmparser::Operator::Call { function_index } => {
                                calls.push(function_index)
                            }
                            wasmparser::Operator::GlobalGet { global_index } => {
                                globals.push(global_index)
                            }
                            _ => {}
                        }
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        if let wasmparser::ElementItems::Functions(numbers) = element?.items {
                            elements.push(
                                numbers
                                    .into_iter()
                                    .collect::<std::result::Result<Vec<_>, _>>()?,
                            );
                        }
                    }
                }
                _ => {}
            }
        }
        assert_eq!(imports, ["table", "memory", "x", "y"]);
        // The first function of each module, counted through.
        assert_eq!(calls, [0, 1, 1]);
        // `x` is the first global, `y` the second.
        assert_eq!(globals, [0, 1, 0]);
        assert_eq!(elements, [vec![0], vec![1, 2]]);
        assert!(own_bytes(&joined)? > own_bytes(&one)? + own_bytes(&two)? - 8);
        Ok(())
    }

    #[test]
    fn one_module_stays_as_it_is() -> Result {
        let one = module(
            &[("table", TABLE), ("memory", MEMORY), ("x", GLOBAL)],
            &[0],
            &[5],
            (0, 2),
        );
        assert_eq!(join([one.as_slice()])?, one);
        Ok(())
    }

    #[test]
    fn what_the_splitter_never_writes_is_refused() {
        let refused = |section: &dyn Fn(&mut Module)| {
            let mut module = Module::new();
            section(&mut module);
            join([module.finish().as_slice()]).is_err()
        };
        let mut imports = ImportSection::new();
        imports.import("page", "f", EntityType::Function(0));
        assert!(refused(&|module| {
            module.section(&imports);
        }));
        let mut exports = ExportSection::new();
        exports.export("f", ExportKind::Func, 0);
        assert!(refused(&|module| {
            module.section(&exports);
        }));
        assert!(join([b"\0asm, or not".as_slice()]).is_err());
        // Other types.
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I64]);
        let other = Module::new().section(&types).clone().finish();
        let one = module(&[("x", GLOBAL)], &[0], &[5], (0, 2));
        assert!(join([one.as_slice(), &other]).is_err());
    }
}
