import type {
  AccountId,
  AlbumId,
  AssetId,
  DeviceId,
  DropId,
  Instant,
  Jti,
  KeyId,
  OpaqueId,
  ProtocolVersion,
  SessionId,
  Sha256Hex,
  UploadId,
} from '@blindkeep/protocol/ids'
import type { LinkCapMembers } from '@blindkeep/protocol/schemas/links'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Generated } from 'kysely'
import type { Change, ObjectState, ServerFact, UploadFailure, UploadState } from '../../ports/store.ts'

/**
 * The tables, as `migrations.ts` makes them.
 *
 * One rule for values: what the port gives as text (ids and hexadecimal hashes) is TEXT and can be read in any tool, what it gives as bytes is BLOB,
 * instants are whole milliseconds since 1970-01-01T00:00:00Z, sizes are bytes, yes and no are 1 and 0,
 * what is kept verbatim is its JSON text, and absent is NULL.
 */
export interface Schema {
  readonly accounts: AccountTable
  readonly sessions: SessionTable
  readonly refresh_tokens: RefreshTokenTable
  readonly devices: DeviceTable
  readonly albums: AlbumTable
  readonly assets: AssetTable
  readonly asset_blobs: AssetBlobTable
  readonly links: LinkTable
  readonly uploads: UploadTable
  readonly chunks: ChunkTable
  readonly drops: DropTable
  readonly objects: ObjectTable
  readonly holds: HoldTable
  readonly events: EventTable
  readonly deprecations: DeprecationTable
  readonly capabilities: CapabilityTable
  readonly receipts: ReceiptTable
  readonly log_head: LogHeadTable
  readonly attestation_keys: AttestationKeyTable
  readonly server_facts: ServerFactTable
  readonly backup_codes: BackupCodeTable
  readonly challenges: ChallengeTable
  readonly invites: InviteTable
  readonly shares: ShareTable
  readonly share_blobs: ShareBlobTable
}

export interface AccountTable {
  readonly account_id: AccountId
  readonly email: string
  readonly secret_hash: string
  readonly kdf_version: number
  readonly salt: Uint8Array | null
  readonly sealed_account_key: Uint8Array | null
  readonly sealed_recovery_key: Uint8Array | null
  readonly recovery_proof_hash: Uint8Array | null
  readonly created_at: Instant
  readonly suspended_at: Instant | null
  readonly used_bytes: Generated<number>
  /** How many rows of `drops` are this account's. `drops.ts` alone changes it. */
  readonly pending_drops: Generated<number>
  readonly soft_limit_bytes: number | null
  readonly hard_limit_bytes: number | null
  readonly exceeded_since: Instant | null
  /** The number of its last change. `changes.ts` alone raises it. */
  readonly change_seq: Generated<number>
  /** Sealed under the master secret; enrolled, and asked for once `totp_confirmed_at` is set. */
  readonly totp_sealed: Uint8Array | null
  readonly totp_confirmed_at: Instant | null
  /** The last time step whose code was taken. */
  readonly totp_last_step: number | null
  /** When its owner deleted it. Nothing of a person is left in the row then. */
  readonly deleted_at: Instant | null
  /** When the last of what it held was let go. */
  readonly emptied_at: Instant | null
}

export interface SessionTable {
  readonly session_id: SessionId
  readonly account_id: AccountId
  readonly device_id: DeviceId | null
  readonly created_at: Instant
  readonly last_used_at: Instant
  readonly expires_at: Instant
  readonly ended_at: Instant | null
}

export interface RefreshTokenTable {
  readonly token_hash: Uint8Array
  readonly session_id: SessionId
  readonly issued_at: Instant
  readonly used_at: Instant | null
}

export interface DeviceTable {
  /** Rises with each device: the order in which they were added. */
  readonly device_seq: Generated<number>
  readonly device_id: DeviceId
  readonly account_id: AccountId
  readonly public_key: Uint8Array
  readonly mac: Uint8Array | null
  readonly created_at: Instant
  readonly revoked_at: Instant | null
}

export interface AlbumTable {
  /** Rises with each album: the order in which they were made. */
  readonly album_seq: Generated<number>
  readonly album_id: AlbumId
  readonly account_id: AccountId
  readonly sealed_name: Uint8Array | null
  readonly created_at: Instant
}

export interface AssetTable {
  readonly asset_id: AssetId
  readonly account_id: AccountId
  readonly album_id: AlbumId
  /** This and the next three are given together, or none of them. */
  readonly drop_id: DropId | null
  readonly opaque_id: OpaqueId | null
  readonly kem_ct: Uint8Array | null
  readonly drop_received_at: Instant | null
  readonly created_at: Instant | null
  readonly changed_at: Instant | null
  readonly deleted_at: Instant | null
  /** The number of its last change among those of its account; null as long as it is reserved alone. */
  readonly change_seq: number | null
}

export interface AssetBlobTable {
  /** Rises with each blob: the order of landing. */
  readonly blob_seq: Generated<number>
  readonly asset_id: AssetId
  /** The asset's. */
  readonly account_id: AccountId
  readonly role: BlobRole
  readonly ciphertext_hash: Sha256Hex
  readonly size: number
  readonly location: string
  readonly upload_id: UploadId
  readonly content_type: string
  readonly landed_at: Instant
  readonly envelope: string
  /** What the envelope says of it. */
  readonly retained_until: Instant | null
}

export interface LinkTable extends LinkCapMembers {
  /** Rises with each link: the order in which they were made. */
  readonly link_seq: Generated<number>
  readonly opaque_id: OpaqueId
  readonly account_id: AccountId
  readonly drop_public_key: Uint8Array
  readonly suite_id: number
  readonly protocol_version: ProtocolVersion
  readonly verifier_hash: Uint8Array | null
  readonly sealed_label: Uint8Array | null
  readonly created_at: Instant
  readonly expires_at: Instant | null
  readonly single_use: 0 | 1
  readonly revoked_at: Instant | null
  readonly spent_at: Instant | null
  readonly claimed_by: UploadId | null
  readonly landed_files: Generated<number>
  readonly landed_bytes: Generated<number>
  readonly open_sessions: Generated<number>
  readonly open_bytes: Generated<number>
}

/** A guest's row has what names its link, an owner's what names its asset. */
export interface UploadTable {
  readonly upload_id: UploadId
  readonly account_id: AccountId
  readonly opaque_id: OpaqueId | null
  readonly asset_id: AssetId | null
  readonly album_id: AlbumId | null
  readonly role: BlobRole | null
  readonly size: number
  readonly ciphertext_hash: Sha256Hex
  readonly content_type: string
  readonly kem_ct: Uint8Array | null
  readonly envelope: string | null
  readonly suggested_filename: string | null
  readonly idempotency_key: string | null
  readonly declaration_hash: string
  readonly location: string
  readonly created_at: Instant
  readonly state: UploadState
  readonly failure: UploadFailure | null
  readonly received_bytes: Generated<number>
  readonly chunk_count: Generated<number>
  readonly last_chunk_at: Instant | null
  readonly closed_at: Instant | null
}

export interface ChunkTable {
  readonly upload_id: UploadId
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

export interface DropTable {
  /** Rises with each drop: the order of landing. */
  readonly drop_seq: Generated<number>
  readonly drop_id: DropId
  readonly account_id: AccountId
  readonly opaque_id: OpaqueId
  readonly upload_id: UploadId
  readonly ciphertext_hash: Sha256Hex
  readonly size: number
  readonly content_type: string
  readonly kem_ct: Uint8Array
  readonly suggested_filename: string | null
  readonly location: string
  readonly received_at: Instant
  readonly leased_until: Instant | null
  /** This and the next are given while a claim holds the row. */
  readonly claim_id: string | null
  readonly claim_hash: string | null
}

export interface ObjectTable {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  readonly since: Instant
  /** When its bytes were last read whole, or looked for in vain. */
  readonly checked_at: Instant
  /** When they were found wrong or missing; null again once they are found right. */
  readonly damaged_at: Instant | null
}

/** Contents that nobody is given. */
export interface HoldTable {
  readonly ciphertext_hash: Sha256Hex
  readonly reason: string
  readonly created_at: Instant
}

/** What is told to those who listen, for as long as somebody may resume after it. */
export interface EventTable {
  readonly account_id: AccountId
  readonly change_seq: number
  readonly at: Instant
  readonly name: Change['name']
  /** What the change happened to, as JSON in the names of `Change`. */
  readonly data: string
}

export interface DeprecationTable {
  /** Rises with each announcement. */
  readonly deprecation_seq: Generated<number>
  readonly min_protocol_version: ProtocolVersion
  readonly announced_at: Instant
  readonly cutoff: Instant
  readonly detail_url: string | null
}

export interface CapabilityTable {
  /** Rises with each capability: the order in which they were minted. */
  readonly capability_seq: Generated<number>
  readonly jti: Jti
  readonly account_id: AccountId
  readonly album_id: AlbumId
  /** The origin that it was made out to. */
  readonly peer: string
  readonly issued_at: Instant
  readonly expires_at: Instant
  readonly revoked_at: Instant | null
}

export interface ReceiptTable {
  readonly receipt_seq: number
  readonly receipt_hash: Sha256Hex
  readonly receipt_cbor: Uint8Array
  readonly key_id: KeyId
  readonly upload_id: UploadId
  readonly drop_id: DropId | null
  readonly received_at: Instant
  readonly asset_id: AssetId | null
}

/** One row: where the chain of receipts stands. */
export interface LogHeadTable {
  readonly only_row: 1
  readonly receipt_seq: number
  readonly receipt_hash: Sha256Hex
  readonly received_at: Instant
}

export interface AttestationKeyTable {
  /** Rises with each key: the order in which they were made. */
  readonly key_seq: Generated<number>
  readonly key_id: KeyId
  readonly public_key: Uint8Array
  readonly sealed_private_key: Uint8Array
  readonly active_from: Instant
  readonly active_to: Instant | null
}

export interface ServerFactTable {
  readonly name: ServerFact
  readonly value: Uint8Array
}

export interface BackupCodeTable {
  readonly account_id: AccountId
  /** HMAC of the code under a secret of the server's. */
  readonly code_hash: string
  readonly used_at: Instant | null
}

/** What a first step has proved, until the second one. */
export interface ChallengeTable {
  /** SHA-256 of the token that the client holds. */
  readonly token_hash: string
  readonly account_id: AccountId
  readonly device_id: DeviceId | null
  /** JSON of what a recovery will set; null for a sign-in. */
  readonly recovery: string | null
  readonly created_at: Instant
  readonly expires_at: Instant
  readonly attempts: Generated<number>
  readonly used_at: Instant | null
}

export interface InviteTable {
  /** SHA-256 of the code. */
  readonly code_hash: string
  readonly created_at: Instant
  readonly expires_at: Instant
  readonly used_by: AccountId | null
}

export interface ShareTable {
  readonly share_seq: Generated<number>
  readonly opaque_id: OpaqueId
  readonly account_id: AccountId
  readonly created_at: Instant
  readonly expires_at: Instant | null
  readonly ended_at: Instant | null
  /** Null once it has ended, and it has no blobs then. */
  readonly sealed_index: Uint8Array | null
}

export interface ShareBlobTable {
  readonly opaque_id: OpaqueId
  readonly position: number
  readonly ciphertext_hash: Sha256Hex
}
