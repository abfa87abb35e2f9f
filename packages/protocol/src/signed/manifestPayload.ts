import type { Bytes } from '../bytes.ts'
import { CborError, type CborValue, decodeCbor, encodeCbor } from '../cbor.ts'
import type { CoseFault } from '../cose.ts'
import {
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseInstant,
  parseProtocolVersion,
  parseSha256Hex,
} from '../ids.ts'
import { ReasonedError } from '../reasonedError.ts'
import type { KeyMode, ManifestAction, ManifestEnvelope } from '../schemas/manifest.ts'
import { isKnownSuite } from '../suites.ts'
import { MAX_INTEGER } from '../wire.ts'

export type ManifestFault =
  | CoseFault
  | 'payload_not_deterministic'
  | 'unknown_field'
  | 'missing_field'
  | 'field_invalid'
  | 'suite_unknown'
  | 'fields_disagree'
  | 'too_large'

/** The bytes are not a manifest, or not one of this device. `reason` says why for programs, the message for people. */
export class ManifestError extends ReasonedError<ManifestFault> {
  override readonly name = 'ManifestError'
}

/** What a device signs: the specification's ManifestEnvelope, and the asset's key if it is not derived. */
export interface SignedManifest {
  /** `ciphertext_hash` is always that of the original. Times stay the text that the client wrote. */
  readonly envelope: ManifestEnvelope
  /** The asset's key as a sealed blob of 1 to 4096 bytes. Present if and only if `key_mode` is `wrapped`. */
  readonly wrappedKey?: Uint8Array | undefined
}

/** A manifest that was read from signed bytes: absent members are left out of the envelope, never null. */
export interface ReadManifest extends SignedManifest {
  readonly wrappedKey: Bytes | undefined
}

export const MAX_WRAPPED_KEY_BYTES = 4096

const WRAPPED_KEY = 'wrapped_key'
const MAX_CLIENT_VERSION_LENGTH = 200
/** The compiler checks them against the schemas, whose library would enter the browser's bundle. */
const KEY_MODES: Readonly<Record<KeyMode, true>> = { derived: true, wrapped: true }
const ACTIONS: Readonly<Record<ManifestAction, true>> = { create: true, replace: true }

type Values = { readonly [Name in keyof ManifestEnvelope]-?: NonNullable<ManifestEnvelope[Name]> }
type FieldName = keyof Values
type Reader<Value> = (value: unknown) => Value | undefined
type Fields = ReadonlyMap<unknown, unknown>

/** The bytes of a manifest to sign. Throws `ManifestError` for a manifest that a reader would refuse. */
export function encodePayload({ envelope, wrappedKey }: SignedManifest): Bytes {
  const fields = new Map<string, CborValue>()
  for (const [name, value] of Object.entries(envelope)) {
    if (!isFieldName(name)) throw unknownField()
    if (value !== undefined && value !== null) fields.set(name, value)
  }
  if (wrappedKey !== undefined) fields.set(WRAPPED_KEY, wrappedKey)
  readFields(fields)
  return encodeCbor(fields)
}

/** Reads the signed bytes. Throws `ManifestError` for unknown, missing, malformed or contradicting fields. */
export function decodePayload(bytes: Uint8Array): ReadManifest {
  let fields: unknown
  try {
    fields = decodeCbor(bytes)
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new ManifestError('payload_not_deterministic', `payload: ${cause.message}`, { cause })
  }
  if (!(fields instanceof Map)) throw new ManifestError('field_invalid', 'the payload is not a map')
  return readFields(fields)
}

/**
 * The first field in which the envelope of a session or an asset differs from the manifest; undefined if they agree.
 * Absent equals null, times compare as text. The caller compares `ciphertext_hash`: in an envelope it is that of the
 * session's blob, in a manifest that of the original (specification, ManifestEnvelope).
 */
export function disagreement(
  envelope: ManifestEnvelope,
  manifest: ManifestEnvelope,
): Exclude<FieldName, 'ciphertext_hash'> | undefined {
  return COMPARED.find((name) => (envelope[name] ?? undefined) !== (manifest[name] ?? undefined))
}

function readFields(fields: Fields): ReadManifest {
  for (const name of fields.keys()) if (name !== WRAPPED_KEY && !isFieldName(name)) throw unknownField()
  const envelope: ManifestEnvelope = {
    crypto_suite_id: required(fields, 'crypto_suite_id'),
    protocol_version: required(fields, 'protocol_version'),
    ...optional(fields, 'album_id'),
    file_id: required(fields, 'file_id'),
    amk_version: required(fields, 'amk_version'),
    ciphertext_hash: required(fields, 'ciphertext_hash'),
    plaintext_size: required(fields, 'plaintext_size'),
    chunk_size: required(fields, 'chunk_size'),
    key_mode: required(fields, 'key_mode'),
    ...optional(fields, 'metadata_blob_hash'),
    ...optional(fields, 'original_blob_hash'),
    created_by_user: required(fields, 'created_by_user'),
    created_by_device: required(fields, 'created_by_device'),
    client_version: required(fields, 'client_version'),
    timestamp: required(fields, 'timestamp'),
    action: required(fields, 'action'),
    ...optional(fields, 'prior_provenance_hash'),
    ...optional(fields, 'retention_until'),
  }
  const manifest = { envelope, wrappedKey: wrappedKeyOf(fields) }
  requireAgreement(manifest)
  return manifest
}

function requireAgreement({ envelope, wrappedKey }: ReadManifest): void {
  const { action, original_blob_hash } = envelope
  if (!isKnownSuite(envelope.crypto_suite_id)) throw new ManifestError('suite_unknown', 'the crypto suite is unknown')
  if ((envelope.key_mode === 'wrapped') !== (wrappedKey !== undefined))
    throw new ManifestError('fields_disagree', 'wrapped_key is present if and only if key_mode is wrapped')
  if (action === 'create' && envelope.prior_provenance_hash !== undefined)
    throw new ManifestError('fields_disagree', 'a create has no prior_provenance_hash')
  if (action === 'replace' && original_blob_hash === undefined)
    throw new ManifestError('fields_disagree', 'a replace names its original_blob_hash')
  if (original_blob_hash !== undefined && original_blob_hash !== envelope.ciphertext_hash)
    throw new ManifestError(
      'fields_disagree',
      'original_blob_hash and ciphertext_hash must be equal: both are the original’s',
    )
}

function unknownField(): ManifestError {
  return new ManifestError('unknown_field', 'the payload has an unknown field')
}

function required<Name extends FieldName>(fields: Fields, name: Name): Values[Name] {
  if (!fields.has(name)) throw new ManifestError('missing_field', `the payload has no ${name}`)
  const value = READERS[name](fields.get(name))
  if (value === undefined) throw new ManifestError('field_invalid', `${name} is malformed`)
  return value
}

function optional<Name extends FieldName>(fields: Fields, name: Name): { readonly [Key in Name]?: Values[Key] } {
  if (!fields.has(name)) return {}
  const found: { [Key in Name]?: Values[Key] } = {}
  found[name] = required(fields, name)
  return found
}

function wrappedKeyOf(fields: Fields): Bytes | undefined {
  if (!fields.has(WRAPPED_KEY)) return undefined
  const value: unknown = fields.get(WRAPPED_KEY)
  if (!(value instanceof Uint8Array) || value.length < 1 || value.length > MAX_WRAPPED_KEY_BYTES)
    throw new ManifestError('field_invalid', `${WRAPPED_KEY} is not 1 to ${MAX_WRAPPED_KEY_BYTES} bytes`)
  return new Uint8Array(value)
}

const text =
  <Value>(parse: (text: string) => Value | undefined): Reader<Value> =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined

const integer =
  (minimum: number): Reader<number> =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= MAX_INTEGER ? value : undefined

const hash = text(parseSha256Hex)
const time = text((value) => (parseInstant(value) === undefined ? undefined : value))
const keyMode = text((value) => (isKeyMode(value) ? value : undefined))
const action = text((value) => (isAction(value) ? value : undefined))

function isKeyMode(value: string): value is KeyMode {
  return Object.hasOwn(KEY_MODES, value)
}

function isAction(value: string): value is ManifestAction {
  return Object.hasOwn(ACTIONS, value)
}

/** Length in code points, as in JSON Schema. UTF-8 has no half surrogate pairs; decoders drop a byte order mark. */
const clientVersion = text((value) => {
  const isPortable = value.isWellFormed() && !value.startsWith('\uFEFF')
  const count = [...value].length
  return isPortable && count >= 1 && count <= MAX_CLIENT_VERSION_LENGTH ? value : undefined
})

/** A reader for each field of the envelope; the compiler checks that none is missing. */
const READERS: { readonly [Name in FieldName]: Reader<Values[Name]> } = {
  crypto_suite_id: integer(0),
  protocol_version: text(parseProtocolVersion),
  album_id: text(parseAlbumId),
  file_id: text(parseAssetId),
  amk_version: integer(1),
  ciphertext_hash: hash,
  plaintext_size: integer(0),
  chunk_size: integer(1),
  key_mode: keyMode,
  metadata_blob_hash: hash,
  original_blob_hash: hash,
  created_by_user: text(parseAccountId),
  created_by_device: text(parseDeviceId),
  client_version: clientVersion,
  timestamp: time,
  action,
  prior_provenance_hash: hash,
  retention_until: time,
}

function isFieldName(name: unknown): name is FieldName {
  return typeof name === 'string' && Object.hasOwn(READERS, name)
}

const COMPARED = Object.keys(READERS)
  .filter(isFieldName)
  .filter((name) => name !== 'ciphertext_hash')
