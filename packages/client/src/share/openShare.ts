/** The receiver's side of a share: a client that has its address and nothing else. */
import { type Bytes, fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import { type Environment, systemEnvironment } from '../environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { openDownload } from '../http/download.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { parseShare, type ShareAddress, type ShareParts } from './shareAddress.ts'
import { ShareError } from './shareError.ts'
import { openShareIndex, type SharedFile, type ShareEntry } from './shareIndex.ts'

export type { ShareParts } from './shareAddress.ts'
export { ShareError, type ShareFault } from './shareError.ts'
export type { SharedFile } from './shareIndex.ts'

export interface SharedAsset extends SharedFile {
  /**
   * Streams the file. Rejects with `SealError`, or `ShareError` `asset_differs`, when the server returns something else, and with what a call throws:
   * `error.share.not_found` once the owner has deleted the asset or the share. When the connection breaks, the stream goes on where it was; it fails
   * with `NetworkError` after many tries without a further byte, with `SealError` when the bytes were altered, and with `ShareError` at the end when
   * they do not have the shared hash. After a failure the consumer must discard what it has written.
   */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReadableStream<Bytes>>
}

export interface OpenedShare {
  readonly baseUrl: string
  /** At least one, in the owner's order. Names come from the owner: show them as plain text, and use `safeName` before they touch a disk. */
  readonly assets: readonly SharedAsset[]
}

/** Opens the address of a share. Throws `ShareError`, and what a call throws: `error.share.not_found` for every address that shows nothing. */
export async function openShare(
  address: string | ShareParts,
  environment: Environment = systemEnvironment,
): Promise<OpenedShare> {
  const { baseUrl, opaqueId, shareKey } = parseShare(address)
  const { call } = createCalls({ baseUrl, fetch: environment.fetch })
  const { body } = await call('share', { path: { opaque_id: opaqueId } })
  // The server's list of hashes is ignored: the index has the hashes and what opens each blob.
  const entries = await openShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, fromBase64(body.sealed_index))
  return { baseUrl, assets: entries.map((entry) => sharedAsset({ call, environment, opaqueId }, entry)) }
}

interface ShareReader extends Pick<ShareAddress, 'opaqueId'> {
  readonly call: Call
  readonly environment: Environment
}

function sharedAsset({ call, environment, opaqueId }: ShareReader, entry: ShareEntry): SharedAsset {
  const { hash, secrets, ...file } = entry
  return {
    ...file,
    async open({ signal } = {}) {
      const stream = await openDownload({
        operation: 'shareBlob',
        ask: (options) => call('shareBlob', { path: { opaque_id: opaqueId, hash }, ...options }),
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
