//! How to cite the page and its sources, as BibTeX. A test compares this with `CITATION.cff`.

use std::fmt::Write;

/// A work that can be cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CitedWork {
    /// Key of the BibTeX entry.
    pub key: &'static str,
    /// Type of the BibTeX entry.
    pub kind: &'static str,
    /// Family and given names of the authors. A group or a site has no given name.
    pub authors: &'static [(&'static str, &'static str)],
    /// The title.
    pub title: &'static str,
    /// Proceedings or kind of publication; empty if there is none.
    pub venue: &'static str,
    /// Year of publication.
    pub year: u16,
    /// First and last page.
    pub pages: Option<(u16, u16)>,
    /// Version of a program.
    pub version: Option<&'static str>,
    /// Digital object identifier.
    pub doi: Option<&'static str>,
    /// Address.
    pub url: Option<&'static str>,
}

impl CitedWork {
    /// Formats the BibTeX entry. Double braces keep the capitals of titles and the words of groups.
    #[must_use]
    pub fn bibtex(&self) -> String {
        let author = |(family, given): &(&str, &str)| match given.is_empty() {
            true => format!("{{{family}}}"),
            false => format!("{family}, {given}"),
        };
        let authors: Vec<String> = self.authors.iter().map(author).collect();
        let venue = match self.kind {
            "inproceedings" => "booktitle",
            _ => "howpublished",
        };
        let pages = self.pages.map(|(first, last)| format!("{first}--{last}"));
        let fields = [
            ("author", Some(authors.join(" and "))),
            ("title", Some(format!("{{{}}}", self.title))),
            (
                venue,
                Some(self.venue.to_owned()).filter(|venue| !venue.is_empty()),
            ),
            ("year", Some(self.year.to_string())),
            ("pages", pages),
            ("version", self.version.map(str::to_owned)),
            ("doi", self.doi.map(str::to_owned)),
            ("url", self.url.map(str::to_owned)),
        ];
        let mut text = format!("@{}{{{}", self.kind, self.key);
        for (name, value) in fields {
            if let Some(value) = value {
                // Ignored: writing to a string does not fail.
                let _ = write!(text, ",\n  {name} = {{{value}}}");
            }
        }
        text.push_str("\n}\n");
        text
    }

    /// Formats the authors for a list: up to three family names.
    #[must_use]
    pub fn author_names(&self) -> String {
        match self.authors {
            [] => String::new(),
            [(one, _)] => (*one).to_owned(),
            [(first, _), (second, _)] => format!("{first} and {second}"),
            [(first, _), (second, _), (third, _)] => format!("{first}, {second} and {third}"),
            [(first, _), ..] => format!("{first} et al."),
        }
    }
}

/// Diagonal itself.
pub const DIAGONAL: CitedWork = CitedWork {
    key: "diagonal",
    kind: "software",
    authors: &[("The Diagonal developers", "")],
    title: "Diagonal: how transformers encode position",
    venue: "",
    year: 2026,
    pages: None,
    version: Some(env!("CARGO_PKG_VERSION")),
    doi: None,
    url: None,
};

/// The works that the page is about.
pub const SOURCES: &[CitedWork] = &[
    CitedWork {
        key: "wennberg-henter-2021",
        kind: "inproceedings",
        authors: &[("Wennberg", "Ulme"), ("Henter", "Gustav Eje")],
        title: "The Case for Translation-Invariant Self-Attention in Transformer-Based Language Models",
        venue: "Proceedings of the 59th Annual Meeting of the Association for Computational Linguistics and the 11th International Joint Conference on Natural Language Processing (Volume 2: Short Papers)",
        year: 2021,
        pages: Some((130, 140)),
        version: None,
        doi: Some("10.18653/v1/2021.acl-short.18"),
        url: Some("https://aclanthology.org/2021.acl-short.18/"),
    },
    CitedWork {
        key: "yamamoto-matsuzaki-2023",
        kind: "inproceedings",
        authors: &[("Yamamoto", "Yuji"), ("Matsuzaki", "Takuya")],
        title: "Absolute Position Embedding Learns Sinusoid-like Waves for Attention Based on Relative Position",
        venue: "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
        year: 2023,
        pages: Some((15, 28)),
        version: None,
        doi: Some("10.18653/v1/2023.emnlp-main.2"),
        url: Some("https://aclanthology.org/2023.emnlp-main.2/"),
    },
    CitedWork {
        key: "cordonnier-loukas-jaggi-2020",
        kind: "inproceedings",
        authors: &[
            ("Cordonnier", "Jean-Baptiste"),
            ("Loukas", "Andreas"),
            ("Jaggi", "Martin"),
        ],
        title: "On the Relationship between Self-Attention and Convolutional Layers",
        venue: "8th International Conference on Learning Representations",
        year: 2020,
        pages: None,
        version: None,
        doi: None,
        url: Some("https://arxiv.org/abs/1911.03584"),
    },
    CitedWork {
        key: "vaswani-2017",
        kind: "inproceedings",
        authors: &[
            ("Vaswani", "Ashish"),
            ("Shazeer", "Noam"),
            ("Parmar", "Niki"),
            ("Uszkoreit", "Jakob"),
            ("Jones", "Llion"),
            ("Gomez", "Aidan N."),
            ("Kaiser", "Łukasz"),
            ("Polosukhin", "Illia"),
        ],
        title: "Attention Is All You Need",
        venue: "Advances in Neural Information Processing Systems 30",
        year: 2017,
        pages: None,
        version: None,
        doi: None,
        url: Some("https://arxiv.org/abs/1706.03762"),
    },
    CitedWork {
        key: "halvdansson-2025",
        kind: "misc",
        authors: &[("Halvdansson", "Simon")],
        title: "What do learned positional embeddings look like?",
        venue: "Blog post",
        year: 2025,
        pages: None,
        version: None,
        doi: None,
        url: None,
    },
    CitedWork {
        key: "nirmata-2026",
        kind: "misc",
        authors: &[("nirmata.dev", "")],
        title: "Dot Products & Translation Invariance in Sinusoidal Positional Encodings",
        venue: "Blog post",
        year: 2026,
        pages: None,
        version: None,
        doi: None,
        url: Some("https://nirmata.dev"),
    },
];
