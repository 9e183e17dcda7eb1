//! The frame of a page, and everything that makes text safe in it.
//!
//! A page shows text of manifests that others wrote, and must do nothing but show it: no scripts, nothing from the net.
//! Every text goes through one of three functions: [`escaped`] for text, [`link`] for files of the site, [`markdown`] for
//! paragraphs. A policy in every page forbids the rest, should one of them ever let something pass.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, html};

/// The pages that every page leads to.
const PAGES: [(&str, &str); 2] = [("conclusions.html", "Which method"), ("errata.html", "Errata")];

/// In the head of every page.
pub const MARK: &str = "<meta name=\"generator\" content=\"cardan\">";

/// What a browser may load: the style sheet, the figures and the live models of the site. `self` is the site on a server, `file:` the
/// site in a folder.
const POLICY: &str = "default-src 'none'; img-src 'self' file:; style-src 'self' file:; frame-src 'self' file:; base-uri 'none'; form-action 'none'";

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// In the folder of the site.
    Site,
    /// In the folder of a paper.
    Paper,
}

impl Depth {
    /// The way to the folder of the site.
    fn up(self) -> &'static str {
        match self {
            Self::Site => "",
            Self::Paper => "../",
        }
    }
}

/// A page with this body.
pub fn page(title: &str, depth: Depth, papers: &[(String, String)], body: &str) -> String {
    let up = depth.up();
    let mut links = String::new();
    for (name, title) in papers {
        links += &format!(r#"<a href="{up}{}/index.html">{}</a>"#, link(name), escaped(title));
    }
    for (file, title) in PAGES {
        links += &format!(r#"<a href="{up}{file}">{title}</a>"#);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{MARK}\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<link rel=\"stylesheet\" \
         href=\"{up}style.css\">\n</head>\n<body>\n<header><a class=\"home\" href=\"{up}index.html\">Cardan, \
         reproduced</a><nav>{links}</nav></header>\n<main>\n{body}\n</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// Text for HTML, also within quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(c),
        }
    }
    out
}

/// The path of a file of the site as a link, with special characters escaped.
pub fn link(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte.into()),
            b'-' | b'_' | b'.' | b'~' | b'/' | b'@' | b'=' | b',' | b'+' => out.push(byte.into()),
            // of paths as Windows writes them
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Markdown as HTML. HTML in it is shown as text. A link stays if it leads to a page of the site, or to the net by http
/// or https; of other links, and of pictures, only the text stays.
pub fn markdown(text: &str, depth: Depth) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    // links do not nest, but may contain pictures
    let mut dropped = 0;
    let safe = parser.filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { link_type, ref dest_url, .. })
            if link_type == LinkType::Email || !is_allowed(dest_url, depth) =>
        {
            dropped += 1;
            None
        }
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

/// Whether a link leads to a page of the site or of the net, and nowhere else.
fn is_allowed(target: &str, depth: Depth) -> bool {
    let begins = |scheme: &str| {
        let start = target.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if begins("https://") || begins("http://") {
        return target.chars().all(|c| !c.is_control() && !c.is_whitespace());
    }
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            && !word.starts_with('.')
    };
    let (path, place) = match target.split_once('#') {
        Some((path, place)) => (path, Some(place)),
        None => (target, None),
    };
    let is_place =
        place.is_none_or(|place| place.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c)));
    let within = path.strip_prefix(depth.up()).unwrap_or(path);
    let is_page = within.ends_with(".html") && within.split('/').all(is_word);
    is_place && (is_page || path.is_empty() && place.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_and_pictures_are_text_and_links_stay_within() {
        let found = markdown(
            "a <b>bold</b> [one](x.html#y) [two](x.md) [three](javascript:alert(1)) `1 < 2` ![four](https://e.com/i.png)",
            Depth::Site,
        );
        assert!(found.contains("&lt;b&gt;") && found.contains("href=\"x.html#y\""), "{found}");
        assert!(found.contains(" two ") && !found.contains("x.md"), "{found}");
        assert!(!found.contains("javascript"), "{found}");
        assert!(found.contains("four") && !found.contains("<img") && !found.contains("e.com"));
        assert_eq!(escaped("<a href='\"&\">"), "&lt;a href=&#39;&quot;&amp;&quot;&gt;");
        assert_eq!(link("data/a b#c?d%\"<é"), "data/a%20b%23c%3Fd%25%22%3C%C3%A9");
    }

    #[test]
    fn links_are_those_of_the_list() {
        for good in ["https://a.org/x?y=1#z", "HTTP://a.org", "x.html", "a/b.html#c", "#here"] {
            assert!(is_allowed(good, Depth::Site), "{good}");
        }
        assert!(is_allowed("../index.html", Depth::Paper));
        for bad in [
            "javascript:alert(1)",
            "javascript:alert(1)//x.html",
            "JaVaScRiPt:x.html",
            "vbscript:x.html",
            "data:text/html,x.html",
            "file:///etc/x.html",
            "mailto:a@b.c",
            "//evil.org/x.html",
            "/x.html",
            "\\\\evil\\x.html",
            "../x.html",
            "a/../../x.html",
            "x.html?y",
            "x%2e.html",
            " x.html",
            "x.svg",
            "ftp://a.org/x.html",
            "https:x.html",
            "x.html#\"onclick=",
            "",
        ] {
            assert!(!is_allowed(bad, Depth::Site), "{bad}");
        }
        assert!(!is_allowed("../../x.html", Depth::Paper));
    }
}
