"""Checks a custody receipt, also of a server that has moved to another address. Written from docs/formats.md.

    python3 check_receipt.py <address of the server> <file with an AssetReceipt>

Needs Python 3.10 and `cryptography` 48 or newer, with an OpenSSL that has ML-DSA (its wheels have).
"""

import base64
import datetime
import hashlib
import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PublicKey

MOVE, ROTATION, RECEIPT = "move", "rotation", "receipt"
HEAD = {"last_receipt_seq": int, "last_receipt_hash": bytes}
KEYS = {"old_key": bytes, "new_key": bytes}
# The fields of each payload; those that may be absent are in OPTIONAL.
FIELDS = {
    MOVE: {"number": int, "prior_move_hash": bytes, "from": str, "to": str, "moved_at": str, **KEYS, **HEAD},
    ROTATION: {"server_id": str, "rotated_at": str, **KEYS, **HEAD},
    RECEIPT: {
        "server_id": str, "receipt_seq": int, "prior_receipt_hash": bytes, "upload_id": str, "asset_id": str, "drop_id": str,
        "blob_role": str, "ciphertext_hash": bytes, "size": int, "envelope_hash": bytes, "received_at": str,
    },
}
OPTIONAL = {"prior_move_hash", *HEAD, "prior_receipt_hash", "asset_id", "drop_id", "envelope_hash"}


def insist(holds, message):
    if not holds:
        sys.exit(f"not shown to hold: {message}")


def sha256(content):
    return hashlib.sha256(content).digest()


def head(kind, number):
    if number < 24:
        return bytes([kind << 5 | number])
    code, width = next((code, width) for code, width in [(24, 1), (25, 2), (26, 4), (27, 8)] if number < 256**width)
    return bytes([kind << 5 | code]) + number.to_bytes(width, "big")


def encode(value):
    """Deterministic CBOR (RFC 8949, section 4.2.1) of numbers, texts, bytes, lists and maps."""
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    pairs = sorted((encode(key), encode(content)) for key, content in value.items())
    return head(5, len(pairs)) + b"".join(key + content for key, content in pairs)


def decode(unread):
    """The first value and the bytes after it, of the same kinds."""
    insist(unread, "the bytes end too early")
    kind, short = unread[0] >> 5, unread[0] & 31
    width = 0 if short < 24 else 2 ** (short - 24)
    insist(width <= 8 and len(unread) > width and kind <= 5, "other CBOR than in these formats")
    number, unread = short if width == 0 else int.from_bytes(unread[1 : 1 + width], "big"), unread[1 + width :]
    if kind < 2:
        return (number if kind == 0 else -1 - number), unread
    if kind < 4:
        insist(number <= len(unread), "the bytes end too early")
        return (unread[:number] if kind == 2 else unread[:number].decode()), unread[number:]
    values = []
    for _ in range(number * (kind - 3)):
        value, unread = decode(unread)
        values.append(value)
    return (values if kind == 4 else dict(zip(values[::2], values[1::2]))), unread


def decode_all(content):
    value, rest = decode(content)
    insist(not rest and encode(value) == content, "not deterministic CBOR")
    return value


def open_message(text, kind, public):
    """The fields and the payload of a message, signed by both halves of this key."""
    cbor = base64.b64decode(text, validate=True)
    insist(len(cbor) <= 16384 and cbor[:2] == b"\xd8\x62", f"a {kind} is no COSE_Sign message")
    parts = decode_all(cbor[2:])
    insist(isinstance(parts, list) and len(parts) == 4, f"a {kind} has another form")
    body, unprotected, payload, signatures = parts
    insist(body == encode({3: f"application/service-{kind}+cbor"}), f"a {kind} has another content type")
    insist(unprotected == {} and isinstance(signatures, list) and len(signatures) == 2, f"a {kind} has another form")
    verifiers = [
        (-19, Ed25519PublicKey.from_public_bytes(public[:32])),
        (-49, MLDSA65PublicKey.from_public_bytes(public[32:])),
    ]
    for (algorithm, verifier), (sign_header, none, signature) in zip(verifiers, signatures):
        insist(none == {} and sign_header == encode({1: algorithm, 4: sha256(public)}), f"a {kind} is by another key")
        try:
            verifier.verify(signature, encode(["Signature", body, sign_header, b"", payload]))
        except InvalidSignature:
            insist(False, f"a signature of a {kind} does not verify")
    return read_payload(payload, kind), payload


def read_payload(payload, kind):
    fields, forms = decode_all(payload), FIELDS[kind]
    insist(isinstance(fields, dict) and fields.pop("version", None) == f"service/{kind}/1", f"a {kind} has another version")
    insist(set(forms) - OPTIONAL <= set(fields) <= set(forms), f"a {kind} has other fields")
    for name, value in fields.items():
        insist(type(value) is forms[name], f"{name} is malformed")
        insist(forms[name] is not bytes or len(value) == 32, f"{name} is not 32 bytes")
        insist(forms[name] is not int or 1 <= value < 2**53, f"{name} is out of range")
        insist(not name.endswith("_at") or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value), f"{name} is malformed")
    for name in {"server_id", "from", "to"} & set(fields):
        insist(re.fullmatch(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?", fields[name]), f"{name} is no origin")
    return fields


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def ask(address, name):
    """None for statements that the server does not publish."""
    try:
        with urllib.request.urlopen(f"{address}/.well-known/service/{name}") as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        insist(error.code == 404 and name == "moves", f"{name} answers {error.code}")
        return None


def read_eras(server_id, keys, document):
    """For each key its name, the heads (number, hash) at its beginning and end, and until when the server had the name."""
    insist(len({key["id"] for key in keys}) == len(keys), "a key is there twice")
    waiting = {MOVE: list(document["moves"]), ROTATION: list(document["rotations"])}
    statements = []
    for before, key in zip(keys, keys[1:]):
        kid = b"\x04\x58\x20" + key["id"]  # as it stands in a header of the message
        kind = next((kind for kind, list_ in waiting.items() if list_ and kid in base64.b64decode(list_[0]["arrive"])), None)
        insist(kind, "a key has no statement")
        signed = waiting[kind].pop(0)
        fields, payload = open_message(signed["leave"], kind, before["bytes"])
        insist(open_message(signed["arrive"], kind, key["bytes"])[1] == payload, "the two keys have signed different statements")
        insist((fields["old_key"], fields["new_key"]) == (before["id"], key["id"]), "a statement is about other keys")
        insist(("last_receipt_seq" in fields) == ("last_receipt_hash" in fields), "the newest receipt has a number and a hash")
        at = instant(fields["moved_at" if kind == MOVE else "rotated_at"])
        insist(at == instant(before["active_to"]) == instant(key["active_from"]), "a statement has another time than its keys")
        statements.append((kind, fields, sha256(payload)))
    insist(not waiting[MOVE] and not waiting[ROTATION], "a statement is about no key of the list")
    return eras_from(server_id, statements)


def eras_from(server_id, statements):
    name = next((fields["from"] for kind, fields, _ in statements if kind == MOVE), server_id)
    number, prior_move, newest = 0, None, (0, None)
    eras = []
    for index, (kind, fields, digest) in enumerate(statements):
        until = next((fields["moved_at"] for kind, fields, _ in statements[index:] if kind == MOVE), None)
        end = (fields.get("last_receipt_seq", 0), fields.get("last_receipt_hash"))
        eras.append((name, newest, end, until))
        insist(fields["from" if kind == MOVE else "server_id"] == name, "a statement is not by the name before it")
        insist(end[0] > newest[0] or end == newest, "the newest receipt went back")
        if kind == MOVE:
            number += 1
            insist(fields["number"] == number and fields.get("prior_move_hash") == prior_move, "a move does not continue")
            insist(fields["to"] != name, "a move leads nowhere")
            name, prior_move = fields["to"], digest
        newest = end
    insist(name == server_id, "the last name is not that of the server")
    return [*eras, (name, newest, None, None)]


def main(address, path):
    document = ask(address, "attestation-keys")
    server_id, keys = document["server_id"], document["keys"]
    parts = urllib.parse.urlsplit(address)
    insist(server_id == f"{parts.scheme}://{parts.netloc}", "the server has another name than its address")
    for key in keys:
        key["bytes"] = base64.b64decode(key["public"], validate=True)
        key["id"] = sha256(key["bytes"])
    receipt = json.loads(pathlib.Path(path).read_text())
    key = next((key for key in keys if key["id"].hex() == receipt["server_key_id"]), None)
    insist(key, "the server publishes no such key")
    fields, _ = open_message(receipt["receipt_cbor"], RECEIPT, key["bytes"])
    active_to = key.get("active_to")
    received_at = instant(fields["received_at"])
    insist(instant(key["active_from"]) <= received_at, "its key was not the active one at that time")
    insist(active_to is None or received_at <= instant(active_to), "its key was not the active one at that time")
    for name in set(fields) & set(receipt):
        signed = fields[name].hex() if isinstance(fields[name], bytes) else fields[name]
        insist(receipt[name] == signed, f"{name} is not the signed value")
    moves = ask(address, "moves")
    until = None
    if moves is not None:
        insist(moves["server_id"] == server_id, "moves names another server")
        name, after, end, until = read_eras(server_id, keys, moves)[keys.index(key)]
        insist(fields["server_id"] == name, "the receipt is of another server")
        seq, own_hash, prior = fields["receipt_seq"], sha256(base64.b64decode(receipt["receipt_cbor"])), fields.get("prior_receipt_hash")
        in_era = after[0] < seq and (end is None or seq < end[0] or (seq, own_hash) == end)
        denied = f"signed by this key, but {server_id} denies it: it has forgotten what it signed, or the key was stolen"
        insist(in_era and (seq != after[0] + 1 or prior == after[1]), denied)
    insist(moves is not None or fields["server_id"] == server_id, "the receipt is of another server")
    print(json.dumps({name: value.hex() if isinstance(value, bytes) else value for name, value in fields.items()}))
    print("holds")
    if until is not None:
        print(f"signed by a key that {server_id} lists as its own; it says that it was {fields['server_id']} until {until}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1].rstrip("/"), sys.argv[2])
