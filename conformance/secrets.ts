/**
 * Collects the secrets of recorded requests and answers, and searches for them in every encoding. `KINDS` classifies
 * every member of the document; `secrets.test.ts` fails for a member that is missing here.
 */
import type { Call, Reply } from './call.ts'
import type { Client } from './client.ts'

/**
 * `secret`: grants access, or proves who has it. Never stored in plain form, and in no log, problem or header. Of
 *   public keys that people sign in with, the server keeps hashes.
 * `credential`: an opaque id. The server looks it up, so it is in the database, and nowhere else.
 * `sealed`: the server keeps it for its owner and cannot read it. Not in a log.
 * `private`: personal data. Kept as long as it is needed, and not in a log.
 */
type Kind = 'secret' | 'credential' | 'sealed' | 'private'

/** Members of requests and answers whose values are text. */
export const KINDS: Readonly<Record<string, Kind | 'plain'>> = {
  key: 'secret',
  nonce: 'secret',
  signature: 'secret',
  sign_in_key: 'secret',
  recovery_key: 'secret',
  passkey_key: 'secret',
  access_token: 'secret',
  refresh_token: 'secret',
  mfa_token: 'secret',
  token: 'secret',
  invite: 'secret',
  secret: 'secret',
  address: 'secret',
  auth: 'secret',
  p256dh: 'secret',
  backup_codes: 'secret',
  provisioning_uri: 'secret',
  passphrase_verifier: 'secret',
  passphrase_proof: 'secret',
  opaque_id: 'credential',
  salt: 'sealed',
  sealed_account_key: 'sealed',
  sealed_recovery_key: 'sealed',
  sealed_passkey_key: 'sealed',
  credential_id: 'sealed',
  sealed_label: 'sealed',
  sealed_title: 'sealed',
  sealed_name: 'sealed',
  sealed_index: 'sealed',
  sealed_record: 'sealed',
  drop_pubkey: 'sealed',
  kem_ct: 'sealed',
  mac: 'sealed',
  email: 'private',
  suggested_filename: 'private',
  ...Object.fromEntries(
    [
      ...[
        'account_id',
        'album_id',
        'asset_id',
        'asset_ids',
        'bin_id',
        'channel_id',
        'created_by_device',
        'created_by_user',
        'device_id',
        'drop_id',
        'file_id',
        'passkey_id',
      ],
      ...['jti', 'key_id', 'push_key', 'server_id', 'server_key_id', 'session_id', 'upload_id'],
      ...['blob_hashes', 'ciphertext_hash', 'envelope_hash', 'hash', 'metadata_blob_hash', 'original_blob_hash'],
      ...[
        'prior_index_hash',
        'prior_provenance_hash',
        'prior_receipt_hash',
        'public',
        'public_key',
        'receipt_cbor',
        'signing_key',
      ],
      ...['active_from', 'active_to', 'announced_at', 'changed_at', 'checked_at', 'created_at', 'cutoff', 'expires_at'],
      ...['deleted_at', 'empties_at'],
      ...['arrive', 'from', 'leave', 'moved_at', 'moved_to', 'on', 'to'],
      ...[
        'generated_at',
        'last_used_at',
        'received_at',
        'retained_until',
        'retention_until',
        'revoked_at',
        'timestamp',
      ],
      ...[
        'public_url',
        'imprint_url',
        'privacy_url',
        'api_base_url',
        'detail_url',
        'federation_url',
        'login',
        'logout',
        'peer',
        'refresh',
        'upload_url',
      ],
      ...['action', 'algorithm', 'blob_role', 'change', 'client_version', 'content_type', 'content_types', 'deep'],
      ...['key_mode', 'max', 'min', 'min_protocol_version', 'name', 'next_cursor', 'protocol_version', 'role'],
      ...[
        'fault',
        'first_at',
        'kind',
        'last_at',
        'last_failed_at',
        'last_fault',
        'last_sent_at',
        'offered',
        'shown',
        'signing_algorithm',
        'skipped',
        'recovery_words',
        'state',
        'status',
        'token_type',
        'until',
        'version',
        'warnings',
        'why',
        'withheld',
      ],
      ...['code', 'detail', 'failing', 'instance', 'title', 'type'],
    ].map((name) => [name, 'plain'] as const),
  ),
}
/** Shorter codes are not searched: six digits occur by chance, and each is valid once and for 90 seconds. */
const MIN_CODE_CHARACTERS = 8
/** 32 lowercase hex characters, in paths and queries too. */
const OPAQUE_ID = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g

export interface Found {
  readonly kind: Kind
  /** The member or header that contained it. */
  readonly name: string
  readonly value: string
}

export interface Exchange {
  readonly call: Call
  readonly reply: Reply
}

/** The same client; it adds each request with its answer to `exchanges`. */
export function recorded(client: Client, exchanges: Exchange[]): Client {
  return {
    ...client,
    async send(call) {
      const reply = await client.send(call)
      exchanges.push({ call, reply })
      return reply
    },
  }
}

/** Every value in the exchanges that is not plain, once under each name. */
export function collectSecrets(exchanges: readonly Exchange[]): readonly Found[] {
  const found = new Map<string, Found>()
  const add = (kind: Kind, name: string, value: string) => {
    if (value.length >= MIN_CODE_CHARACTERS) found.set(`${name} ${value}`, { kind, name, value })
  }
  const addMembers = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const each of value) addMembers(each, name)
    else if (typeof value === 'object' && value !== null)
      for (const [member, each] of Object.entries(value)) addMembers(each, member)
    else if (typeof value === 'string') {
      const kind = KINDS[name] ?? 'plain'
      if (kind !== 'plain') add(kind, name, value)
      if (name === 'provisioning_uri')
        add('secret', 'secret of the provisioning_uri', new URL(value).searchParams.get('secret') ?? '')
    }
  }
  for (const { call, reply } of exchanges) {
    for (const [id] of call.path.matchAll(OPAQUE_ID)) add('credential', 'path', id)
    if (call.token !== undefined) add(/^[0-9a-f]{32}$/.test(call.token) ? 'credential' : 'secret', 'bearer', call.token)
    addMembers(call.json, '')
    if (isRecord(call.json) && typeof call.json.code === 'string') add('secret', 'code', call.json.code)
    // What the document gives as an example belongs to no account.
    if (!/^\/openapi(-3\.1)?\.json\b/.test(call.path) && isJson(reply) && reply.status < 400)
      addMembers(JSON.parse(reply.body.toString()), '')
  }
  return [...found.values()]
}

const isJson = ({ headers, body }: Reply) => headers['content-type'] === 'application/json' && body.length > 0
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Every encoding of a value: itself and its decoded bytes, each as bytes, hexadecimal and both alphabets of base64. */
export function formsOf({ name, value }: Found): readonly Buffer[] {
  const forms = [
    value,
    value.toLowerCase(),
    value.toUpperCase(),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('-', ''),
  ]
  const contents = [Buffer.from(value), ...decoded(name, value)]
  for (const bytes of contents) {
    forms.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase())
    // The last character of base64 depends on the bytes that follow.
    forms.push(bytes.toString('base64').replace(/=+$/, '').slice(0, -1), bytes.toString('base64url').slice(0, -1))
  }
  const all = [...forms.map((text) => Buffer.from(text)), ...contents]
  return [...new Map(all.map((form) => [form.toString('latin1'), form])).values()]
}

function decoded(name: string, value: string): readonly Buffer[] {
  if (/^[0-9a-f]{32}$/.test(value)) return [Buffer.from(value, 'hex')]
  // Of a token only the signature is secret.
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return [Buffer.from(value.split('.')[2] ?? '', 'base64url')]
  if (name === 'secret of the provisioning_uri') return [base32(value)]
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
  if (isBase64) return [Buffer.from(value, 'base64')]
  // Secrets of 32 bytes; refresh tokens have 84.
  return /^[\w-]{43}$|^[\w-]{112}$/.test(value) ? [Buffer.from(value, 'base64url')] : []
}

/** RFC 4648, section 6, for secrets of authenticators. */
function base32(text: string): Buffer {
  const digits = [...text.replace(/=+$/, '')].map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each))
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

interface Searcher {
  /** The wanted values that occur in these bytes. */
  search(bytes: Uint8Array): readonly Found[]
}

/** Reads the bytes once for all values: where four bytes start one of the forms, it compares the rest. */
export function createSearcher(wanted: readonly Found[]): Searcher {
  const byStart = new Map<number, { readonly form: Buffer; readonly found: Found }[]>()
  for (const found of wanted)
    for (const form of formsOf(found)) {
      const start = form.readUInt32BE(0)
      byStart.set(start, [...(byStart.get(start) ?? []), { form, found }])
    }
  return {
    search(bytes) {
      const here = new Set<Found>()
      let start = 0
      for (let index = 0; index < bytes.length; index++) {
        start = ((start << 8) | (bytes[index] ?? 0)) >>> 0
        for (const { form, found } of byStart.get(start) ?? []) {
          const at = index - 3
          if (at >= 0 && form.equals(bytes.subarray(at, at + form.length))) here.add(found)
        }
      }
      return [...here]
    },
  }
}
