//! Links are untrusted and lossless.

use super::any_link::{kernel_options, link};
use diagonal::{
    encoding::Kernels,
    url_state::{EncodingsSection, KernelsSection, Link, OpenCell, cell_text},
};
use proptest::{collection::vec, option, prelude::*};

/// Parses a link; returns it and the message about parts that were not understood.
pub(crate) fn parse(query: &str) -> (Link, Option<String>) {
    let (link, warnings) = Link::parse(query);
    assert_eq!(warnings.count() == 0, warnings.message().is_none());
    (link, warnings.message())
}

/// Almost a link: known keys, and values that are nearly valid.
fn nearly_a_query() -> impl Strategy<Value = String> {
    let key = "view|model|hf|url|source|table|query|key|transposed|length|switched|heads|compare|part|window|map|kernel-window|attention|near|clip|layer|head|mode|cells|sort|entropies|budget|centres|wavelengths|rope-factor|rope-base|kernels|n|added|fit|words|order|colours|encodings|pin|cell|count|models|more-models|values|offsets|compare-offsets|kernel-offsets|fit-offsets|first-layer|prefix|timeline|hand-order|step|tokens|shuffle|token-positions|numbers|more|notes|effects|frequencies|columns|plane|seen-from|groups|wave-seed|image|side|filter|gaussians|gaussian|pixel|patches|patch-grid|compute|lesson|lesson-step|present|speaker|embed|rows|width|base|seed|file|hash|[a-z]{1,60}";
    let value = "model:(random|sinusoidal|file|minilm-l6)(,[a-z-]{1,12}:[0-9a-z.~]{0,9}){0,3}(;hf:[a-z/]{1,9}){0,40}|tisa.inductive:[0-9:]{0,9}|tisa.inductive|rows,norm|added,added|yes|random|sinusoidal|file|heads|-?[0-9]{0,24}|[0-9,;:.\\-em]{0,80}|NaN|inf|-0|%[0-9A-F]{2}|.{0,90}";
    vec((key, value), 0..12).prop_map(|pairs| {
        let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect();
        format!("?{}", pairs.join("&"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_link_says_all_there_is(link in link(), mark: bool) {
        let query = link.query();
        let (back, notes) = parse(&format!("{}{query}", if mark { "?" } else { "" }));
        prop_assert_eq!(&back, &link, "{}", query);
        prop_assert_eq!(notes, None);
        prop_assert!(query.is_ascii() && !query.contains([' ', '#', '"', '<']), "{}", query);
    }

    #[test]
    fn no_query_does_harm(query in prop_oneof![nearly_a_query(), any::<String>()]) {
        let (link, message) = parse(&query);
        if let Some(message) = message {
            prop_assert!(message.starts_with("In this link, ") && message.ends_with(" shown."), "{}", message);
            prop_assert!(message.chars().count() < 400, "{}", message);
        }
        // The parsed link can be written and parsed again.
        prop_assert_eq!(parse(&link.query()), (link.clone(), None));
    }
}

proptest! {
    #[test]
    fn open_cells_and_choices_for_kernels_go_through_a_link(
        cell in option::of((0..9_usize, 0..6_usize)),
        asked in kernel_options(),
    ) {
        let open = cell.map(OpenCell::new);
        let section = EncodingsSection { cell: open, ..EncodingsSection::default() };
        let link = Link {
            encodings: section.clone(),
            kernel_options: asked.clone(),
            ..Link::default()
        };
        let (back, message) = parse(&link.query());
        prop_assert_eq!(message, None);
        prop_assert_eq!(back.encodings, section);
        prop_assert_eq!(back.kernel_options, asked);
        if let Some(cell) = cell {
            let named = format!("cell={}", cell_text(cell));
            prop_assert!(link.query().contains(&named), "{}", link.query());
        }
    }
}

#[test]
fn a_section_is_written_without_what_is_not_understood() {
    let typed = "view=positions&model=sinusoidal&encodings=seed:7;;n:64;nonsense&cell=no.such&count=5,512&fit=head";
    let (mut link, message) = parse(typed);
    assert_eq!(link.encodings.choice.parameters.n, 64);
    assert_eq!(link.encodings.cell, None);
    assert_eq!(
        message.expect("a message"),
        "In this link, encodings = “nonsense”, cell = “no.such” and count = “5,512” were not understood; the defaults are shown."
    );
    assert_eq!(
        link.query(),
        "view=positions&model=sinusoidal&encodings=n:64;seed:7&fit=head.5"
    );
    link.encodings.choice.together = true;
    link.kernel_options.fit.kernels = 3;
    assert_eq!(
        link.query(),
        "view=positions&model=sinusoidal&encodings=n:64;together;seed:7&fit=head.3"
    );
}

#[test]
fn links_are_readable() {
    assert_eq!(Link::default().query(), "view=positions&model=minilm-l6");
    assert_eq!(parse(""), parse("model=minilm-l6"));
    let (link, _) = parse("view=heads&model=minilm-l6&layer=3&head=7");
    assert_eq!((link.heads.layer, link.heads.head), (2, 6));
    assert_eq!(link.query(), "view=heads&model=minilm-l6&layer=3&head=7");
    let (link, notes) = parse("view=kernels&model=sinusoidal&kernels=2:0.5:-1;1:0:3:m");
    assert!(notes.is_none() && link.kernels.kernels.0[1].is_muted);
    assert!(link.query().ends_with("kernels=2:0.5:-1;1:0:3:m"));
    let (link, notes) = parse("hf=org/model&source=decoder&length=128&switched=norm,rows");
    assert_eq!(notes, None);
    assert_eq!(
        link.query(),
        "view=positions&hf=org/model&source=decoder&length=128&switched=rows,norm"
    );
    // An empty set of kernels differs from the default.
    let none = Link {
        kernels: KernelsSection {
            kernels: Kernels::default(),
            ..KernelsSection::default()
        },
        ..Link::default()
    };
    assert_eq!(parse(&none.query()), (none, None));
}

/// Keys keep their names and their order.
#[test]
fn links_keep_their_keys_and_their_order() {
    for query in [
        "view=heads&model=minilm-l6&compare=cosine&part=residual&window=0-8,4-12&map=viridis&clip=2.5&layer=1&head=1&mode=computed&cells=causal&sort=peak&kernels=1:0.5:-2;3:4:5:m&n=128&added=head&order=r2&colours=own&pin=3,4&encodings=n:4096;show:t5,shaw&cell=tisa.inductive&count=7&fit=all.5.64&words=1-4",
        "view=compare&model=minilm-l6&offsets=all&values=as-they-are&compare-offsets=all&numbers=offset-profile,head-grid&guides=head-matrix&encodings=about:t5&cell=tisa.inductive:32:512&kernel-offsets=all&fit-offsets=all&first-layer=open&fit-options=folded&prefix=tisa.&tokens=a+b&shuffle=7&token-positions=tisa&timeline=hand&hand-order=3,1,2&step=1000.2&models=model:sinusoidal;model:minilm-l6,left-out&more-models=7&notes=open&effects=asked",
        "view=training&model=file&file=a+b.npz&hash=00000000000000ff&source=s&table=t&query=q&key=k&transposed=yes&heads=12&length=512&switched=rows,norm",
        "view=compare&model=random&rows=128&width=32&seed=18446744073709551615&layer=2&head=3",
        "view=kernels&model=sinusoidal&rows=128&width=32&base=500.5&kernels=",
        "view=positions&url=https://example.org/a.safetensors",
        "view=images&model=minilm-l6&patches=inner-product&patch-grid=24x20&resampling=bilinear",
    ] {
        let (link, message) = parse(query);
        assert_eq!((link.query().as_str(), message), (query, None));
    }
}
