//! The own format of a forest: all that is needed to go on exactly where it was left.
//!
//! One JSON object with a version. It holds the settings and who made the vectors, the vocabulary, the hot window, the
//! number of the next message, the cold messages with their sparse vectors, and the unions in order. Sums and products of
//! clusters are not in it: they are made again in the same order, and so come out the same to the last bit.

use serde::{Deserialize, Serialize};

use super::exchange::Content;
use super::forest::{Cause, Stamp};
use super::rules::Scene;
use super::settings::{Cap, Preset, Settings, Vectors};
use super::vectors::{Counts, Vector, Vocabulary};
use super::{ColdForest, Hot};

/// The version that is written.
pub const VERSION: u32 = 1;

/// Why a file cannot be gone on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSaved {
    /// It is something else.
    #[error("no saved forest")]
    Other,
    /// Of another version.
    #[error("a saved forest of version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// Its vectors were made in a way that this build does not know.
    #[error("its vectors were made by \"{0}\", which this build does not know")]
    Embedder(String),
    /// It contradicts itself.
    #[error("a saved forest that cannot be read: {0}")]
    Broken(String),
}

#[derive(Serialize, Deserialize)]
struct File {
    pentimento_forest: u32,
    embedder: String,
    settings: Stored,
    next: u32,
    seen: u32,
    vocabulary: Vec<(String, u32)>,
    hot: Vec<HotMessage>,
    nodes: Vec<Node>,
    unions: Vec<Union>,
}

#[derive(Deserialize)]
struct Head {
    pentimento_forest: u32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    preset: String,
    vectors: String,
    hot: u32,
    cap: String,
    threshold: f64,
    nearest: u32,
    min_sim: f64,
}

#[derive(Serialize, Deserialize)]
struct HotMessage {
    message: u32,
    terms: Vec<(u32, u32)>,
    total: u32,
    vector: Option<Vec<(u32, f64)>>,
    content: String,
    time: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    message: u32,
    at: Stamp,
    vector: Vec<(u32, f64)>,
    content: String,
    time: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Union {
    nodes: u32,
    winner: u32,
    loser: u32,
    at: Stamp,
    similarity: f64,
    cause: String,
}

/// A forest as it was saved, with what its messages say: the nodes' in order, then the hot ones'.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The forest.
    pub forest: ColdForest,
    /// What its cold messages say.
    pub cold: Vec<Content>,
    /// What its hot messages say.
    pub hot: Vec<Content>,
}

/// The file of a forest whose cold and hot messages say this.
pub fn write(forest: &ColdForest, cold: &[Content], hot: &[Content]) -> serde_json::Result<Vec<u8>> {
    let Settings { preset, vectors, hot: window, cap, threshold, nearest, min_sim } = forest.settings;
    let entries = |vector: &Vector| vector.iter().collect::<Vec<_>>();
    let hot = forest.hot.iter().zip(hot).map(|(hot, content)| HotMessage {
        message: hot.message,
        terms: hot.counts.terms.clone(),
        total: hot.counts.total,
        vector: hot.vector.as_ref().map(entries),
        content: content.text.clone(),
        time: content.time.clone(),
    });
    let nodes = (0..).zip(cold).take(forest.messages.len()).map(|(node, content)| Node {
        message: forest.message(node),
        at: forest.forest.added(node),
        vector: entries(forest.vector(node)),
        content: content.text.clone(),
        time: content.time.clone(),
    });
    let unions = forest.forest.unions().iter().map(|union| Union {
        nodes: union.nodes,
        winner: union.winner,
        loser: union.loser,
        at: union.at,
        similarity: union.similarity,
        cause: union.cause.name().to_owned(),
    });
    let file = File {
        pentimento_forest: VERSION,
        embedder: forest.settings.embedder().to_owned(),
        settings: Stored {
            preset: preset.name().to_owned(),
            vectors: vectors.name().to_owned(),
            hot: window,
            cap: cap.to_string(),
            threshold,
            nearest,
            min_sim,
        },
        next: forest.next,
        seen: forest.vocabulary.messages(),
        vocabulary: forest.vocabulary.terms().map(|(term, with)| (term.to_owned(), with)).collect(),
        hot: hot.collect(),
        nodes: nodes.collect(),
        unions: unions.collect(),
    };
    let mut bytes = serde_json::to_vec(&file)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Whether a file holds a saved forest, of whatever version.
pub fn is_one(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Head>(bytes).is_ok()
}

/// The forest of a file.
pub fn read(bytes: &[u8]) -> Result<Saved, NotSaved> {
    let head: Head = serde_json::from_slice(bytes).map_err(|_| NotSaved::Other)?;
    if head.pentimento_forest != VERSION {
        return Err(NotSaved::Version(head.pentimento_forest));
    }
    let file: File = serde_json::from_slice(bytes).map_err(|error| NotSaved::Broken(error.to_string()))?;
    let settings = settings(&file.settings)
        .ok_or_else(|| NotSaved::Broken("its settings are not of this build".to_owned()))?;
    if settings.embedder() != file.embedder {
        return Err(NotSaved::Embedder(file.embedder));
    }
    restore(settings, file).map_err(|what| NotSaved::Broken(what.to_owned()))
}

fn settings(stored: &Stored) -> Option<Settings> {
    Some(Settings {
        preset: Preset::named(&stored.preset)?,
        vectors: Vectors::named(&stored.vectors)?,
        hot: stored.hot,
        cap: Cap::parse(&stored.cap)?,
        threshold: stored.threshold,
        nearest: stored.nearest,
        min_sim: stored.min_sim,
    })
}

fn restore(settings: Settings, file: File) -> Result<Saved, &'static str> {
    let known = file.vocabulary.len() as u32;
    let ascends = |terms: &mut dyn Iterator<Item = u32>| {
        let terms: Vec<u32> = terms.collect();
        terms.is_sorted_by(|a, b| a < b) && terms.iter().all(|term| *term < known)
    };
    let vector = |entries: &[(u32, f64)]| {
        let (terms, weights): (Vec<u32>, Vec<f64>) = entries.iter().copied().unzip();
        ascends(&mut terms.iter().copied())
            .then(|| Vector::new(terms, weights))
            .ok_or("a vector names no term")
    };
    let mut forest = ColdForest::new(settings);
    forest.vocabulary = Vocabulary::restored(&settings, file.vocabulary, file.seen);
    if forest.vocabulary.len() as u32 != known {
        return Err("a term occurs twice");
    }
    let mut unions = file.unions.iter().peekable();
    let mut cold = Vec::new();
    for node in file.nodes {
        let vector = vector(&node.vector)?;
        let mut then = Vec::new();
        let nodes = forest.messages.len() as u32 + 1;
        while let Some(union) = unions.next_if(|union| union.nodes == nodes) {
            let cause = Cause::named(&union.cause).ok_or("a union has no cause")?;
            then.push((union.winner, union.loser, union.at, cause));
        }
        let ColdForest { settings, forest: inner, clusters, gists, .. } = &mut forest;
        let mut scene = Scene { settings, forest: inner, clusters, gists };
        if !scene.restore(&vector, node.at, &then) {
            return Err("its unions do not follow from one another");
        }
        forest.keep(node.message, vector);
        cold.push(Content { text: node.content, time: node.time });
    }
    if unions.next().is_some() || !forest.messages.is_sorted_by(|a, b| a < b) {
        return Err("its messages are out of order");
    }
    let mut hot = Vec::new();
    for message in file.hot {
        if !ascends(&mut message.terms.iter().map(|(term, _)| *term)) {
            return Err("a hot message names no term");
        }
        forest.hot.push_back(Hot {
            message: message.message,
            counts: Counts { terms: message.terms, total: message.total },
            vector: message.vector.as_deref().map(vector).transpose()?,
        });
        hot.push(Content { text: message.content, time: message.time });
    }
    forest.next = file.next;
    Ok(Saved { forest, cold, hot })
}
