import type {
  AccountId,
  AlbumId,
  AssetId,
  ChannelId,
  DeviceId,
  DropId,
  Instant,
  Jti,
  KeyId,
  OpaqueId,
  PasskeyId,
  ProtocolVersion,
  SessionId,
  Sha256Hex,
  UploadId,
} from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { ChannelKind, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import type { LinkCapMembers } from '@blindkeep/protocol/schemas/links'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Generated } from 'kysely'
import type { Change, ObjectState, PartState, ServerFact, UploadFailure, UploadState } from '../../ports/store.ts'

/**
 * The tables that `migrations.ts` creates.
 *
 * Values: text of the port (ids and hexadecimal hashes) is TEXT, which any tool can show; bytes are BLOB; instants are whole milliseconds since
 * 1970-01-01T00:00:00Z; sizes are bytes; booleans are 1 and 0; verbatim values are their JSON text; an absent value is NULL.
 */
export interface Schema {
  readonly accounts: AccountTable
  readonly sessions: SessionTable
  readonly refresh_tokens: RefreshTokenTable
  readonly devices: DeviceTable
  readonly passkeys: PasskeyTable
  readonly albums: AlbumTable
  readonly assets: AssetTable
  readonly asset_blobs: AssetBlobTable
  readonly links: LinkTable
  readonly uploads: UploadTable
  readonly chunks: ChunkTable
  readonly drops: DropTable
  readonly objects: ObjectTable
  readonly parts: PartTable
  readonly holds: HoldTable
  readonly pauses: PauseTable
  readonly events: EventTable
  readonly channels: ChannelTable
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
  readonly share_notes: ShareNotesTable
  readonly limits: LimitTable
  readonly seats: SeatTable
  readonly nodes: NodeTable
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
  /** How many rows of `drops` the account has. Only `drops.ts` changes it. */
  readonly pending_drops: Generated<number>
  readonly soft_limit_bytes: number | null
  readonly hard_limit_bytes: number | null
  readonly exceeded_since: Instant | null
  /** The number of the account's last change. Only `changes.ts` raises it. */
  readonly change_seq: Generated<number>
  /** Sealed under the master secret. A sign-in needs it once `totp_confirmed_at` is set. */
  readonly totp_sealed: Uint8Array | null
  readonly totp_confirmed_at: Instant | null
  /** The last time step whose code was accepted. */
  readonly totp_last_step: number | null
  /** Guests' files for which there was no room, within an hour. */
  readonly refused_why: RefusedBecause | null
  readonly refused_count: Generated<number>
  readonly refused_first_at: Instant | null
  readonly refused_last_at: Instant | null
  /** When its owner deleted it. From then on the row has nothing about a person. */
  readonly deleted_at: Instant | null
  /** When a deleted account became empty. */
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
  readonly sealed_name: Uint8Array | null
  readonly passkey_id: PasskeyId | null
}

export interface RefreshTokenTable {
  readonly token_hash: Uint8Array
  readonly session_id: SessionId
  readonly issued_at: Instant
  readonly used_at: Instant | null
}

export interface DeviceTable {
  /** Increases with each device: the order in which they were added. */
  readonly device_seq: Generated<number>
  readonly device_id: DeviceId
  readonly account_id: AccountId
  readonly public_key: Uint8Array
  readonly mac: Uint8Array | null
  readonly created_at: Instant
  readonly revoked_at: Instant | null
  readonly sealed_name: Uint8Array | null
}

export interface PasskeyTable {
  /** Increases with each passkey: the order in which they were added. */
  readonly passkey_seq: Generated<number>
  readonly passkey_id: PasskeyId
  readonly account_id: AccountId
  readonly credential_id: Uint8Array
  /** SHA-256. */
  readonly proof_hash: Uint8Array
  readonly sealed_passkey_key: Uint8Array
  readonly sealed_name: Uint8Array | null
  readonly created_at: Instant
  readonly last_used_at: Instant | null
}

export interface AlbumTable {
  /** Increases with each album: the order in which they were created. */
  readonly album_seq: Generated<number>
  readonly album_id: AlbumId
  readonly account_id: AccountId
  readonly sealed_name: Uint8Array | null
  readonly created_at: Instant
  /** From then on the row only keeps the id: deleted assets refer to it. */
  readonly deleted_at: Instant | null
}

export interface AssetTable {
  readonly asset_id: AssetId
  readonly account_id: AccountId
  readonly album_id: AlbumId
  /** This and the next three columns are set together, or all are null. */
  readonly drop_id: DropId | null
  readonly opaque_id: OpaqueId | null
  readonly kem_ct: Uint8Array | null
  readonly drop_received_at: Instant | null
  readonly created_at: Instant | null
  readonly changed_at: Instant | null
  readonly deleted_at: Instant | null
  /** The number of its last change; null as long as the id is only reserved. */
  readonly change_seq: number | null
}

export interface AssetBlobTable {
  /** Increases with each blob: the order of landing. */
  readonly blob_seq: Generated<number>
  readonly asset_id: AssetId
  /** The account of its asset. */
  readonly account_id: AccountId
  readonly role: BlobRole
  readonly ciphertext_hash: Sha256Hex
  readonly size: number
  readonly location: string
  readonly upload_id: UploadId
  readonly content_type: string
  readonly landed_at: Instant
  readonly envelope: string
  /** From the envelope. */
  readonly retained_until: Instant | null
}

export interface LinkTable extends LinkCapMembers {
  /** Increases with each link: the order in which they were created. */
  readonly link_seq: Generated<number>
  readonly opaque_id: OpaqueId
  readonly account_id: AccountId
  readonly drop_public_key: Uint8Array
  readonly suite_id: number
  readonly protocol_version: ProtocolVersion
  readonly verifier_hash: Uint8Array | null
  readonly sealed_label: Uint8Array | null
  readonly sealed_title: Uint8Array | null
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
  /** It has ended and is in no list any more: the row keeps the id and what `fsck` counts. */
  readonly is_buried: Generated<0 | 1>
}

/** A guest's row has the columns of its link, an owner's row those of its asset. */
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
  /** JSON of the port's `Opener`. This and the next four are null once it is closed. */
  readonly opener: string | null
  /** Of an owner's upload: which session opened it. */
  readonly session_id: SessionId | null
  readonly writing_until: Instant | null
  /** The process that finishes it. */
  readonly leased_by: string | null
  readonly leased_until: Instant | null
}

export interface ChunkTable {
  readonly upload_id: UploadId
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

export interface PartTable {
  readonly key: string
  readonly upload_id: UploadId
  readonly state: PartState
  readonly offset: number | null
  readonly length: number | null
  readonly checksum: Sha256Hex | null
  /** When something is to happen with it. Null while it is kept. */
  readonly due: Instant | null
  readonly is_removed: Generated<0 | 1>
}

export interface DropTable {
  /** Increases with each drop: the order of landing. */
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
  /** This and the next column are set while the drop is claimed. */
  readonly claim_id: string | null
  readonly claim_hash: string | null
  /** The process that made the last claim. */
  readonly claimed_by: string | null
}

export interface ObjectTable {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  readonly since: Instant
  /** When all its bytes were last read, or found missing. */
  readonly checked_at: Instant
  /** When its bytes were found wrong or missing; null again after they were found right. */
  readonly damaged_at: Instant | null
  /** When a request saw wrong bytes; null again after the scrubber has read all of it. */
  readonly suspected_at: Instant | null
}

/** Contents that the server hands out to no client. */
export interface HoldTable {
  readonly ciphertext_hash: Sha256Hex
  readonly reason: string
  readonly created_at: Instant
}

/** Pauses of the collector, one for each backup. */
interface PauseTable {
  readonly pause_id: string
  readonly until: Instant
}

/** The events that clients listen to, for as long as a client may resume after one. */
export interface EventTable {
  readonly account_id: AccountId
  readonly change_seq: number
  readonly at: Instant
  readonly name: Change['name']
  /** The other members of `Change`, as JSON. */
  readonly data: string
}

/** Where owners hear of landed drops. */
export interface ChannelTable {
  /** Increases with each channel: the order in which they were added. */
  readonly channel_seq: Generated<number>
  readonly channel_id: ChannelId
  readonly account_id: AccountId
  readonly kind: ChannelKind
  readonly state: ChannelState
  readonly created_at: Instant
  /** The number of the account's last change that the owner was notified of. */
  readonly notified_seq: number
  /** The last change of the message that is under way or to be repeated. */
  readonly sending_seq: number | null
  readonly due_at: Instant
  /** Names an attempt that is under way. */
  readonly claim_id: string | null
  readonly leased_until: Instant | null
  readonly attempts: Generated<number>
  readonly sent_at: Instant | null
  readonly failed_at: Instant | null
  readonly fault: DeliveryFault | null
  readonly sealed_target: Uint8Array
}

export interface DeprecationTable {
  /** Increases with each announcement. */
  readonly deprecation_seq: Generated<number>
  readonly min_protocol_version: ProtocolVersion
  readonly announced_at: Instant
  readonly cutoff: Instant
  readonly detail_url: string | null
}

export interface CapabilityTable {
  /** Increases with each capability: the order in which they were issued. */
  readonly capability_seq: Generated<number>
  readonly jti: Jti
  readonly account_id: AccountId
  readonly album_id: AlbumId
  /** Which session asked for it. */
  readonly session_id: SessionId | null
  /** The origin of the peer that may use it. */
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

/** One row: the last receipt of the chain. */
interface LogHeadTable {
  readonly only_row: 1
  readonly receipt_seq: number
  readonly receipt_hash: Sha256Hex
  readonly received_at: Instant
}

export interface AttestationKeyTable {
  /** Increases with each key: the order in which they were created. */
  readonly key_seq: Generated<number>
  readonly key_id: KeyId
  readonly public_key: Uint8Array
  readonly sealed_private_key: Uint8Array
  readonly active_from: Instant
  readonly active_to: Instant | null
}

interface ServerFactTable {
  readonly name: ServerFact
  readonly value: Uint8Array
}

interface BackupCodeTable {
  readonly account_id: AccountId
  /** HMAC of the code under a secret of the server. */
  readonly code_hash: string
  readonly used_at: Instant | null
}

/** Records that the first step of a sign-in or recovery was proved. */
export interface ChallengeTable {
  /** SHA-256 of the client's token. */
  readonly token_hash: string
  readonly account_id: AccountId
  readonly device_id: DeviceId | null
  /** JSON of what a recovery sets; null for a sign-in. */
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
  /** 32 bytes each, in the given order. Null after it ended, as the next one. */
  readonly blob_hashes: Uint8Array | null
  readonly sealed_index: Uint8Array | null
}

/** What belongs to a share beside what it shows, while it has not ended. */
export interface ShareNotesTable {
  readonly opaque_id: OpaqueId
  readonly sealed_name: Uint8Array | null
  readonly sealed_record: Uint8Array | null
  /** SHA-256 of the passphrase verifier. */
  readonly verifier_hash: Uint8Array | null
}

/** What `Limiter` counts, where several processes share it. */
interface LimitTable {
  /** Keyed hashes of rule and key, in hexadecimal. */
  readonly id: string
  readonly taken: number
  readonly ends_at: Instant
}

/** What `Seats` has given, where several processes share it. */
interface SeatTable {
  /** What has these seats. */
  readonly place: string
  readonly number: number
  readonly holder: string
  readonly until: Instant
}

export interface NodeTable {
  readonly node_id: string
  readonly seen_at: Instant
  readonly version: string
}
