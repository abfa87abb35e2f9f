import { MAX_ASSETS } from '@blindkeep/protocol/schemas/verify'

/** At 100 MiB/s half a minute; an answer may take 290 s. Small enough to show progress. */
const MAX_DEEP_BYTES = 2 * 1024 ** 3

interface Sized {
  /** Bytes that a deep check reads. */
  readonly sealedBytes: number
}

/** Keeps the order. At most as many assets as a request allows; a deep batch has `MAX_DEEP_BYTES`, or one asset. */
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
