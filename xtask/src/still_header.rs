//! The header that the page shows until its program is loaded, and the line below it, with the same content as the
//! page's own.

// Files of the page that use nothing else of it.
#[path = "../../src/app/shell/brand.rs"]
mod brand;
#[path = "../../src/url_state/view.rs"]
mod view;

use crate::{Result, site};

/// The placeholder in `index.html`.
const PLACE: &str = "<div id=\"still-header\">HEADER</div>";

/// Inserts the header into the page.
///
/// # Errors
/// If the page has no single placeholder for it.
pub fn insert(html: &str) -> Result<String> {
    site::replace_once(html, PLACE, &still_header())
}

fn still_header() -> String {
    let views = view::VIEWS.iter();
    let links: String = views
        .map(|(_, _, title)| format!("<a>{title}</a>"))
        .collect();
    format!(
        "<div id=\"still-header\">\n\
         <header class=\"top\">\n\
         <h1 class=\"brand\">{}</h1>\n\
         <nav>{links}</nav>\n\
         </header>\n\
         <section class=\"intro\" aria-label=\"About this page\">{}</section>\n\
         </div>",
        brand::BRAND,
        brand::INTRO
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;

    #[test]
    fn the_header_lists_every_view() -> Result {
        let html = insert(&std::fs::read_to_string(root().join("index.html"))?)?;
        assert!(html.contains("<nav><a>Positions</a><a>Heads</a>"), "{html}");
        assert_eq!(html.matches("<a>").count(), view::VIEWS.len());
        assert_eq!(html.matches("<h1").count(), 1);
        // The page finds the parts that it removes by these ids (src/app/shell/splash.rs).
        for id in ["still-header", "still"] {
            assert!(html.contains(&format!(" id=\"{id}\"")), "{id}");
        }
        assert!(insert("<body></body>").is_err());
        Ok(())
    }

    #[test]
    fn the_tour_is_a_lesson() -> Result {
        let html = still_header();
        let at = html.find("?lesson=").ok_or("no link to a lesson")?;
        let id = html[at + "?lesson=".len()..].split('"').next();
        let lesson = format!("www/lessons/{}.md", id.ok_or("no end of the link")?);
        assert!(root().join(&lesson).is_file(), "{lesson} does not exist");
        Ok(())
    }
}
