/** The receiver's side of a share: a client that has its address and nothing else. */
import { type Bytes, fromBase64, fromHex, toBase64, toHex } from '@blindkeep/protocol/bytes'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { openDownload } from '../http/download.ts'
import { ProblemError } from '../http/errors.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { parseShare, type ShareAddress, type ShareParts } from './shareAddress.ts'
import { ShareError } from './shareError.ts'
import { openShareIndex, type SharedFile, type ShareEntry } from './shareIndex.ts'
import { type SharePassphrase, stretchSharePassphrase } from './sharePassphrase.ts'

export type { ShareParts } from './shareAddress.ts'
export { ShareError, type ShareFault } from './shareError.ts'
export type { SharedFile } from './shareIndex.ts'

export interface SharedAsset extends SharedFile {
  /** Of the sealed file: the address of the blob. */
  readonly hash: Sha256Hex
  /**
   * Streams the file. Rejects with `SealError`, or `ShareError` `asset_differs`, when the server returns something
   * else, and with what a call throws: `error.share.not_found` once the owner has deleted the asset or the share. When
   * the connection breaks, the stream goes on where it was; it fails with `NetworkError` after many tries without a
   * further byte, with `SealError` when the bytes were altered, and with `ShareError` at the end when they do not have
   * the shared hash. After a failure the consumer must discard what it has written.
   */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReadableStream<Bytes>>
}

export interface OpenedShare {
  readonly baseUrl: string
  /**
   * In the owner's order; none while the album that the share follows is empty. Show the owner's names as plain text;
   * `safeName` before they touch a disk.
   */
  readonly assets: readonly SharedAsset[]
}

/**
 * Opens the address of a share. Throws `ShareError`, and what a call
 * throws: `error.share.not_found` for every address that shows nothing, also before the passphrase is known, and
 * `error.share.rate_limited` after many wrong ones, and `error.share.used_up` where the owner has limited the downloads
 * and none is left, which `open` of a file throws, too. Whether a passphrase is needed follows from the address alone:
 * without it, `passphrase_missing`, also if the server asks for none. A passphrase that is not needed is ignored, and
 * nothing of it is sent.
 */
export async function openShare(
  address: string | ShareParts,
  environment: Environment = systemEnvironment,
  { passphrase, visit = newVisit(environment) }: OpenShareOptions = {},
): Promise<OpenedShare> {
  const { opaqueId, shareKey, needsPassphrase, ...server } = parseShare(address)
  const { call } = createCalls({ ...server, fetch: environment.fetch })
  const id = fromHex(opaqueId)
  const opened =
    needsPassphrase && passphrase !== undefined
      ? await stretchSharePassphrase(environment, { shareKey, opaqueId: id, passphrase })
      : undefined
  const headers = { ...proofHeader(opened), 'X-Service-Visit': visit }
  const { body } = await call('share', { path: { opaque_id: opaqueId }, headers }).catch((error: unknown) => {
    throw refusedBy(error, { needsPassphrase, isGiven: opened !== undefined })
  })
  if (needsPassphrase && opened === undefined) throw new ShareError('passphrase_missing')
  // The server's list of hashes is ignored: the index has the hashes and what opens each blob.
  const entries = await openShareIndex(
    { shareKey: opened?.indexKey ?? shareKey, opaqueId: id },
    fromBase64(body.sealed_index),
  )
  return {
    baseUrl: server.baseUrl,
    assets: entries.map((entry) => sharedAsset({ call, environment, opaqueId, given: headers }, entry)),
  }
}

export interface OpenShareOptions {
  /** As its person typed it. */
  readonly passphrase?: string | undefined
  /**
   * The id of this visit (`newVisit`), which the server counts once. Pass the same one again for what continues it, as
   * after a reload. New by default.
   */
  readonly visit?: string | undefined
}

/** Random: it says nothing but that two requests are of one visit. */
export function newVisit({ randomBytes }: Pick<Environment, 'randomBytes'> = systemEnvironment): string {
  return toHex(randomBytes(VISIT_BYTES))
}

const VISIT_BYTES = 16

interface ProofHeader {
  readonly 'X-Service-Passphrase-Proof'?: string
}

function proofHeader(passphrase: SharePassphrase | undefined): ProofHeader {
  return passphrase === undefined ? {} : { 'X-Service-Passphrase-Proof': toBase64(passphrase.proof) }
}

/** What the refusal means for the person. A passphrase that the address does not announce is not given. */
function refusedBy(
  error: unknown,
  { needsPassphrase, isGiven }: { readonly needsPassphrase: boolean; readonly isGiven: boolean },
): unknown {
  if (!(error instanceof ProblemError && error.code === 'error.share.passphrase_required')) return error
  if (!needsPassphrase) return new ShareError('index_swapped', { cause: error })
  return new ShareError(isGiven ? 'passphrase_wrong' : 'passphrase_missing', { cause: error })
}

interface ShareReader extends Pick<ShareAddress, 'opaqueId'> {
  readonly call: Call
  readonly environment: Environment
  readonly given: ProofHeader & { readonly 'X-Service-Visit': string }
}

function sharedAsset({ call, environment, opaqueId, given }: ShareReader, entry: ShareEntry): SharedAsset {
  const { hash, secrets, mark: _, ...file } = entry
  return {
    ...file,
    hash,
    async open({ signal } = {}) {
      const stream = await openDownload({
        operation: 'shareBlob',
        ask: ({ headers, signal: either }) =>
          call('shareBlob', { path: { opaque_id: opaqueId, hash }, headers: { ...headers, ...given }, signal: either }),
        signal,
        environment,
      })
      const { header, content } = await openHashedBlob({
        stream,
        opener: { secrets },
        hash: environment.createHash(),
        expectedHash: hash,
        differenceError: () => new ShareError('asset_differs'),
      })
      if (header.size === entry.size) return content
      await content.cancel()
      throw new ShareError('asset_differs')
    },
  }
}
