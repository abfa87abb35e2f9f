"""Register, link, drop, receipt, with openapi-python-client. Reads the facts as JSON, and writes the receipt."""

import base64
import io
import json
import sys

from made.openapiPython import AuthenticatedClient, Client
from made.openapiPython.api.accounts import register
from made.openapiPython.api.guest import append_chunk, create_drop, guest_receipt
from made.openapiPython.api.links import provision_link
from made.openapiPython.models import CreateDropRequest, ProvisionLinkRequest, RegisterRequest
from made.openapiPython.types import File

facts = json.load(sys.stdin)
url, opaque_id, sealed = facts["baseUrl"], facts["opaqueId"], base64.b64decode(facts["sealed"])
client = Client(base_url=url, raise_on_unexpected_status=True)

tokens = register.sync(client=client, body=RegisterRequest(email=facts["email"], password=facts["password"]))
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
