/**
 * A data directory of an earlier build, as it left it, and what its clients knew: `make.ts` makes it, tests unpack it.
 * Its owner, its secrets and its files are worth nothing.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { parseKeyId } from '@blindkeep/protocol/ids'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { openKeyring } from '../../packages/server/src/adapters/keyring/keyring.ts'

export interface EarlierData {
  /** The commit that was built. */
  readonly build: string
  /** The origin in its receipts: `PUBLIC_URL` of whichever server has the data. */
  readonly publicUrl: string
  /** The directory's files by their paths in it, in base64. The master secret is `secrets/master.secret`. */
  readonly files: Readonly<Record<string, string>>
  /** Account key, and seed of the sign-in key in base64; builds before migration 12 had no such key. */
  readonly owner: { readonly email: string; readonly seed?: string; readonly accountKey: string }
  /** The addresses of links that take files, without their origin. */
  readonly links: readonly string[]
  /** Files that wait in the inbox, in the order in which they landed. */
  readonly drops: readonly EarlierFile[]
  readonly assets: readonly (EarlierFile & { readonly assetId: string })[]
  /** The secret address of a share of the first asset, without its origin. */
  readonly share: string
  /** All receipts of the log in its order, COSE in base64. Those of a deleted asset are among them. */
  readonly receipts: readonly string[]
}

export interface EarlierFile {
  readonly name: string
  /** Of the content, in hexadecimal. */
  readonly sha256: string
}

/** Of the build that the first people had. */
export const FIRST_BUILD = new URL('build-916841d3.json.gz', import.meta.url)

/** What the deletion of its account left in that build. */
const DELETION = [
  `update accounts set deleted_at = created_at, email = 'deleted:' || account_id, secret_hash = '',
    salt = null, sealed_account_key = null`,
  'delete from devices',
  'update albums set sealed_name = null',
  'update sessions set ended_at = coalesce(ended_at, created_at), device_id = null',
  `update links set revoked_at = coalesce(revoked_at, created_at), drop_public_key = x'', verifier_hash = null,
    sealed_label = null`,
]

/** The same, with its account deleted: what signed in before keys cannot be taken over. */
export async function unpackWithoutAccounts(packed: URL, directory: string): Promise<EarlierData> {
  const data = await unpackEarlierData(packed, directory)
  const database = new DatabaseSync(join(directory, 'blindkeep.sqlite'))
  for (const statement of DELETION) database.exec(statement)
  database.close()
  return data
}

/** The same, with all receipts signed by its first key: a key that was replaced without a statement is refused, too. */
export async function unpackConvertible(packed: URL, directory: string): Promise<EarlierData> {
  const data = await unpackWithoutAccounts(packed, directory)
  const masterSecretFile = join(directory, 'secrets/master.secret')
  const keyring = await openKeyring({ masterSecretFile, createIfMissing: false })
  const database = new DatabaseSync(join(directory, 'blindkeep.sqlite'))
  try {
    const key = database.prepare('select * from attestation_keys order by active_from limit 1').get()
    const keyId = parseKeyId(String(key?.key_id))
    if (!isBytes(key?.public_key) || !isBytes(key.sealed_private_key) || keyId === undefined)
      throw new Error('the earlier data has no key')
    const signer = keyring.openAttestationKey({ publicKey: key.public_key, sealedPrivateKey: key.sealed_private_key })
    const receipts = data.receipts.map((text) => fromBase64(text))
    const left = receipts.map(decodeReceipt).filter((receipt) => receipt.keyId !== keyId)
    const signed = await signer.receipts(
      left.map(({ payload }) => payload),
      keyId,
    )
    for (const [at, { receiptCbor, receiptHash }] of signed.entries())
      database
        .prepare('update receipts set receipt_cbor = ?, receipt_hash = ?, key_id = ? where receipt_seq = ?')
        .run(receiptCbor, receiptHash, keyId, left[at]?.payload.receipt_seq ?? 0)
    database.exec(
      'update log_head set receipt_hash = (select receipt_hash from receipts order by receipt_seq desc limit 1)',
    )
    database.prepare('delete from attestation_keys where key_id <> ?').run(keyId)
    database.exec('update attestation_keys set active_to = null')
    const kept = data.receipts.slice(0, -left.length)
    return { ...data, receipts: [...kept, ...signed.map(({ receiptCbor }) => toBase64(receiptCbor))] }
  } finally {
    database.close()
  }
}

const isBytes = (value: unknown) => value instanceof Uint8Array

/** Puts the directory at `directory`, which must not exist. */
export async function unpackEarlierData(packed: URL, directory: string): Promise<EarlierData> {
  // `make.ts` wrote it.
  const data = JSON.parse(gunzipSync(await readFile(packed)).toString()) as EarlierData
  for (const [path, content] of Object.entries(data.files)) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(target, Buffer.from(content, 'base64'), { mode: 0o600 })
  }
  return data
}
