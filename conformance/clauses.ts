/**
 * What the suite tests: the clauses of the specification, and the sections of the project's own rules. Each `describe` of the suite names
 * in its `Covers:` comment the clauses or sections that it tests; `tools/conformanceReadme.ts` writes both sides into README.md.
 */
import type { DeclaredOperation } from './document.ts'

/** A name, what the specification says there, and the reason why no test can show it from outside. */
export type Clause = readonly [name: string, says: string, untestable?: string]

export interface SpecificationSection {
  readonly title: string
  readonly clauses: readonly Clause[]
}

export interface OwnSection {
  readonly title: string
  /** Where the rules are written, if they are not only in the tests. */
  readonly statedIn: string
  /** Rules that no test can show from outside, and why. */
  readonly untestable: readonly (readonly [rule: string, reason: string])[]
}

export const SPECIFICATION: readonly SpecificationSection[] = [
  {
    title: 'Conventions',
    clauses: [
      ['Timestamps', 'RFC 3339; `judge.ts` checks every time in every answer'],
      ['Hashes', 'lowercase hexadecimal'],
      ['string or null', 'the member is optional: absent and null mean the same'],
    ],
  },
  {
    title: 'Discovery',
    clauses: [
      ['Discovery 1', 'attestation-keys is cacheable; keys oldest first, never removed, the active one last'],
      ['Discovery 2', 'deprecation returns the announcements of server-info'],
      ['Discovery 3', 'revoked-jti is public'],
      [
        'Discovery 3, unreadable',
        '503 when the list cannot be read, never an empty list',
        'no request makes the list unreadable; `packages/server` tests it (revocations.test.ts)',
      ],
      ['Discovery 4', 'server-info is public'],
      [
        'ServerInfoResponse',
        'server_id, api_base_url, auth, protocol_version, signing_key, signing_algorithm, deprecations',
      ],
      ['ServerInfoResponse, federation_url', 'absent when the server does not federate'],
      ['AuthEndpointsResponse', 'login, refresh, logout'],
      ['ProtocolWindowResponse', 'min and max are dates, and both are accepted'],
      ['AttestationKeysResponse', 'the keys, and the server_id that binds receipts to one server'],
      ['PublishedKeyResponse', 'key_id is the fingerprint of the hybrid public key; algorithm'],
      ['RevokedJtiResponse', 'generated_at in the body; max_staleness_seconds; soonest expiry first'],
      ['RevokedTokenResponse', 'jti, expires_at'],
      ['DeprecationResponse', 'min_protocol_version, announced_at, cutoff, detail_url'],
    ],
  },
  {
    title: 'Quota',
    clauses: [
      ['Quota', 'the caller’s own snapshot: used, limits, state'],
      ['Quota, unlimited', 'soft_limit and hard_limit are absent on an unlimited deployment'],
      ['Quota state', 'ok, soft_warning, hard_exceeded'],
      ['Quota state, grace_expired', 'the account is over its limit for longer than the grace period'],
      ['Quota, own limits', 'an account’s own limits come before the deployment’s'],
    ],
  },
  {
    title: 'Guest drops',
    clauses: [
      ['Provision', '201 with the opaque_id of the request'],
      ['ProvisionLinkRequest, required', 'opaque_id, drop_pubkey and crypto_suite_id are required, no other member is'],
      ['ProvisionLinkRequest, optional', 'every other member may be absent or null'],
      ['ProvisionLinkRequest, opaque_id', '32 lowercase hex characters'],
      ['ProvisionLinkRequest, drop_pubkey', 'base64, opaque to the server'],
      ['ProvisionLinkRequest, crypto_suite_id', 'the suite that every drop is sealed under'],
      ['ProvisionLinkRequest, expires_at', 'when the link stops accepting drops'],
      ['ProvisionLinkRequest, max_total_bytes', 'limit for all drops of the link together'],
      ['ProvisionLinkRequest, max_file_count', 'how many files the link accepts'],
      ['ProvisionLinkRequest, max_file_size', 'largest file that the link accepts'],
      ['ProvisionLinkRequest, single_use', 'the link ends with its first successful drop'],
      ['ProvisionLinkRequest, passphrase_verifier', 'the server checks a proof against it, as protection from abuse'],
      ['Create drop, 201', 'session id and suggested chunk size'],
      ['Create drop, order of checks', 'link and caps, then the owner’s quota, then the declaration'],
      ['Create drop, 403', 'the link has a passphrase and the proof is missing'],
      ['Create drop, 409', 'link capacity exhausted'],
      ['Create drop, 413', 'FileTooLargeProblem with the limit'],
      ['CreateDropRequest, unknown fields', 'album_id, amk_version, a manifest or provenance: 400, not ignored'],
      ['CreateDropRequest, content_type', 'one of the types that the link allows'],
      ['CreateDropRequest, size', 'total ciphertext length'],
      ['CreateDropRequest, ciphertext_hash', 'lowercase hex; verified at finalization'],
      ['CreateDropRequest, kem_ct', 'base64 of the length that the suite fixes'],
      ['CreateDropRequest, passphrase_proof', 'required exactly when the link carries a verifier'],
      ['CreateDropRequest, suggested_filename', 'the guest gives it, and the server does not rely on it'],
      ['CreateDropRequest, optional', 'optional members may be absent or null'],
      ['Append chunk', '204 with X-Service-Offset; the ids of link and session are the credential'],
      ['Append chunk, X-Service-Checksum', 'SHA-256 of the chunk, bare lowercase hex, required'],
      ['Append chunk, X-Service-Offset', 'where in the blob the chunk starts'],
      ['Append chunk, 409', 'the chunk is refused'],
      ['Append chunk, album uploads', 'both upload paths behave the same'],
      ['Inbox', 'every pending drop, oldest first'],
      ['InboxEntryResponse', 'what the guest declared, with received_at and adopting'],
      ['InboxEntryResponse, suggested_filename', 'unchanged, as untrusted input'],
      ['Revoke', 'idempotent, with the same answer whether or not the link exists'],
      ['Discard', '204; 404 for a drop that is not the caller’s'],
      ['Adopt', '200 with the asset that the drop becomes'],
      ['Adopt 1', 'the same validation as an upload'],
      ['Adopt 2', 'the hash names a blob in the caller’s own inbox'],
      ['Adopt 3', 'the row is claimed, the asset written, then the claim settled'],
      ['Adopt, 403', 'the device, user or album is not the caller’s'],
      ['Adopt, 404', 'the caller has no such drop'],
      ['Adopt, 422', 'the form is wrong, or the state of the asset does not admit the manifest'],
    ],
  },
  {
    title: 'Manifests',
    clauses: [
      ['AdoptRequest, required', 'every member is required'],
      ['AdoptRequest, album_id', 'the album of the asset'],
      ['AdoptRequest, asset_id', 'the asset that the drop becomes'],
      ['AdoptRequest, size', 'must equal the size of the drop'],
      ['AdoptRequest, hash', 'must be the hash of the drop’s blob'],
      ['AdoptRequest, content_type', 'one of the protocol’s types; the owner may correct what the guest declared'],
      ['AdoptRequest, crypto_suite_id', 'the only suite of the protocol'],
      ['AdoptRequest, protocol_version', 'the version that the manifest names'],
      ['AdoptRequest, key_mode', 'derived or wrapped'],
      ['AdoptRequest, manifest_envelope', 'kept unchanged'],
      ['AdoptResponse', 'the asset_id'],
      ['ManifestEnvelope, unknown keys', 'refused'],
      ['ManifestEnvelope, required', 'every member that is not nullable is required'],
      ['ManifestEnvelope, crypto_suite_id', 'must equal the declaration'],
      ['ManifestEnvelope, protocol_version', 'YYYY-MM-DD; equals the declaration'],
      ['ManifestEnvelope, album_id', 'must equal the declaration; may be absent'],
      ['ManifestEnvelope, file_id', 'the asset that the blob belongs to'],
      ['ManifestEnvelope, amk_version', 'epoch of the album key, from 1'],
      ['ManifestEnvelope, ciphertext_hash', 'equals the declared hash when the role is original'],
      ['ManifestEnvelope, plaintext_size', 'size of the plaintext; at most the size of the ciphertext'],
      ['ManifestEnvelope, chunk_size', 'STREAM plaintext chunk size'],
      ['ManifestEnvelope, key_mode', 'derived or wrapped'],
      ['ManifestEnvelope, metadata_blob_hash', 'when present, the hash of the metadata blob'],
      ['ManifestEnvelope, original_blob_hash', 'required on a replace; a create may omit it'],
      ['ManifestEnvelope, created_by_user', 'the account that created the asset'],
      ['ManifestEnvelope, created_by_device', 'the creating device, a UUID'],
      ['ManifestEnvelope, client_version', '1 to 200 characters'],
      ['ManifestEnvelope, timestamp', 'RFC 3339, within 30 days of the server’s clock'],
      ['ManifestEnvelope, action', 'create or replace'],
      ['ManifestEnvelope, prior_provenance_hash', 'hash of the manifest that this one follows'],
      ['ManifestEnvelope, retention_until', 'when present, the asset cannot be deleted before it'],
    ],
  },
  {
    title: 'States and transitions',
    clauses: [
      ['State: link, live', 'after provision'],
      ['State: link, expired', 'from expires_at on, the link accepts no drop'],
      ['State: link, dead', 'after the first successful drop of a single-use link'],
      ['State: link, revoked', 'after revoke'],
      ['State: drop session, open', 'create drop reserves a share of the caps and charges the owner'],
      ['State: pending drop, adopt', 'the asset is written, the claim is settled, and the drop leaves the inbox'],
      [
        'State: pending drop, adopting',
        'adopting is true from the claim until it is settled',
        'it lasts a few milliseconds; a test shows that a refusal leaves it false',
      ],
      [
        'State: pending drop, crash',
        'after a crash between the two, the drop stays in the inbox with adopting = true',
        'the suite kills no server; `npm run faults -- adoption-kills` does',
      ],
      ['State: pending drop, removed', 'after discard; the caps of the link are not refunded'],
      ['State: attestation key', 'rotation keeps the old key with active_to'],
      ['State: revoked jti', 'leaves the list after its exp'],
    ],
  },
  {
    title: 'Storage verification and receipts',
    clauses: [
      ['Verify 1', 'changes nothing'],
      ['Verify 2', 'verdicts in request order, blobs in declaration order, one for each hash'],
      ['Verify 3', 'durable only when stored, indexed and retrievable are true for every declared blob'],
      [
        'Verify 3, in doubt',
        'durable is false when a blob is missing, cut short or damaged',
        'no request damages a stored blob; `packages/server` tests it (scrub.test.ts)',
      ],
      ['Verify 3, on hold', 'retrievable is false while an operator withholds the content'],
      ['Verify 4', 'no deep member in the answer unless deep is true'],
      ['Verify 5', 'deep: the server reads and hashes the bytes: intact'],
      [
        'Verify 5, corrupt',
        'deep: the server reads and hashes the bytes: corrupt',
        'no request damages a stored blob; `packages/server` tests it (scrub.test.ts)',
      ],
      ['Verify 6', 'over the budget: rate_limited, beside the structural verdict'],
      ['Verify 7', 'checked_at is read from the server’s clock'],
      ['StorageVerifyRequest', 'assets; without deep, or with null or false, the check is structural'],
      ['AssetVerifyRequest', 'asset_id and exactly the hashes that the client relies on'],
      ['StorageVerdictResponse', 'asset_id, durable, blobs never shortened, checked_at'],
      ['BlobVerdictResponse, role', 'the role in the asset; unknown for a hash that the asset does not hold'],
      ['BlobVerdictResponse, indexed', 'a live asset of the caller references the hash'],
      ['BlobVerdictResponse, deep', 'absent when the bytes were not examined'],
      ['AssetReceiptsResponse', 'asset_id, and every receipt of the asset in the order of receipt_seq'],
      ['AssetReceiptsResponse, 404', 'the asset is not a live asset of the caller'],
      ['AssetReceipt, receipt_seq', 'strictly increasing per server'],
      ['AssetReceipt, server_id', 'the server’s canonical origin'],
      ['AssetReceipt, server_key_id', 'fingerprint of the attestation key that signed the receipt'],
      ['AssetReceipt, prior_receipt_hash', 'SHA-256 of the previous receipt in the log; absent for the first'],
      ['AssetReceipt, upload_id', 'the session that uploaded the blob'],
      ['AssetReceipt, blob_role', 'original, derivative, metadata or provenance'],
      ['AssetReceipt, ciphertext_hash and size', 'of the ciphertext, computed by the server'],
      ['AssetReceipt, envelope_hash', 'SHA-256 of the signed manifest, only on the receipt of a provenance blob'],
      ['AssetReceipt, received_at', 'the server’s clock when it commits the finalization'],
      [
        'AssetReceipt, receipt_cbor',
        'canonical CBOR with a hybrid signature by the key of server_key_id; every other member repeats a field of it',
      ],
    ],
  },
  {
    title: 'Authentication',
    clauses: [
      ['Authentication 1', 'Authorization: Bearer'],
      ['Authentication 2', 'short-lived access token from login; refresh rotates the pair'],
      ['Authentication 3', '202 with a challenge when the account has a second factor'],
      ['Authentication 4', 'a 401 carries WWW-Authenticate'],
      ['Authentication 5', 'which operations require a token'],
      ['Authentication 6', 'the link is the credential; a link with a passphrase requires the proof too'],
      [
        'Authentication 7',
        'capability tokens have jti and exp, are valid for at most 24 hours and verify with signing_key',
      ],
    ],
  },
  {
    title: 'Other operations',
    clauses: [
      ['Other operations, version probe', 'needs no token and never fails'],
      ['Other operations, login, refresh, logout', 'exist'],
      ['Other operations, TOTP verification', 'exists'],
      [
        'Other operations, upload create and finalization',
        'exist; finalization verifies the hash and signs the receipt',
      ],
      ['Other operations, shares and sync feed', 'exist'],
    ],
  },
  {
    title: 'Errors',
    clauses: [
      ['Errors 1', 'application/problem+json with a code to switch on'],
      ['Errors 2', 'CodedProblem: type, title, status, detail, instance, code; `judge.ts` checks every refusal'],
      ['Errors 3', 'FileTooLargeProblem: limit'],
      ['Errors 4, 400', 'the request has a wrong form: envelope, enumeration, sizes, unknown fields'],
      ['Errors 4, 401', 'the token is missing or expired'],
      ['Errors 4, 403', 'quota exceeded; passphrase required'],
      ['Errors 4, 403 suspension', 'the account is suspended and writes'],
      ['Errors 4, 404', 'the same answer for an object of another account and one that does not exist'],
      ['Errors 4, 409', 'state changed since; link full; chunk refused'],
      ['Errors 4, 413', 'without a body when the request body exceeds the configured limit'],
      ['Errors 4, 415', 'wrong media type, of a chunk too'],
      ['Errors 4, 422', 'a field is missing or has another JSON type'],
      ['Errors 4, 426', 'the protocol version is outside the window'],
      ['Errors 4, 429', 'rate limited'],
      ['Errors 4, 500', 'internal error'],
      ['Errors 5', 'which statuses each operation answers'],
      ['Errors 6', 'the catalog of codes'],
    ],
  },
  {
    title: 'Limits',
    clauses: [
      ['Limits, request body', 'every operation answers 413 to a body over the limit'],
      ['Limits, revocation list', 'a token is listed for at most 24 hours; the staleness is published'],
      ['Limits, deep scan', 'rate-limited per account'],
      [
        'Limits, drop link',
        '413 with the limit for a file over the cap, 409 when the link is full, no refund on discard',
      ],
      ['Limits, passphrase', '429 per link and per source'],
      ['Limits, quota', 'charged on create drop'],
      [
        'Limits, grace window',
        'garbage collection waits for it',
        'no request shows discarded bytes; `npm run faults -- verify` looks at the disk',
      ],
    ],
  },
  {
    title: 'Versioning',
    clauses: [
      ['Versioning 1', '/v1 prefix'],
      ['Versioning 2', 'server-info gives the window as two dates, both included'],
      ['Versioning 3', '426 to a write outside the window'],
      ['Versioning 4', 'Warning before an announced cutoff, 426 after it'],
      ['Versioning 5', 'operations answer as the document says; `judge.ts` checks every answer'],
      ['Versioning 6', 'an OpenAPI 3.2 document'],
    ],
  },
]

export const OWN_RULES: readonly OwnSection[] = [
  {
    title: 'Requests',
    statedIn: '',
    untestable: [],
  },
  {
    title: 'Accounts and sessions',
    statedIn: 'OpenAPI, tag accounts',
    untestable: [['a late reuse of a refresh token ends the session', 'a reuse is accepted as a repeat for 60 s']],
  },
  {
    title: 'Devices, albums and capabilities',
    statedIn: 'OpenAPI, tags devices, albums and federation',
    untestable: [],
  },
  {
    title: 'Uploads',
    statedIn: 'OpenAPI, tag uploads',
    untestable: [],
  },
  {
    title: 'Provenance',
    statedIn: 'OpenAPI, appendUpload',
    untestable: [],
  },
  {
    title: 'Assets and blobs',
    statedIn: 'OpenAPI, tag assets',
    untestable: [
      [
        'a damaged object is read from another location, or answered 500 storage.unavailable',
        'no request damages a stored blob; `packages/server` tests it (scrub.test.ts)',
      ],
    ],
  },
  {
    title: 'Feed and events',
    statedIn: 'OpenAPI, tag sync',
    untestable: [
      ['the server removes events after 7 days', '`packages/server` tests it with a clock of its own (events.test.ts)'],
    ],
  },
  {
    title: 'Links',
    statedIn: 'OpenAPI, provisionLink, listLinks, revokeLink, guestLink',
    untestable: [],
  },
  {
    title: 'Creating a drop',
    statedIn: 'OpenAPI, createDrop',
    untestable: [['an account has at most 10,000 pending drops', 'ten thousand drops take too long']],
  },
  {
    title: 'Chunks',
    statedIn: 'OpenAPI, appendChunk, dropSession, cancelDrop',
    untestable: [
      [
        'an acknowledged chunk survives a killed process',
        'the suite kills no server; `npm run faults -- random-kills` does',
      ],
    ],
  },
  {
    title: 'Inbox and content',
    statedIn: 'OpenAPI, tag inbox',
    untestable: [
      [
        'after a crash, the claim of an adoption excludes others for a minute',
        'the suite kills no server; `npm run faults -- adoption-kills` does',
      ],
    ],
  },
  {
    title: 'Shares',
    statedIn: 'OpenAPI, tag shares',
    untestable: [],
  },
  {
    title: 'Quota and receipts',
    statedIn: 'ARCHITECTURE.md',
    untestable: [['HEAD answers finishing while a drop lands', 'it lasts a few milliseconds']],
  },
  {
    title: 'Authorization',
    statedIn: '`matrix.ts`',
    untestable: [],
  },
  {
    title: 'Secrets',
    statedIn: '`secrets.ts`',
    untestable: [],
  },
  {
    title: 'Receipt checker',
    statedIn: '',
    untestable: [],
  },
]

/** Declared statuses that no request causes. Every other declared status has to be met by a test, which `run.ts` checks. */
export const UNTESTABLE_STATUSES: readonly {
  readonly status: number
  readonly operations: string
  readonly includes: (operation: DeclaredOperation) => boolean
  readonly reason: string
}[] = [
  {
    status: 500,
    operations: 'every operation',
    includes: () => true,
    reason: 'no request causes an internal error',
  },
  {
    status: 403,
    operations: 'every operation with a token',
    includes: ({ bearer }) => bearer,
    reason:
      'the specification declares it for all; only writes of a suspended account are answered so (operator.test.ts)',
  },
  {
    status: 503,
    operations: '`GET` and `HEAD /.well-known/service/revoked-jti`',
    includes: ({ path }) => path === '/.well-known/service/revoked-jti',
    reason: 'no request makes the list unreadable',
  },
  {
    status: 503,
    operations: '`GET /readyz`',
    includes: ({ path }) => path === '/readyz',
    reason: 'no request makes the database or the disk fail',
  },
]
