//! The list of open models in a link: it is lossless, readable and short.

use super::{any_link::models, link_sections::through_a_link};
use diagonal::{
    encoding::Random,
    model::PRESETS,
    url_state::{
        AmongOthers, LONGEST_LIST, Link, MOST_MODELS, ModelRef, ModelsSection, NamedModel,
    },
};
use proptest::prelude::*;

/// The text of a list of models in a link, if the link has one.
fn list_text(section: ModelsSection) -> Option<String> {
    let link = Link {
        models: section,
        ..Link::default()
    };
    let query = link.query();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, text) = pairs.find(|(key, _)| key == "models")?;
    Some(text.into_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_open_model_goes_through_a_link(named in models(), more in 0..=100_000_usize) {
        let section = ModelsSection { models: named, more };
        let (back, warnings) = through_a_link(section.clone(), |link| &mut link.models);
        prop_assert_eq!(warnings, None);
        prop_assert_eq!(back, section);
    }

    #[test]
    fn however_many_are_open_a_link_stays_short(
        files in 0..300_usize,
        others in models(),
        length in 1..400_usize,
        front in any::<prop::sample::Index>(),
    ) {
        let mut all = others;
        all.retain(|named| !named.model.is_from_visitor());
        all.extend((0..files).map(|at| file(&format!("{at:0length$}"), at as u64)));
        if all.is_empty() {
            return Ok(());
        }
        let front = all[front.index(all.len())].model.clone();
        let section = ModelsSection::from_models(&all, &front);
        let named = section.models.len();
        prop_assert!(named <= MOST_MODELS);
        prop_assert!(named + section.more == all.len() || section == ModelsSection::default());
        let text = list_text(section.clone());
        prop_assert!(text.is_none_or(|text| text.len() <= LONGEST_LIST));
        // Their order is kept.
        let places: Vec<_> = section.models.iter().map(|named| place_in(&all, named)).collect();
        prop_assert!(places.is_sorted_by(|a, b| a < b), "{:?}", places);
        let (back, warnings) = through_a_link(section.clone(), |link| &mut link.models);
        prop_assert_eq!((back, warnings), (section, None));
    }
}

fn file(name: &str, hash: u64) -> NamedModel {
    NamedModel {
        model: ModelRef::File {
            name: name.to_owned(),
            hash: Some(hash),
        },
        ..NamedModel::default()
    }
}

fn place_in(all: &[NamedModel], named: &NamedModel) -> Option<usize> {
    all.iter().position(|other| other.model == named.model)
}

fn section_of(query: &str) -> (ModelsSection, Option<String>) {
    let (link, warnings) = Link::parse(query);
    (link.models, warnings.message())
}

#[test]
fn a_list_of_models_is_readable() {
    let text = "model:minilm-l6;hf:org/model@v2,left-out;model:random,rows:64,number:7,performance:82.5;\
                model:file,file:a~2b~1c~0.npz,hash:00000000000000ff,heads:4,switched:rows~2norm,performance:none,read-heads";
    let (section, warnings) = section_of(&format!("models={text}"));
    assert_eq!(warnings, None);
    let [preset, hub, random, of_disk] = &section.models[..] else {
        panic!("{section:?}");
    };
    assert_eq!(preset.model, ModelRef::Preset("minilm-l6".into()));
    assert_eq!(hub.model, ModelRef::Hub("org/model@v2".into()));
    assert!(hub.among.left_out && !hub.among.with_heads);
    assert_eq!(random.among.performance, Some(Some(82.5)));
    let ModelRef::File { name, hash } = &of_disk.model else {
        panic!("{of_disk:?}");
    };
    assert_eq!((name.as_str(), *hash), ("a,b;c~.npz", Some(0xff)));
    assert_eq!(of_disk.choice.heads, Some(4));
    assert_eq!(of_disk.choice.switched_corrections.len(), 2);
    assert_eq!(of_disk.among.performance, Some(None));
    assert!(of_disk.among.with_heads);
    assert_eq!([0, 1, 2, 3].map(|at| section.number_at(at)), [1, 2, 7, 4]);
    assert_eq!(list_text(section).as_deref(), Some(text));
}

#[test]
fn what_cannot_be_in_a_list_is_said_and_left_out() {
    for nonsense in [
        "minilm-l6",
        "left-out",
        "model:gpt-99",
        "model:random,rows:1",
        "model:random,shape:round",
        "model:file,file:a,hash:xyz",
        "hf:a,number:0",
        "hf:a,performance:NaN",
        "hf:a,performance:1e10",
        "hf:a,left-out:yes",
        "hf:a,query:q",
        // A duplicate.
        "model:minilm-l6,left-out",
    ] {
        let (section, warnings) = section_of(&format!("models=model:minilm-l6;{nonsense};hf:b"));
        let read: Vec<_> = section.models.iter().map(|named| &named.model).collect();
        let expected = [
            &ModelRef::Preset("minilm-l6".into()),
            &ModelRef::Hub("b".into()),
        ];
        assert_eq!(read, expected, "{nonsense}");
        assert_eq!(
            warnings.expect(nonsense),
            format!(
                "In this link, models = “{nonsense}” was not understood; the default is shown."
            )
        );
    }
    let many: Vec<String> = (0..1000).map(|at| format!("hf:org/{at}")).collect();
    let (section, warnings) = section_of(&format!("models={}", many.join(";")));
    assert_eq!(section.models.len(), MOST_MODELS);
    assert!(warnings.is_some_and(|message| message.chars().count() < 200));
    let long = format!("models=hf:{};hf:b", "x".repeat(5000));
    assert_eq!(section_of(&long).0.models.len(), 1);
}

#[test]
fn a_model_alone_is_named_once() {
    let front = ModelRef::Preset("minilm-l6".into());
    let alone = NamedModel {
        model: front.clone(),
        ..NamedModel::default()
    };
    let numbered = |number| NamedModel {
        among: AmongOthers {
            number: Some(number),
            ..AmongOthers::default()
        },
        ..alone.clone()
    };
    let nothing = ModelsSection::default();
    assert_eq!(ModelsSection::from_models(&[], &front), nothing);
    assert_eq!(
        ModelsSection::from_models(std::slice::from_ref(&alone), &front),
        nothing
    );
    assert_eq!(ModelsSection::from_models(&[numbered(1)], &front), nothing);
    // It has the second colour if another model was opened before.
    let second = ModelsSection::from_models(&[numbered(2)], &front);
    assert_eq!(second.models, [numbered(2)]);
    assert_eq!(
        ModelsSection::from_models(&[alone], &ModelRef::Random(Random::default()))
            .models
            .len(),
        1
    );
}

#[test]
fn a_long_run_is_named_from_its_first_to_its_last() {
    let mut all: Vec<NamedModel> = (0..200).map(|at| file(&format!("step-{at}"), at)).collect();
    let hub = NamedModel {
        model: ModelRef::Hub("org/model".into()),
        ..NamedModel::default()
    };
    all.insert(100, hub.clone());
    let front = all[33].model.clone();
    let section = ModelsSection::from_models(&all, &front);
    let places: Vec<usize> = section
        .models
        .iter()
        .filter_map(|named| place_in(&all, named))
        .collect();
    assert_eq!(
        (places.len(), section.more),
        (MOST_MODELS, 201 - MOST_MODELS)
    );
    assert_eq!((places[0], places[MOST_MODELS - 1]), (0, 200));
    assert!(section.models.contains(&hub) && places.contains(&33));
    let widest = places.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(widest.is_some_and(|widest| widest <= 8), "{places:?}");
}

#[test]
fn a_link_names_a_sample_like_the_default_preset() {
    assert!(!ModelRef::default().is_sample());
    for preset in &PRESETS[1..] {
        let (link, warnings) = Link::parse(&format!("model={}", preset.id));
        assert_eq!(warnings.message(), None);
        assert_eq!(link.model, ModelRef::Preset(preset.id.to_owned()));
        assert!(link.model.is_sample() && link.model.is_shipped());
    }
}
