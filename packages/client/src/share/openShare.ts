/** The receiver's side of a share: whoever has its address, and nothing else. */
import { type Bytes, fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import { type Environment, systemEnvironment } from '../environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { parseShare, type ShareAddress, type ShareParts } from './shareAddress.ts'
import { ShareError } from './shareError.ts'
import { openShareIndex, type SharedFile, type ShareEntry } from './shareIndex.ts'

export type { ShareParts } from './shareAddress.ts'
export { ShareError, type ShareFault } from './shareError.ts'
export type { SharedFile } from './shareIndex.ts'

export interface SharedAsset extends SharedFile {
  /**
   * The file, as it streams in. Rejects with `SealError` or `ShareError` `asset_differs` when the server gives something else, and with what a call throws:
   * `error.share.not_found` once the owner has deleted it, or the share. The stream fails with `SealError` where the bytes are not those that were sealed,
   * with `ShareError` at the end when they are not those that were shared; what was written of it until then must be thrown away.
   */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReadableStream<Bytes>>
}

export interface OpenedShare {
  readonly baseUrl: string
  /** At least one, in the owner's order. Names are the owner's words: shown as text, made safe before they touch a disk. */
  readonly assets: readonly SharedAsset[]
}

/**
 * Reads what an address shows. Throws `ShareError`, or what a call throws: `error.share.not_found` for every address that shows nothing.
 */
export async function openShare(
  address: string | ShareParts,
  environment: Environment = systemEnvironment,
): Promise<OpenedShare> {
  const { baseUrl, opaqueId, shareKey } = parseShare(address)
  const { call } = createCalls({ baseUrl, fetch: environment.fetch })
  const { body } = await call('share', { path: { opaque_id: opaqueId } })
  // What the server tells of hashes is not looked at: the index names them, and says what opens each.
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
      const { body } = await call('shareBlob', { path: { opaque_id: opaqueId, hash }, signal })
      const { header, content } = await openHashedBlob({
        stream: body,
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
