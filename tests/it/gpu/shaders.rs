//! Shaders parse and validate, independent of a browser.

use crate::support::root;
use naga::{
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

#[test]
fn every_shader_is_valid() {
    let folder = root().join("src/gpu");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of shaders") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "wgsl") {
            continue;
        }
        assert!(
            path.with_extension("rs").exists(),
            "{} has a host file beside it",
            path.display()
        );
        let text = std::fs::read_to_string(&path).expect("a shader");
        let name = path.display().to_string();
        let module = wgsl::parse_str(&text)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string_with_path(&text, &name)));
        // Every WebGPU can unpack half-precision numbers from words; half-precision arithmetic is not used.
        let capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        let checks = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
        if let Err(error) = checks {
            panic!("{}", error.emit_to_string_with_path(&text, &name));
        }
        assert!(!module.entry_points.is_empty(), "{}", path.display());
        for point in &module.entry_points {
            let [x, y, z] = point.workgroup_size;
            assert!(x * y * z <= 256, "{} asks for too many threads", point.name);
        }
        let bytes: u32 = module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()))
            .sum();
        assert!(bytes <= 16_384, "{bytes} bytes shared by a workgroup");
        checked += 1;
    }
    assert_eq!(checked, 3);
}
