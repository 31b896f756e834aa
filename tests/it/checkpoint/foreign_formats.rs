//! Formats that are not opened: each is named, whole and cut off, by its bytes or its name, with what to do instead.

use diagonal::checkpoint::{
    Checkpoint, FileKind, MemorySource, describe, describe_named, group_files,
};
use pollster::block_on;
use proptest::{collection::vec, prelude::*, sample::select};

use super::{formats::data, hostile::assert_is_sentence};

/// Beginnings of files, and their kinds.
fn beginnings() -> Vec<(Vec<u8>, FileKind)> {
    let ustar = [&[b'a'; 257][..], b"ustar\x0000"].concat();
    let riff = b"RIFF\x10\0\0\0WEBPVP8 ".to_vec();
    let long_key = [&[0xde, 0, 2, 0xd9, 33][..], &[b'k'; 33], &[0xc0]].concat();
    let mut all: Vec<(Vec<u8>, FileKind)> = [
        (&b"\x89HDF\r\n\x1a\n"[..], FileKind::Hdf5),
        (b"lmgg\x01\0\0\0", FileKind::Ggml),
        (b"fmgg\x01\0\0\0", FileKind::Ggml),
        (b"tjgg\x03\0\0\0", FileKind::Ggml),
        (b"algg\x01\0\0\0", FileKind::Ggml),
        (b"\x0c\xdb\x3a\x2a\0\0\0\0", FileKind::Orbax),
        (b"\x0c\xdb\x20\xde\0\0\0\0", FileKind::Orbax),
        (b"{\"chunks\": [4], \"zarr_format\": 2}", FileKind::Orbax),
        (b"\x1c\0\0\0PTMF\0\0", FileKind::MobileModule),
        (b"\x1c\0\0\0ET12\0\0", FileKind::ExecuTorch),
        (b"\x1c\0\0\0TFL3\0\0", FileKind::TfLite),
        (b"7z\xbc\xaf\x27\x1c\0\x04", FileKind::PackedFile),
        (b"Rar!\x1a\x07\x01\0", FileKind::PackedFile),
        (b"\xfd7zXZ\0\0\x04", FileKind::PackedFile),
        (b"\x28\xb5\x2f\xfd\x04\0\0\0", FileKind::PackedFile),
        (b"BZh91AY&SY", FileKind::PackedFile),
        (b"%PDF-1.7\n", FileKind::Pdf),
        (b"\x89PNG\r\n\x1a\n", FileKind::Picture),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", FileKind::Picture),
        (b"GIF89a\x01\0", FileKind::Picture),
        (b"PAR1\x15\x04\x15\0", FileKind::DataTable),
        (b"ARROW1\0\0", FileKind::DataTable),
        // An entry without a key, of a header with one shard and version 1.
        (
            b"\0\0\x06\x08\x01\x1a\x02\x08\x01\0\x10\x1d",
            FileKind::TensorFlow,
        ),
        (b"\x81\xa6params\x81\xa4bert", FileKind::MessagePack),
        (
            b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c%torch.distributed.checkpoint.metadata",
            FileKind::DistributedCheckpoint,
        ),
        // Version 8, “pytorch”, and a graph; version 14 and a graph.
        (b"\x08\x08\x12\x07pytorch:\x10", FileKind::Onnx),
        (b"\x08\x0e\x3a\x9f\x91\x01\x0a\x3c", FileKind::Onnx),
        (
            b"<?xml version=\"1.0\"?>\n<net name=\"M\" version=\"11\">\n<layers>",
            FileKind::OpenVino,
        ),
        (b"<?xml version=\"1.0\"?><html xmlns=\"x\">", FileKind::Html),
        (b"<?xml version=\"1.0\"?><feed>", FileKind::Xml),
        (b"import torch\n\nclass Model:\n", FileKind::Text),
        ("# Modèle".as_bytes(), FileKind::Text),
    ]
    .map(|(bytes, kind)| (bytes.to_vec(), kind))
    .into();
    all.extend([
        (ustar, FileKind::PackedFile),
        (riff, FileKind::Picture),
        (long_key, FileKind::MessagePack),
    ]);
    all
}

#[test]
fn formats_are_recognised_by_their_bytes() {
    for (bytes, kind) in beginnings() {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(describe(&bytes), kind, "{shown:?}");
        // The name does not matter.
        assert_eq!(describe_named("a/model.bin", &bytes), kind, "{shown:?}");
        let error = block_on(Checkpoint::open(MemorySource::from(bytes), "model.bin"));
        let sentence = error.expect_err("refused").to_string();
        assert_is_sentence(&sentence);
        assert_eq!(sentence, kind.advice());
    }
}

#[test]
fn formats_without_a_signature_are_recognised_by_their_names() {
    let numbers: &[u8] = &[0x9a, 0xff, 0x1c, 0x3d, 0xf0, 0xc2, 0x77, 0xbe];
    let archive = b"PK\x03\x04 and so on, for more than thirty bytes".as_slice();
    for (name, bytes, kind) in [
        (
            "model.ckpt.data-00000-of-00001",
            numbers,
            FileKind::TensorFlow,
        ),
        (
            "saved_model.pb",
            b"\x08\x01\x12\xd6\x10\x0a\x13\x32\x07",
            FileKind::TensorFlow,
        ),
        (
            "checkpoint",
            b"model_checkpoint_path: \"x\"",
            FileKind::TensorFlow,
        ),
        ("events.out.tfevents.17.host", numbers, FileKind::EventLog),
        ("model.onnx_data", numbers, FileKind::OnnxPart),
        // A file that is no ONNX model but for its name.
        ("forged.onnx", numbers, FileKind::OnnxPart),
        ("model.ckpt-1000.meta", numbers, FileKind::TensorFlow),
        ("openvino_model.bin", numbers, FileKind::OpenVino),
        (
            "A.mlmodel",
            b"\x08\x04\x12\x04\x0a\0\x12\0\x50\0",
            FileKind::CoreMl,
        ),
        ("A.mlpackage/Data/weight.bin", numbers, FileKind::CoreMl),
        ("__0_0.distcp", archive, FileKind::DistributedCheckpoint),
        (
            "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt",
            archive,
            FileKind::ZeroShard,
        ),
        ("model.keras", archive, FileKind::Keras),
        ("modeling.py", b"import torch", FileKind::Python),
        ("model.bin", numbers, FileKind::Unknown),
        ("data-00000-of-00001", numbers, FileKind::Unknown),
    ] {
        assert_eq!(describe_named(name, bytes), kind, "{name}");
        assert_eq!(
            describe_named(&format!("a/b/{name}"), bytes),
            kind,
            "{name}"
        );
        // An address with such a name gets the same sentence.
        let source = MemorySource::from(bytes.to_vec());
        let error = block_on(Checkpoint::open(source, name)).expect_err(name);
        assert_is_sentence(&error.to_string());
        assert_eq!(error.to_string(), kind.advice(), "{name}");
    }
    // A name does not make weights unreadable.
    let weights = data("albert/model.safetensors");
    for name in ["a.onnx", "a_optim_states.pt", "a.distcp", "a.pb"] {
        assert_eq!(
            describe_named(name, &weights),
            FileKind::Safetensors,
            "{name}"
        );
    }
}

#[test]
fn bytes_that_resemble_a_format_are_not_called_one() {
    for bytes in [
        // ONNX: no version, version 0, no graph, a name of control characters, a field that it does not have.
        &b"\x12\x07pytorch:\x10"[..],
        b"\x08\x00\x3a\x10graph",
        b"\x08\x08\x3a\x00",
        b"\x08\x08\x12\x03\x0a\x01\x00\x3a\x10",
        b"\x08\x08\x4a\x10graph",
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x08\x08\x12\xff\xff\xff\xff\x0f\x3a",
        // MessagePack: no map, a key that is no name.
        b"\x81\x01\x02\x03\x04\x05\x06\x07",
        b"\x81\xa2\x01\x02\x03\x04\x05\x06",
        // Identifiers at other places.
        b"TFL3\x1c\0\0\0",
        b"PTMF\x1c\0\0\0\xff",
    ] {
        assert_eq!(describe(bytes), FileKind::Unknown, "{bytes:?}");
    }
    assert_eq!(describe(b"<?xml version=\"1.0\"?><net>"), FileKind::Xml);
    assert_eq!(describe(b"\0\0\x06\x09\x01\x1a\x02\x08"), FileKind::Unknown);
    // A module of old PyTorch may carry its source.
    let legacy = [
        &data("torch-legacy/pytorch_model.bin")[..256],
        b"torch.distributed.checkpoint",
    ];
    assert_eq!(describe(&legacy.concat()), FileKind::Pickle);
}

/// Sentences about files that are dropped together.
fn sentences_on(files: &[(&str, &[u8])]) -> Vec<String> {
    let file =
        |(name, bytes): &(&str, &[u8])| ((*name).to_owned(), MemorySource::from(bytes.to_vec()));
    let gathered = block_on(group_files(files.iter().map(file).collect())).expect("at hand");
    assert!(gathered.bundles.is_empty() && gathered.loose.is_empty());
    gathered
        .messages
        .iter()
        .for_each(|text| assert_is_sentence(text));
    gathered.messages
}

#[test]
fn a_folder_of_a_format_gets_one_sentence() {
    let config = br#"{"model_type": "bert", "hidden_size": 64}"#.as_slice();
    let onnx = b"\x08\x08\x12\x07pytorch:\x10".as_slice();
    let sentences = sentences_on(&[
        ("m/README.md", b"# Model"),
        ("m/config.json", config),
        ("m/onnx/model.onnx", onnx),
        ("m/onnx/model_fp16.onnx", onnx),
        ("m/onnx/model_q4.onnx", onnx),
    ]);
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(
        sentences[0]
            .contains("onnx/model.onnx” and 2 more of its kind were not opened. This is an ONNX"),
        "{sentences:?}"
    );
    // The numbers beside OpenVINO's description are those of OpenVINO under any name.
    let sentences = sentences_on(&[
        (
            "ir/a.bin",
            &[0x9a, 0xff, 0x1c, 0x3d, 0xf0, 0xc2, 0x77, 0xbe],
        ),
        ("ir/a.xml", b"<net name=\"a\"><layers/></net>"),
    ]);
    assert!(
        sentences.len() == 1 && sentences[0].contains("OpenVINO"),
        "{sentences:?}"
    );
    let sentences = sentences_on(&[
        ("o/_METADATA", b"{\"tree_metadata\": {}}"),
        ("o/d/1a2b", b"\x0c\xdb\x20\xde\0\0\0\0"),
        ("o/manifest.ocdbt", b"\x0c\xdb\x3a\x2a\0\0\0\0"),
    ]);
    assert!(
        sentences.len() == 1 && sentences[0].contains("Orbax"),
        "{sentences:?}"
    );
    let sentences = sentences_on(&[
        ("z/mp_rank_00_optim_states.pt", b"PK\x03\x04\0\0"),
        ("z/zero_to_fp32.py", b"import torch"),
    ]);
    assert!(
        sentences.len() == 1 && sentences[0].contains("zero_to_fp32.py"),
        "{sentences:?}"
    );
    // With nothing else to say, files that lie beside models are named, too.
    let sentences = sentences_on(&[
        ("model.py", b"import torch"),
        ("a.txt", b"a"),
        ("b.txt", b"b"),
    ]);
    assert!(
        sentences.len() == 2 && sentences[0].contains("Python") && sentences[1].contains("1 more"),
        "{sentences:?}"
    );
}

proptest! {
    #[test]
    fn any_bytes_and_any_name_have_a_kind(
        (bytes, _) in select(beginnings()),
        length in 0_usize..64,
        rest in vec(any::<u8>(), 0..80),
        name in "[a-z_./]{0,20}(\\.data-0-of-1|\\.onnx|\\.pb|\\.py|\\.distcp|\\.mlmodel|checkpoint)?",
    ) {
        let bytes = [&bytes[..length.min(bytes.len())], &rest].concat();
        assert_is_sentence(describe_named(&name, &bytes).advice());
        if let Err(error) = block_on(Checkpoint::open(MemorySource::from(bytes), &name)) {
            assert_is_sentence(&error.to_string());
        }
    }
}
