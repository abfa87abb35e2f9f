"""Register, link, drop, receipt, with openapi-python-client. Reads the facts as JSON, and writes the receipt."""

import base64
import hashlib
import io
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from made.openapiPython import AuthenticatedClient, Client
from made.openapiPython.api.accounts import nonce, register
from made.openapiPython.api.discovery import server_info
from made.openapiPython.api.guest import append_chunk, create_drop, guest_receipt
from made.openapiPython.api.links import provision_link
from made.openapiPython.models import CreateDropRequest, Proof, ProvisionLinkRequest, RegisterRequest
from made.openapiPython.types import File

facts = json.load(sys.stdin)
url, opaque_id, sealed = facts["baseUrl"], facts["opaqueId"], base64.b64decode(facts["sealed"])
client = Client(base_url=url, raise_on_unexpected_status=True)

# A new key, and its proof over a body that has the e-mail alone (docs/formats.md, "A proof").
key, email, given = Ed25519PrivateKey.generate(), facts["email"].encode(), nonce.sync(client=client).nonce
texts = ["service/proof/1", "POST /v1/auth/register", server_info.sync(client=client).server_id, given]
members = hashlib.sha256(b"email\0" + len(email).to_bytes(4, "big") + email).digest()
signature = key.sign(b"".join(text.encode() + b"\0" for text in texts) + members)
proof = Proof(
    key=base64.b64encode(key.public_key().public_bytes_raw()).decode(),
    nonce=given,
    signature=base64.b64encode(signature).decode(),
)
tokens = register.sync(client=client, body=RegisterRequest(email=facts["email"], proof=proof))
owner = AuthenticatedClient(base_url=url, token=tokens.access_token)
link = ProvisionLinkRequest(opaque_id=opaque_id, drop_pubkey="AAAA", crypto_suite_id=1)
assert provision_link.sync_detailed(client=owner, body=link).status_code == 201

declared = CreateDropRequest(
    content_type="application/octet-stream", size=len(sealed), ciphertext_hash=facts["hash"], kem_ct=facts["kemCt"]
)
created = create_drop.sync(opaque_id, client=client, body=declared, idempotency_key="once")
answer = append_chunk.sync_detailed(
    opaque_id,
    created.upload_id,
    client=client,
    body=File(io.BytesIO(sealed)),
    x_service_offset=0,
    x_service_checksum=facts["hash"],
)
assert answer.status_code == 204, answer
print(json.dumps(guest_receipt.sync(opaque_id, created.upload_id, client=client).to_dict()))
