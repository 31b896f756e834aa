//! MathML elements of formulas, and their markup.

/// A MathML element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MathNode {
    /// An element with text.
    Token(MathToken, String),
    /// An element with elements in it.
    Layout(MathLayout, Vec<Self>),
    /// White space of a width in thousandths of an em.
    Space(i32),
}

/// Kind of an element with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MathToken {
    /// A variable: one letter, italic.
    Variable,
    /// An upright name, such as that of a function.
    Name,
    /// A number.
    Number,
    /// An operator or relation between two elements, a large operator, or a punctuation mark.
    Operator,
    /// An operator before its only operand, such as a sign.
    Prefix,
    /// An opening bracket, or a bar, of the size of letters.
    Fence,
    /// A closing bracket of the size of letters.
    Closing,
    /// An opening bracket as high as its row.
    TallFence,
    /// A closing bracket as high as its row.
    TallClosing,
    /// An accent above an element.
    Accent,
    /// Words.
    Words,
}

/// Kind of an element with elements in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MathLayout {
    /// Elements side by side.
    Row,
    /// Numerator and denominator.
    Fraction,
    /// A square root of its elements.
    SquareRoot,
    /// Radicand and degree of a root.
    Root,
    /// Base and subscript.
    Sub,
    /// Base and superscript.
    Sup,
    /// Base, subscript and superscript.
    SubSup,
    /// Base and what is below it.
    Under,
    /// Base and what is above it.
    Over,
    /// Base, what is below it and what is above it.
    UnderOver,
}

impl MathToken {
    /// The start tag and the end tag.
    fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Variable => ("<mi>", "</mi>"),
            Self::Name => ("<mi mathvariant=\"normal\">", "</mi>"),
            Self::Number => ("<mn>", "</mn>"),
            Self::Operator => ("<mo>", "</mo>"),
            Self::Prefix => ("<mo form=\"prefix\">", "</mo>"),
            Self::Fence => ("<mo form=\"prefix\" stretchy=\"false\">", "</mo>"),
            Self::Closing => ("<mo form=\"postfix\" stretchy=\"false\">", "</mo>"),
            Self::TallFence => ("<mo form=\"prefix\" stretchy=\"true\">", "</mo>"),
            Self::TallClosing => ("<mo form=\"postfix\" stretchy=\"true\">", "</mo>"),
            Self::Accent => ("<mo stretchy=\"false\">", "</mo>"),
            Self::Words => ("<mtext>", "</mtext>"),
        }
    }
}

impl MathLayout {
    fn tag(self) -> &'static str {
        match self {
            Self::Row => "mrow",
            Self::Fraction => "mfrac",
            Self::SquareRoot => "msqrt",
            Self::Root => "mroot",
            Self::Sub => "msub",
            Self::Sup => "msup",
            Self::SubSup => "msubsup",
            Self::Under => "munder",
            Self::Over => "mover",
            Self::UnderOver => "munderover",
        }
    }
}

/// Returns a row of elements as a `<math>` element.
pub(crate) fn mathml(row: &[MathNode]) -> String {
    let mut markup = "<math>".to_owned();
    for node in row {
        node.write(&mut markup);
    }
    markup + "</math>"
}

impl MathNode {
    fn write(&self, markup: &mut String) {
        match self {
            Self::Token(token, text) => {
                let (start, end) = token.tags();
                markup.push_str(start);
                for letter in text.chars() {
                    match letter {
                        '<' => markup.push_str("&lt;"),
                        '>' => markup.push_str("&gt;"),
                        '&' => markup.push_str("&amp;"),
                        // MathML ignores spaces at the ends of a text.
                        ' ' => markup.push('\u{a0}'),
                        letter => markup.push(letter),
                    }
                }
                markup.push_str(end);
            }
            Self::Layout(layout, nodes) => {
                let tag = layout.tag();
                markup.push_str(&format!("<{tag}>"));
                for node in nodes {
                    node.write(markup);
                }
                markup.push_str(&format!("</{tag}>"));
            }
            Self::Space(width) => {
                let width = f64::from(*width) / 1000.0;
                markup.push_str(&format!("<mspace width=\"{width}em\"></mspace>"));
            }
        }
    }
}
