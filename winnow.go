// Package winnow holds the nouns of agentic retrieval and the few interfaces
// between its rooms.
//
// A question goes in and a ranked set of supporting documents comes out, found
// by an agent that searches, follows links, reads, and throws out what does not
// help. Everything the rooms say to each other is said in these types:
//
//   - a [Document] is cut into [Chunk]s, which tile its text;
//   - a [Corpus] answers a [Query] with [Hit]s, a [GrepQuery] with [Match]es,
//     a [ReadQuery] with a document, a [LinkQuery] with [Neighbour]s;
//   - a [Writer] fills a corpus; an [Embedder] gives it meaning, a [Reranker]
//     a second opinion;
//   - a [Policy] sees a [View] and answers with an [Action], calls of [Tool]s or
//     an [Answer]; what comes of it is an [Observation], and all of a run
//     together is a [Trajectory] of [Event]s that ends with a [Ranking].
//
// The package imports none of the others, so that every room can be read, tested
// and replaced on its own. What was traded away is convenience: these types
// carry no behaviour beyond what their fields mean.
package winnow
