#!/usr/bin/env python3
"""Repeats the choice of a sample from its seed, after docs/formats.md, "Sample what a server holds".

    sample_choices.py vectors/samples.json      whether this reader agrees with the vectors
    sample_choices.py record.jsonl              whether the choices of each recorded sample follow from one another

Needs Python 3.10 and nothing else.
"""
import hashlib
import json
import sys
import uuid

SEGMENT = 1_048_560  # plaintext bytes in a full data segment


def choose(seed: bytes, segments: int, samples: int) -> list[int]:
    bits = (segments - 1).bit_length()
    stream, chosen, at = b"", [], 0
    while len(chosen) < samples:
        if at == len(stream):  # hashlib gives a beginning of the stream, so it is asked for a longer one
            stream = hashlib.shake_256(b"service/sample/1\0" + seed).digest(max(1024, 2 * at))
        number = int.from_bytes(stream[at : at + 8], "big") & ((1 << bits) - 1)
        at += 8
        if number < segments:
            chosen.append(number)
    return chosen


def segments_of(size: int) -> int:
    return max(1, -(-size // SEGMENT))


class Population:
    def __init__(self, files: list[dict]):
        self.files = sorted(files, key=lambda file: file["asset_id"])
        self.segments = sum(segments_of(file["plaintext_size"]) for file in files)
        members = (
            uuid.UUID(file["asset_id"]).bytes + bytes.fromhex(file["hash"]) + file["plaintext_size"].to_bytes(8, "big")
            for file in self.files
        )
        self.hash = hashlib.sha256(b"".join(members)).hexdigest()

    def at(self, number: int) -> list:
        for file in self.files:
            count = segments_of(file["plaintext_size"])
            if number < count:
                return [file["asset_id"], number]
            number -= count
        raise IndexError(number)


def check_vectors(vectors: dict) -> None:
    assert vectors["choices"] and vectors["populations"], "an empty list shows nothing"
    for case in vectors["choices"]:
        chosen = choose(bytes.fromhex(case["seed"]), case["segments"], len(case["chosen"]))
        assert chosen == case["chosen"], case
    for case in vectors["populations"]:
        population = Population(case["files"])
        assert (population.segments, population.hash) == (case["segments"], case["hash"]), case
        chosen = choose(bytes.fromhex(case["seed"]), population.segments, len(case["samples"]))
        assert [population.at(number) for number in chosen] == case["samples"], case
        for number, *expected in case["edges"]:
            assert population.at(number) == expected, (number, expected)
    print(f"{len(vectors['choices'])} choices and {len(vectors['populations'])} populations agree.")


def check_record(line: dict) -> None:
    """Without the files: equal numbers must be the same segment, and larger ones a later one."""
    chosen = choose(bytes.fromhex(line["seed"]), line["segments"], len(line["samples"]))
    places = dict(zip(chosen, ((asset, segment) for asset, segment, _ in line["samples"])))
    assert all(places[number] == (asset, segment) for number, (asset, segment, _) in zip(chosen, line["samples"]))
    assert [places[number] for number in sorted(places)] == sorted(places.values()), line["at"]
    print(f"{line['at']}: {len(chosen)} choices of {line['segments']} segments fit the seed.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        if sys.argv[1].endswith(".jsonl"):
            for text in file:
                check_record(json.loads(text))
        else:
            check_vectors(json.load(file))
