//! The frame of a page, and text made safe.

use pulldown_cmark::{Options, Parser, html};

/// The pages that every page leads to.
const PAGES: [(&str, &str); 2] = [("conclusions.html", "Which method"), ("errata.html", "Errata")];

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
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
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

/// Markdown as HTML; what it has of HTML itself is shown, not followed.
pub fn markdown(text: &str) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    let safe = parser.map(|event| match event {
        pulldown_cmark::Event::Html(text) | pulldown_cmark::Event::InlineHtml(text) => {
            pulldown_cmark::Event::Text(text)
        }
        other => other,
    });
    let mut out = String::new();
    html::push_html(&mut out, safe);
    out
}
