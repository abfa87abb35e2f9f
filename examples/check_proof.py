"""Checks a proof about a file. Written from docs/formats.md, "The proof about a file".

    check_proof.py PROOF FILE KEYS           PROOF: one document; KEYS: what the server answered about its attestation keys
    check_proof.py vectors/openings.json     whether this reader agrees with the vectors

Needs Python 3.10, `cryptography` 48 or newer, and check_receipt.py beside it. Nothing is asked on the network. It reads
no statements of a server that has moved: a receipt in a former name fails at the step server.
"""

import base64
import contextlib
import datetime
import hashlib
import hmac
import io
import json
import math
import os
import re
import struct
import sys

from check_receipt import RECEIPT, decode, encode, head, insist, open_message, sha256
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

SEGMENT, TAG = 1_048_560, 16
MAX_PROOF_BYTES, MAX_PREFIX_BYTES = 192 * 1024, 66_722
MAX_DEPTH = 16
OPENING = {"version", "purpose", "context", "secret", "prefix"}
TEXTS = {"name": 8192, "type": 255, "modified_at": 64, "note": 49152, "sender": 1024}
HASH, HEX = "[0-9a-f]{64}", "[0-9a-f]"
TIME = r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:)(\d\d)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
# The texts beside the receipt that repeat what it has signed; the last two may be absent or null.
REPEATED = {
    "server_id": r"[^\x00-\x1f\x7f-\x9f]*", "server_key_id": HASH, "ciphertext_hash": HASH, "received_at": TIME,
    "upload_id": f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}",
    "blob_role": "original|derivative|metadata|provenance", "prior_receipt_hash": HASH, "envelope_hash": HASH,
}
FLOATS = ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d"))


class Refused(Exception):
    """The first step that fails."""


def need(step, holds):
    if not holds:
        raise Refused(step)


def once(pairs):
    need("form", len({name for name, _ in pairs}) == len(pairs))
    return dict(pairs)


def decoded(text, least, most):
    raw = base64.b64decode(text, validate=True)
    need("form", base64.b64encode(raw).decode() == text and least <= len(raw) <= most)
    return raw


def number(text):
    """As most languages read it: 30.0 is 30."""
    value = float(text)
    return int(value) if value.is_integer() else value


def refuse(constant):
    raise ValueError(constant)


def depth(value):
    values = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, values), default=0) if isinstance(value, (dict, list)) else 0


def is_count(value, least):
    return type(value) is int and least <= value < 2**53


def instant(text):
    """RFC 3339, to the millisecond, a leap second as the one before it."""
    parts = re.fullmatch(TIME, text, re.ASCII)
    if parts is None:
        raise ValueError(text)
    day, minute, second, fraction, offset = parts.groups()
    second, fraction = "59" if second == "60" else second, ((fraction or ".") + "000")[:4]
    return datetime.datetime.fromisoformat(f"{day}T{minute}{second}{fraction}{offset.upper().replace('Z', '+00:00')}")


def read_proof(document):
    """Step 1. The members of the proof, with secret and prefix as bytes."""
    need("form", len(document) <= MAX_PROOF_BYTES)
    rules = {"object_pairs_hook": once, "parse_constant": refuse, "parse_int": number, "parse_float": number}
    try:
        proof = json.loads(document.decode("utf-8-sig"), **rules)
        need("form", depth(proof) <= MAX_DEPTH)
        json.dumps(proof, ensure_ascii=False).encode()  # refuses half a surrogate pair
        opening = proof["file"]["opening"]
        need("form", set(opening) == OPENING)
        need("form", (opening["version"], opening["purpose"]) == ("service/opening/1", "original"))
        need("form", re.fullmatch("[0-9a-f]{32}", opening["context"]))
        opening["secret"] = decoded(opening["secret"], 64, 64)
        opening["prefix"] = decoded(opening["prefix"], 1090, MAX_PREFIX_BYTES)
        decoded(proof["receipt_cbor"], 1, 16384)
        require_members(proof)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused("form") from error
    return proof


def require_members(proof):
    file = proof["file"]
    need("form", type(file["name"]) is str and type(file.get("folder", "")) is str and is_count(file["size"], 0))
    need("form", is_count(proof["receipt_seq"], 1) and is_count(proof["size"], 1))
    for name, form in REPEATED.items():
        is_absent = name in ("prior_receipt_hash", "envelope_hash") and proof.get(name) is None
        need("form", is_absent or re.fullmatch(form, proof[name], re.ASCII))
    instant(proof["received_at"])


def read_keys(text):
    """The list of a server, by the rules for it. It has to be from elsewhere than the proof."""
    try:
        published = json.loads(text)
        insist("receipt_cbor" not in published, "keys that come with a receipt do not show whose they are")
        times = []
        for key in published["keys"]:
            key["bytes"] = base64.b64decode(key["public"], validate=True)
            insist(len(key["bytes"]) == 1984 and sha256(key["bytes"]).hex() == key["key_id"], "a key has another id")
            insist(key["algorithm"] == "hybrid-ed25519-mldsa65", "a key is of another kind")
            key["from"], to = instant(key["active_from"]), key.get("active_to")
            key["to"] = None if to is None else instant(to)
            times += [key["from"], key["to"]]
        insist(None not in times[:-1] and times[-1:] == [None], "all keys but the last have an end, and only they")
        insist(times[:-1] == sorted(times[:-1]), "a key began before the one before it had ended")
        insist(type(published["server_id"]) is str, "the list names no server")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sys.exit("this is no list of keys, as a server answers about its attestation keys")
    return published


def check_signed(proof, published):
    """Steps 2 to 5. The signed fields; `published` is what `read_keys` gave."""
    key = next((key for key in published["keys"] if key["key_id"] == proof["server_key_id"]), None)
    need("key", key)
    try:
        fields, _ = open_message(proof["receipt_cbor"], RECEIPT, key["bytes"])
        at = instant(fields["received_at"])
    except (SystemExit, ValueError, TypeError, RecursionError) as error:
        raise Refused("receipt") from error
    need("receipt", fields["blob_role"] == "original")
    need("key", key["from"] <= at and (key["to"] is None or at <= key["to"]))
    need("server", fields["server_id"] == published["server_id"])
    for name in {*REPEATED, "receipt_seq", "size"} - {"server_key_id"}:
        signed = fields.get(name)
        need("members", proof.get(name) == (signed.hex() if isinstance(signed, bytes) else signed))
    return fields


def read_value(content):
    """A value of a header and what follows: a text, an integer, true, false, or a float."""
    if content[:1] in (b"\xf4", b"\xf5"):
        return content[0] == 0xF5, content[1:]
    for code, form in FLOATS:
        if content[:1] == bytes([code]):
            end = 1 + struct.calcsize(form)
            return struct.unpack(form, content[1:end])[0], content[end:]
    insist(content and content[0] >> 5 in (0, 1, 3), "a header has another value")
    return decode(content)


def encode_value(value):
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, float):
        insist(math.isfinite(value) and not (value.is_integer() and abs(value) < 2**53), "a float is finite, no integer")
        for code, form in FLOATS:
            with contextlib.suppress(OverflowError):
                if struct.unpack(form, packed := struct.pack(form, value))[0] == value:
                    return bytes([code]) + packed
    is_portable = not value.startswith("\ufeff") if isinstance(value, str) else abs(value) < 2**53
    insist(is_portable, "a text has no byte order mark, and an integer at most 53 bits")
    return encode(value)


def read_header(padded):
    short = padded[0] & 31
    width = 0 if short < 24 else 2 ** (short - 24)
    insist(padded[0] >> 5 == 5 and width < 4, "a header is a map")
    header, rest = {}, padded[1 + width :]
    for _ in range(int.from_bytes(padded[1 : 1 + width], "big") if width else short):
        name, rest = read_value(rest)
        insist(isinstance(name, str) and name not in header, "a name of a header is a text, and there once")
        header[name], rest = read_value(rest)
    pairs = sorted((encode_value(name), encode_value(value)) for name, value in header.items())
    written = head(5, len(pairs)) + b"".join(name + value for name, value in pairs)
    insist(padded == written.ljust(len(padded), b"\0"), "a header is deterministic CBOR, with zeros behind it")
    insist(is_count(header.get("size"), 0), "a header has a size")
    for name, most in TEXTS.items():
        text = header.get(name, "")
        insist(isinstance(text, str) and len(text.encode()) <= most, "a text of a header has its bound")
    if "modified_at" in header:
        instant(header["modified_at"])
    return header


def open_header(opening):
    """Steps 6 and 7. The header, and what seals segment `counter`."""
    prefix = opening["prefix"]
    start = {1: 1, 2: 1 + 1120}.get(prefix[0])
    need("secret", start)
    end = start + 16 + 32 + 1
    blocks = prefix[end - 1]
    need("secret", 1 <= blocks <= 64 and len(prefix) == end + blocks * 1024 + TAG)
    info = b"service/stream/1\0original\0" + bytes.fromhex(opening["context"])
    stream = HKDFExpand(SHA512(), 71, info).derive(opening["secret"])
    need("secret", hmac.compare_digest(stream[39:], prefix[end - 33 : end - 1]))
    cipher, nonce = AESGCM(stream[:32]), stream[32:39]
    try:
        header = read_header(cipher.decrypt(nonce + bytes(5), prefix[end:], prefix[:end]))
    except (InvalidTag, SystemExit, ValueError, IndexError, struct.error) as error:
        raise Refused("header") from error

    def seal(counter, last, plaintext):
        return cipher.encrypt(nonce + counter.to_bytes(4, "big") + bytes([last]), plaintext, None)

    return header, seal


def check(document, file, published):
    """The signed fields and the header, if all nine steps hold. `file`: open, and seekable."""
    proof = read_proof(document)
    fields = check_signed(proof, published)
    header, seal = open_header(proof["file"]["opening"])
    label, folder = proof["file"]["name"], proof["file"].get("folder", "")
    need("name", header.get("name", "") == (f"{folder}/{label}" if folder else label))
    prefix = proof["file"]["opening"]["prefix"]
    rest = fields["size"] - len(prefix)
    segments = -(-rest // (SEGMENT + TAG))
    padded = rest - segments * TAG
    need("length", padded >= 0 and segments == max(1, -(-padded // SEGMENT)) and segments < 2**32)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    need("length", proof["file"]["size"] == header["size"] == size <= padded)
    hash_ = hashlib.sha256(prefix)
    for counter in range(1, segments + 1):
        length = min(SEGMENT, padded - (counter - 1) * SEGMENT)
        hash_.update(seal(counter, counter == segments, file.read(length).ljust(length, b"\0")))
    need("bytes", hash_.digest() == fields["ciphertext_hash"])
    return fields, header


def check_vectors(vectors):
    insist(vectors["valid"] and vectors["invalid"], "an empty list shows nothing")
    published = read_keys(json.dumps(vectors["published"]))
    for vector in [*vectors["valid"], *vectors["invalid"]]:
        document = vector["text"] if "text" in vector else json.dumps(vector["proof"])
        pattern = bytes(range(251)) * (vector["size"] // 251 + 1)
        content = bytes.fromhex(vector["content"]) if "content" in vector else pattern[: vector["size"]]
        try:
            _, header = check(document.encode(), io.BytesIO(content), published)
            step = None
            insist("header" not in vector or header == vector["header"], f"{vector['name']}: another header")
        except Refused as refused:
            step = str(refused)
        insist(step == vector.get("step"), f"{vector['name']}: {step}")
    print(f"{len(vectors['valid'])} valid and {len(vectors['invalid'])} invalid proofs agree.")


def main(proof, file, keys):
    with open(proof, "rb") as document, open(file, "rb") as content, open(keys, "rb") as published:
        try:
            fields, header = check(document.read(MAX_PROOF_BYTES + 1), content, read_keys(published.read()))
        except Refused as refused:
            sys.exit(f"not shown to hold, at the step {refused}")
    # ASCII, so that a text of the sender moves no cursor.
    print(json.dumps({"server_id": fields["server_id"], "received_at": fields["received_at"], "header": header}))
    print("holds")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        with open(sys.argv[1], encoding="utf-8") as file:
            check_vectors(json.load(file))
    elif len(sys.argv) == 4:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
