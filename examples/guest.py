"""A guest: seals one file, sends it through a link, and checks the receipt. Written from docs/formats.md.

    python3 guest.py '<link>' <file> [passphrase]

Needs Python 3.10 and `cryptography` 48 or newer, with an OpenSSL that has ML-KEM and ML-DSA (its wheels have). The receipt is stored beside the file.
The whole file is held in memory; nothing is resumed: see formats.md for both.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import sys
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PublicKey
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def insist(holds, message):
    if not holds:
        sys.exit(f"guest: {message}")


def label(text):
    return text.encode() + b"\0"


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(key, salt, info, length=32):
    return HKDF(hashes.SHA512(), length, salt, info).derive(key)


# ---- Deterministic CBOR: numbers, texts, bytes, lists, maps, one tag ----


def head(kind, number):
    if number < 24:
        return bytes([kind << 5 | number])
    code, width = next((code, width) for code, width in [(24, 1), (25, 2), (26, 4), (27, 8)] if number < 256**width)
    return bytes([kind << 5 | code]) + number.to_bytes(width, "big")


def encode(value):
    if isinstance(value, int):
        return head(1, -1 - value) if value < 0 else head(0, value)
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    return head(5, len(value)) + b"".join(sorted(encode(name) + encode(item) for name, item in value.items()))


def decode(data, at=0):
    """One value, and where the bytes after it begin."""
    kind, short = data[at] >> 5, data[at] & 31
    insist(short < 28, "not the deterministic CBOR of these formats")
    width = 0 if short < 24 else 2 ** (short - 24)
    number = short if width == 0 else int.from_bytes(data[at + 1 : at + 1 + width], "big")
    at += 1 + width
    if kind < 2:
        return (number if kind == 0 else -1 - number), at
    if kind < 4:
        insist(at + number <= len(data), "truncated CBOR")
        content = data[at : at + number]
        return (content if kind == 2 else content.decode()), at + number
    insist(kind < 6, "not the deterministic CBOR of these formats")
    items = []
    for _ in range(number if kind == 4 else 2 * number):
        item, at = decode(data, at)
        items.append(item)
    return (items if kind == 4 else dict(zip(items[::2], items[1::2]))), at


def decode_strictly(data):
    value, end = decode(data)
    insist(encode(value) == data[:end], "CBOR, but not deterministic")
    return value, data[end:]


# ---- The sealed blob ----

SEGMENT = 1_048_560


def stream_of(key, salt, purpose, context):
    """AES key 32, nonce prefix 7, commitment 32."""
    secrets = hkdf(key, salt, label("service/stream/1") + label(purpose) + context, 71)
    return AESGCM(secrets[:32]), secrets[32:39], secrets[39:]


def nonce(prefix, counter, last):
    return prefix + counter.to_bytes(4, "big") + bytes([last])


def seal_drop(key, kem_ct, context, header, content):
    salt = os.urandom(16)
    aes, prefix, commitment = stream_of(key, salt, "original", context)
    encoded = encode(header)
    blocks = -(-len(encoded) // 1024)
    preamble = b"\2" + kem_ct + salt + commitment + bytes([blocks])
    parts = [preamble, aes.encrypt(nonce(prefix, 0, False), encoded.ljust(blocks * 1024, b"\0"), preamble)]
    count = max(1, -(-len(content) // SEGMENT))
    for index in range(count):
        plaintext = content[index * SEGMENT : (index + 1) * SEGMENT]
        parts.append(aes.encrypt(nonce(prefix, index + 1, index == count - 1), plaintext, None))
    return b"".join(parts)


def open_header(sealed, key, purpose, context):
    """The header of a small blob of format 1 without content, such as the title of a link."""
    insist(sealed[0] == 1, "another format")
    aes, prefix, commitment = stream_of(key, sealed[1:17], purpose, context)
    insist(hmac.compare_digest(commitment, sealed[17:49]), "another commitment")
    end = 50 + sealed[49] * 1024 + 16
    header, padding = decode_strictly(aes.decrypt(nonce(prefix, 0, False), sealed[50:end], sealed[:50]))
    insist(not any(padding), "padding that is not zero")
    insist(aes.decrypt(nonce(prefix, 1, True), sealed[end:], None) == b"" and header["size"] == 0, "there is content")
    return header


# ---- 1. The address, and what the server says of the link ----

insist(len(sys.argv) in (3, 4), "usage: python3 guest.py '<link>' <file> [passphrase]")
link, file = urllib.parse.urlsplit(sys.argv[1]), pathlib.Path(sys.argv[2])
path = re.fullmatch(r"(.*)/u/([0-9a-f]{32})/?", link.path)
insist(path and re.fullmatch(r"[A-Za-z0-9_-]{66}", link.fragment), "not a whole link")
fragment = base64.urlsafe_b64decode(link.fragment + "==")
insist(len(fragment) == 49 and fragment[0] == 1, "not a link of this version")
opaque_id, link_secret, key_hash = bytes.fromhex(path[2]), fragment[1:17], fragment[17:]
origin = f"{link.scheme}://{link.netloc}"
base, drop = origin + path[1], f"/d/{path[2]}"


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def call(method, where, body=None, headers=None):
    request = urllib.request.Request(base + where, data=body, headers=headers or {}, method=method)
    try:
        with opener.open(request) as answer:
            content = answer.read()
            return json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        sys.exit(f"guest: {error.code} {error.read(2000).decode()}")


shown = call("GET", drop)
drop_public_key = base64.b64decode(shown["drop_pubkey"], validate=True)

# ---- 2. The key of the link ----

suite = shown["crypto_suite_id"].to_bytes(4, "big")
expected = sha256(label("service/link/1"), suite, opaque_id, drop_public_key)
insist(shown["crypto_suite_id"] == 1 and hmac.compare_digest(expected, key_hash), "the server names another key than the link")

if shown.get("sealed_title"):
    title_key = hkdf(link_secret, opaque_id, label("service/link-title/1"))
    words = open_header(base64.b64decode(shown["sealed_title"]), title_key, "link-title", opaque_id)
    # A program that shows them to people also removes controls (formats.md).
    print(json.dumps({"title": words.get("name"), "message": words.get("note")}))

# ---- 3. A new key, encapsulated with X-Wing, and the sealed file ----

their_x25519 = drop_public_key[1184:]
ml_kem_secret, ml_kem_ct = MLKEM768PublicKey.from_public_bytes(drop_public_key[:1184]).encapsulate()
ephemeral = X25519PrivateKey.generate()
own_x25519 = ephemeral.public_key().public_bytes_raw()
agreed = ephemeral.exchange(X25519PublicKey.from_public_bytes(their_x25519))
kem_ct = ml_kem_ct + own_x25519
shared_secret = hashlib.sha3_256(ml_kem_secret + agreed + own_x25519 + their_x25519 + bytes.fromhex("5c2e2f2f5e5c")).digest()
key = hkdf(shared_secret + link_secret, opaque_id, label("service/drop/1") + sha256(drop_public_key) + sha256(kem_ct))

content = file.read_bytes()
sealed = seal_drop(key, kem_ct, opaque_id, {"size": len(content), "name": file.name}, content)
ciphertext_hash = sha256(sealed)

# ---- 4. The session ----

server_id = call("GET", "/.well-known/service/server-info")["server_id"]
hosts = [link.hostname, urllib.parse.urlsplit(server_id).hostname or ""]
are_loopback = all(re.fullmatch(r"localhost|127(\.\d+){3}|::1", host) for host in hosts)
insist(server_id == origin or are_loopback, f"the server at {origin} calls itself {server_id}")


def proof_of(typed):
    text = unicodedata.normalize("NFKC", typed)
    # \p{White_Space} and \p{Cf} are in the standard library; of \p{Dash} these are the common ones.
    unheard = lambda c: c.isspace() or unicodedata.category(c) in ("Cf", "Pd") or c in "\u2053\u207b\u208b\u2212"
    heard = unicodedata.normalize("NFKC", "".join(c for c in text if not unheard(c)).upper().lower())
    salt = sha256(label("service/passphrase/2"), opaque_id, link_secret)[:16]
    argon2 = Argon2id(salt=salt, length=32, iterations=3, lanes=1, memory_cost=65_536)
    return base64.b64encode(argon2.derive((heard or text).encode())).decode()


declaration = {
    "content_type": "application/octet-stream",
    "size": len(sealed),
    "ciphertext_hash": ciphertext_hash.hex(),
    "kem_ct": base64.b64encode(kem_ct).decode(),
}
if shown["passphrase_required"]:
    insist(len(sys.argv) == 4, "the link needs a passphrase")
    declaration["passphrase_proof"] = proof_of(sys.argv[3])
headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
session = call("POST", drop, json.dumps(declaration).encode(), headers)

# ---- 5. The chunks ----

upload = f"{drop}/{session['upload_id']}"
for offset in range(0, len(sealed), session["suggested_chunk_size"]):
    chunk = sealed[offset : offset + session["suggested_chunk_size"]]
    headers = {
        "Content-Type": "application/octet-stream",
        "X-Service-Offset": str(offset),
        "X-Service-Checksum": sha256(chunk).hex(),
    }
    call("PATCH", upload, chunk, headers)

# ---- 6. The receipt ----

receipt = call("GET", f"{upload}/receipt")
keys = [base64.b64decode(key["public"]) for key in call("GET", "/.well-known/service/attestation-keys")["keys"]]
public = next((key for key in keys if sha256(key).hex() == receipt["server_key_id"]), None)
insist(public, "the server publishes no such key")
cbor = base64.b64decode(receipt["receipt_cbor"], validate=True)
insist(cbor[:2] == b"\xd8\x62", "not a COSE_Sign message")
(body, unprotected, payload, signatures), rest = decode_strictly(cbor[2:])
insist(not rest and unprotected == {} and len(signatures) == 2, "another form")
insist(body == encode({3: "application/service-receipt+cbor"}), "another content type")
verifiers = [
    (-19, Ed25519PublicKey.from_public_bytes(public[:32])),
    (-49, MLDSA65PublicKey.from_public_bytes(public[32:])),
]
for (algorithm, verifier), (sign_header, none, signature) in zip(verifiers, signatures):
    insist(none == {} and sign_header == encode({1: algorithm, 4: sha256(public)}), "another key or algorithm")
    verifier.verify(signature, encode(["Signature", body, sign_header, b"", payload]))
fields, _ = decode_strictly(payload)
insist(fields["version"] == "service/receipt/1" and fields["server_id"] == server_id, "a receipt of another server")
insist(fields["ciphertext_hash"] == ciphertext_hash and fields["size"] == len(sealed), "a receipt of other bytes")
insist(fields["upload_id"] == session["upload_id"] and "drop_id" in fields, "a receipt of another upload")

stored = file.with_name(file.name + ".receipt.json")
stored.write_text(json.dumps(receipt))
print(json.dumps({"ciphertext_hash": ciphertext_hash.hex(), "received_at": fields["received_at"], "receipt": str(stored)}))
