"""Checks a proof about a file. Written from docs/formats.md, "The proof about a file".

    check_proof.py PROOF FILE KEYS           PROOF: one document; KEYS: what the server answered about its attestation keys
    check_proof.py vectors/openings.json     whether this reader agrees with the vectors

Needs Python 3.10, `cryptography` 48 or newer, and check_receipt.py beside it. Nothing is asked on the network.
"""

import base64
import hashlib
import hmac
import io
import json
import os
import re
import struct
import sys

from check_receipt import RECEIPT, decode, insist, instant, open_message, sha256
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

SEGMENT, TAG = 1_048_560, 16
MAX_PROOF_BYTES, MAX_PREFIX_BYTES = 192 * 1024, 66_722
OPENING = {"version", "purpose", "context", "secret", "prefix"}
TEXTS = {"name": 8192, "type": 255, "modified_at": 64, "note": 49152, "sender": 1024}


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


def read_proof(document):
    """Step 1. The members of the proof, with secret and prefix as bytes."""
    need("form", len(document) <= MAX_PROOF_BYTES)
    try:
        proof = json.loads(document.decode(), object_pairs_hook=once, parse_constant=float)
        file = proof["file"]
        opening = file["opening"]
        need("form", set(opening) == OPENING)
        need("form", (opening["version"], opening["purpose"]) == ("service/opening/1", "original"))
        need("form", re.fullmatch("[0-9a-f]{32}", opening["context"]))
        opening["secret"] = decoded(opening["secret"], 64, 64)
        opening["prefix"] = decoded(opening["prefix"], 1090, MAX_PREFIX_BYTES)
        need("form", type(file["name"]) is str and type(file.get("folder", "")) is str and type(file["size"]) is int)
        need("form", all(type(proof[name]) is int for name in ("size", "receipt_seq")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("form") from error
    return proof


def check_signed(proof, published):
    """Steps 2 to 5. The signed fields; `published` is from elsewhere than the proof."""
    key = next((key for key in published["keys"] if key["key_id"] == proof["server_key_id"]), None)
    need("key", key and sha256(public := base64.b64decode(key["public"], validate=True)).hex() == key["key_id"])
    try:
        fields, _ = open_message(proof["receipt_cbor"], RECEIPT, public)
    except (SystemExit, ValueError) as error:
        raise Refused("receipt") from error
    need("receipt", fields["blob_role"] == "original")
    at = instant(fields["received_at"])
    need("key", instant(key["active_from"]) <= at and ("active_to" not in key or at <= instant(key["active_to"])))
    need("server", fields["server_id"] == published["server_id"])
    for name in set(fields) & set(proof):
        signed = fields[name].hex() if isinstance(fields[name], bytes) else fields[name]
        need("members", proof[name] == signed)
    return fields


def read_value(content):
    """A value of a header and what follows: a text, an integer, true, false, or a float."""
    if content[:1] in (b"\xf4", b"\xf5"):
        return content[0] == 0xF5, content[1:]
    for code, form in ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d")):
        if content[:1] == bytes([code]):
            end = 1 + struct.calcsize(form)
            return struct.unpack(form, content[1:end])[0], content[end:]
    value, rest = decode(content)
    insist(isinstance(value, (str, int)), "a header has another value")
    return value, rest


def read_header(padded):
    insist(padded[0] >> 5 == 5 and padded[0] & 31 < 24, "a header is a map")
    header, rest = {}, padded[1:]
    for _ in range(padded[0] & 31):
        name, rest = read_value(rest)
        insist(isinstance(name, str) and name not in header, "a name of a header is a text, and there once")
        header[name], rest = read_value(rest)
    insist(not any(rest), "the padding of a header is zero")
    insist(type(header.get("size")) is int and 0 <= header["size"] < 2**53, "a header has a size")
    for name, most in TEXTS.items():
        text = header.get(name, "")
        insist(isinstance(text, str) and len(text.encode()) <= most, "a text of a header has its bound")
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
    need("length", padded >= 0 and segments == max(1, -(-padded // SEGMENT)))
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
    for vector in [*vectors["valid"], *vectors["invalid"]]:
        document = vector["text"] if "text" in vector else json.dumps(vector["proof"])
        pattern = bytes(range(251)) * (vector["size"] // 251 + 1)
        content = bytes.fromhex(vector["content"]) if "content" in vector else pattern[: vector["size"]]
        try:
            _, header = check(document.encode(), io.BytesIO(content), vectors["published"])
            step = None
            insist("header" not in vector or header == vector["header"], f"{vector['name']}: another header")
        except Refused as refused:
            step = str(refused)
        insist(step == vector.get("step"), f"{vector['name']}: {step}")
    print(f"{len(vectors['valid'])} valid and {len(vectors['invalid'])} invalid proofs agree.")


def main(proof, file, keys):
    with open(proof, "rb") as document, open(file, "rb") as content, open(keys, "rb") as published:
        try:
            fields, header = check(document.read(MAX_PROOF_BYTES + 1), content, json.load(published))
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
