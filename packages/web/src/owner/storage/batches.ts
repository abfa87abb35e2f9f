import { MAX_ASSETS } from '@blindkeep/protocol/schemas/verify'

/** A server that reads 100 MiB/s needs half a minute for so many bytes, of the 290 s that an answer may take; and the page can tell how far it is. */
const MAX_DEEP_BYTES = 2 * 1024 ** 3

interface Sized {
  /** That a deep check has read. */
  readonly sealedBytes: number
}

/** In their order, at most as many as one request may ask about; a deep one about no more bytes than are read in time, or about one file. */
export function batchesOf<Asset extends Sized>(
  assets: readonly Asset[],
  { isDeep }: { readonly isDeep: boolean },
): readonly (readonly Asset[])[] {
  const batches: Asset[][] = []
  let bytes = 0
  for (const asset of assets) {
    const last = batches.at(-1)
    const isFull =
      last === undefined ||
      last.length === MAX_ASSETS ||
      (isDeep && last.length > 0 && bytes + asset.sealedBytes > MAX_DEEP_BYTES)
    if (isFull) {
      batches.push([asset])
      bytes = asset.sealedBytes
    } else {
      last.push(asset)
      bytes += asset.sealedBytes
    }
  }
  return batches
}
