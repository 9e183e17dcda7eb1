//! The graph of the modules of a crate, read from its sources.
//!
//! A module depends on another where a path in its code leads to an item defined there. Re-exports are followed to the
//! module that defines the item, and are no dependence by themselves. Code under `#[cfg(test)]` does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A module by its path from the root of the crate.
pub type ModulePath = Vec<String>;

/// The modules of a crate and what their code uses.
#[derive(Default)]
pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Items defined here, child modules included.
    items: BTreeSet<String>,
    /// Names brought in by `use`, with the path each stands for.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules of which every name is brought in.
    globs: Vec<Vec<String>>,
    /// Paths in the code, with their lines.
    paths: Vec<(Vec<String>, usize)>,
}

/// One place where a module uses an item of another.
#[derive(Clone, Debug)]
pub struct Use {
    /// The module that uses.
    pub from: ModulePath,
    /// The module that defines the item.
    pub to: ModulePath,
    /// File and line, with the path as written.
    pub place: String,
}

impl Crate {
    /// Reads the sources below the file `lib.rs` or `main.rs`.
    pub fn read(root: &Path) -> Self {
        let mut result = Self::default();
        result.read_file(root, root.parent().unwrap(), Vec::new());
        result
    }

    fn read_file(&mut self, file: &Path, folder: &Path, path: ModulePath) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.read_items(&parsed.items, file, folder, path);
    }

    fn read_items(&mut self, items: &[syn::Item], file: &Path, folder: &Path, path: ModulePath) {
        let mut module = Module { file: file.into(), ..Module::default() };
        let mut children = Vec::new();
        for item in items {
            if is_test(attributes(item)) {
                continue;
            }
            match item {
                syn::Item::Mod(child) => {
                    let name = child.ident.to_string();
                    module.items.insert(name.clone());
                    children.push((name, child));
                }
                syn::Item::Use(item) => {
                    let is_public = !matches!(item.vis, syn::Visibility::Inherited);
                    let line = item.use_token.span.start().line;
                    let mut leaves = Vec::new();
                    flatten(&item.tree, &mut Vec::new(), &mut leaves);
                    for (target, name) in leaves {
                        if !is_public {
                            module.paths.push((target.clone(), line));
                        }
                        match name {
                            Some(name) => drop(module.imports.insert(name, target)),
                            None => module.globs.push(target),
                        }
                    }
                }
                other => {
                    if let Some(name) = name_of(other) {
                        module.items.insert(name);
                    }
                    Paths(&mut module.paths).visit_item(other);
                }
            }
        }
        self.modules.insert(path.clone(), module);
        for (name, child) in children {
            let mut path = path.clone();
            path.push(name.clone());
            match &child.content {
                Some((_, items)) => self.read_items(items, file, &folder.join(&name), path),
                None => {
                    let flat = folder.join(format!("{name}.rs"));
                    let nested = folder.join(&name).join("mod.rs");
                    let file = if flat.exists() { flat } else { nested };
                    self.read_file(&file, &folder.join(&name), path);
                }
            }
        }
    }

    /// Every use of an item of another module of the crate.
    pub fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (from, module) in &self.modules {
            for (path, line) in &module.paths {
                // a name alone that is also a module is a variable
                let is_variable = |to: &ModulePath| path.len() == 1 && to.len() > from.len();
                if let Some(to) = self.resolve(from, path, 0)
                    && to != *from
                    && !is_variable(&to)
                {
                    let place = format!("{}:{line} {}", module.file.display(), path.join("::"));
                    uses.push(Use { from: from.clone(), to, place });
                }
            }
        }
        uses
    }

    /// The module that defines what a path in a module leads to; `None` outside the crate.
    fn resolve(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        if depth > 20 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Vec::new(),
            "self" => from.clone(),
            "super" => {
                let mut up = from.clone();
                up.pop()?;
                up
            }
            _ => return self.find(from, path, depth),
        };
        match rest.split_first() {
            None => Some(start),
            Some((next, _)) if next == "super" => self.resolve(&start, rest, depth + 1),
            Some(_) => self.find(&start, rest, depth),
        }
    }

    /// Looks a path up in a module: its own items first, then what it imports.
    fn find(&self, module: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        let (name, rest) = path.split_first()?;
        let here = self.modules.get(module)?;
        if here.items.contains(name) {
            let mut child = module.clone();
            child.push(name.clone());
            if !self.modules.contains_key(&child) {
                return Some(module.clone());
            }
            if rest.is_empty() {
                return Some(child);
            }
            return self.find(&child, rest, depth + 1).or(Some(child));
        }
        if let Some(target) = here.imports.get(name) {
            if target.len() == 1 && target[0] == *name {
                return None;
            }
            let mut whole = target.clone();
            whole.extend_from_slice(rest);
            return self.resolve(module, &whole, depth + 1);
        }
        for glob in &here.globs {
            let mut whole = glob.clone();
            whole.extend_from_slice(path);
            if let Some(found) = self.resolve(module, &whole, depth + 1) {
                return Some(found);
            }
        }
        None
    }

    /// The modules that have children, the root included.
    pub fn parents(&self) -> BTreeSet<ModulePath> {
        let mut parents = BTreeSet::new();
        for path in self.modules.keys() {
            if let Some((_, parent)) = path.split_last() {
                parents.insert(parent.to_vec());
            }
        }
        parents
    }

    /// Uses among the children of a module, by names; the module's own code is the child `self`.
    pub fn graph_below<'a>(
        &self,
        parent: &ModulePath,
        uses: &'a [Use],
    ) -> BTreeMap<(String, String), Vec<&'a Use>> {
        let child = |path: &ModulePath| {
            path.starts_with(parent)
                .then(|| path.get(parent.len()).cloned().unwrap_or_else(|| "self".into()))
        };
        let mut graph: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for one in uses {
            if let (Some(from), Some(to)) = (child(&one.from), child(&one.to))
                && from != to
            {
                graph.entry((from, to)).or_default().push(one);
            }
        }
        graph
    }
}

/// Groups of names that depend on each other in circles.
pub fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        reach.entry(from).or_default().insert(to);
    }
    loop {
        let mut more = Vec::new();
        for (from, to) in &reach {
            for middle in to {
                for end in reach.get(middle).into_iter().flatten() {
                    if !to.contains(end) {
                        more.push((*from, *end));
                    }
                }
            }
        }
        if more.is_empty() {
            break;
        }
        for (from, to) in more {
            reach.entry(from).or_default().insert(to);
        }
    }
    let reaches = |a: &str, b: &str| reach.get(a).is_some_and(|to| to.contains(b));
    let mut groups: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for a in reach.keys().filter(|a| reaches(a, a)) {
        groups.insert(
            reach
                .keys()
                .filter(|b| reaches(a, b) && reaches(b, a))
                .map(|b| b.to_string())
                .collect(),
        );
    }
    groups.into_iter().collect()
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(x) => &x.attrs,
        syn::Item::Use(x) => &x.attrs,
        syn::Item::Fn(x) => &x.attrs,
        syn::Item::Impl(x) => &x.attrs,
        syn::Item::Struct(x) => &x.attrs,
        syn::Item::Enum(x) => &x.attrs,
        syn::Item::Const(x) => &x.attrs,
        _ => &[],
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            matches!(list.tokens.to_string().as_str(), "test" | "doctest")
        }
        _ => false,
    })
}

fn name_of(item: &syn::Item) -> Option<String> {
    Some(match item {
        syn::Item::Const(x) => x.ident.to_string(),
        syn::Item::Enum(x) => x.ident.to_string(),
        syn::Item::Fn(x) => x.sig.ident.to_string(),
        syn::Item::Macro(x) => x.ident.as_ref()?.to_string(),
        syn::Item::Static(x) => x.ident.to_string(),
        syn::Item::Struct(x) => x.ident.to_string(),
        syn::Item::Trait(x) => x.ident.to_string(),
        syn::Item::TraitAlias(x) => x.ident.to_string(),
        syn::Item::Type(x) => x.ident.to_string(),
        syn::Item::Union(x) => x.ident.to_string(),
        _ => return None,
    })
}

/// The leaves of a tree of imports: target and name, no name for a glob.
fn flatten(
    tree: &syn::UseTree,
    before: &mut Vec<String>,
    leaves: &mut Vec<(Vec<String>, Option<String>)>,
) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, leaves);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            leaves.push((before.clone(), before.last().cloned()));
        }
        syn::UseTree::Name(name) => {
            let mut target = before.clone();
            target.push(name.ident.to_string());
            leaves.push((target, Some(name.ident.to_string())));
        }
        syn::UseTree::Rename(rename) => {
            let mut target = before.clone();
            if rename.ident != "self" {
                target.push(rename.ident.to_string());
            }
            leaves.push((target, Some(rename.rename.to_string())));
        }
        syn::UseTree::Glob(_) => leaves.push((before.clone(), None)),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, leaves);
            }
        }
    }
}

/// Collects the paths in code; those in the arguments of macros too.
struct Paths<'a>(&'a mut Vec<(Vec<String>, usize)>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            let names = path.segments.iter().map(|s| s.ident.to_string()).collect();
            self.0.push((names, first.ident.span().start().line));
        }
        visit::visit_path(self, path);
    }

    /// `pub(super)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        collect_tokens(mac.tokens.clone(), self.0);
        visit::visit_macro(self, mac);
    }
}

/// Paths among loose tokens: names joined by `::`.
fn collect_tokens(tokens: proc_macro2::TokenStream, paths: &mut Vec<(Vec<String>, usize)>) {
    use proc_macro2::TokenTree;
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_colon =
        |i: usize| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let mut i = 0;
    while i < tokens.len() {
        match &tokens[i] {
            TokenTree::Group(group) => collect_tokens(group.stream(), paths),
            TokenTree::Ident(first) => {
                let mut names = vec![first.to_string()];
                while is_colon(i + 1)
                    && is_colon(i + 2)
                    && let Some(TokenTree::Ident(next)) = tokens.get(i + 3)
                {
                    names.push(next.to_string());
                    i += 3;
                }
                paths.push((names, first.span().start().line));
            }
            _ => {}
        }
        i += 1;
    }
}
