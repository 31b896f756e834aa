//! The sample texts: each file is listed and complete, and its text is short and free to use.

use crate::support::root;
use diagonal::text_samples::{SAMPLE_LANGUAGES, TextSample};
use std::{collections::BTreeSet, fs};

#[test]
fn every_file_is_a_sample() {
    let folder = root().join("www/texts");
    let files = fs::read_dir(folder).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name());
    let names = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".txt")?.to_owned()));
    let listed: BTreeSet<String> = TextSample::all()
        .map(|sample| sample.id.to_owned())
        .collect();
    assert_eq!(names.collect::<BTreeSet<_>>(), listed);
    assert_eq!(TextSample::all().count(), listed.len(), "each once");
    assert_eq!(listed.len(), 12);
}

#[test]
fn samples_are_short_and_say_where_they_are_from() {
    for sample in TextSample::all() {
        let id = sample.id;
        assert_eq!(TextSample::find(id), Some(sample));
        let languages = SAMPLE_LANGUAGES.iter().map(|(language, _)| *language);
        assert!(
            languages
                .clone()
                .any(|language| language == sample.language),
            "{id}"
        );
        assert!(
            ["public domain", "Apache-2.0"].contains(&sample.licence),
            "{id}"
        );
        let is_own = sample.source == "written for this page";
        assert_eq!(is_own, sample.licence == "Apache-2.0", "{id}");
        let has_year = sample
            .source
            .as_bytes()
            .windows(4)
            .any(|four| four.iter().all(u8::is_ascii_digit));
        assert!(is_own || has_year, "{id}: {}", sample.source);
        let words = sample.text.split_whitespace().count();
        assert!((8..=120).contains(&words), "{id} has {words} words");
        assert!(
            !sample.text.contains('\n') && !sample.title.is_empty(),
            "{id}"
        );
    }
    let languages: BTreeSet<_> = TextSample::all().map(|sample| sample.language).collect();
    assert_eq!(languages.len(), SAMPLE_LANGUAGES.len());
    assert_eq!(TextSample::find("no-sample"), None);
}
