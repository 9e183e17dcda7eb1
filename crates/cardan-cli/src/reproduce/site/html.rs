//! The frame of a page, and text made safe.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// The pages that every page leads to.
const PAGES: [(&str, &str); 2] = [("conclusions.html", "Which method"), ("errata.html", "Errata")];

/// In the head of every page.
pub const MARK: &str = "<meta name=\"generator\" content=\"cardan\">";

/// A page; `up` leads from it to the folder of the site: "" or "../".
pub fn page(title: &str, up: &str, papers: &[(String, String)], body: &str) -> String {
    let mut links = String::new();
    for (name, title) in papers {
        links += &format!(r#"<a href="{up}{name}/index.html">{}</a>"#, escaped(title));
    }
    for (file, title) in PAGES {
        links += &format!(r#"<a href="{up}{file}">{title}</a>"#);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK}\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<link rel=\"stylesheet\" \
         href=\"{up}style.css\">\n</head>\n<body>\n<header><a class=\"home\" href=\"{up}index.html\">Cardan, \
         reproduced</a><nav>{links}</nav></header>\n<main>\n{body}\n</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// Text for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Markdown as HTML; what it has of HTML itself is shown, not followed, and of its links only those to other pages stay.
pub fn markdown(text: &str) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    let mut dropped = 0;
    let safe = parser.filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { ref dest_url, .. }) if !leads_on(dest_url) => {
            dropped += 1;
            None
        }
        // links do not nest
        Event::End(TagEnd::Link) if dropped > 0 => {
            dropped -= 1;
            None
        }
        other => Some(other),
    });
    let mut out = String::new();
    html::push_html(&mut out, safe);
    out
}

/// Whether a link leads to a page of the site or of the net, and not to a file of the repository.
fn leads_on(target: &str) -> bool {
    target.starts_with("https://") || target.split('#').next().is_some_and(|x| x.ends_with(".html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_safe_and_links_stay_within() {
        let found = markdown(
            "a <b>bold</b> [one](x.html#y) [two](x.md) [three](javascript:alert(1)) `1 < 2`",
        );
        assert!(found.contains("&lt;b&gt;") && found.contains("href=\"x.html#y\""), "{found}");
        assert!(found.contains(" two ") && !found.contains("x.md"), "{found}");
        assert!(!found.contains("javascript"), "{found}");
        assert_eq!(escaped("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }
}
