/** An asset while other clients of the account change it. */
import { type AssetFacts, findAsset, readAsset } from '../assets/assetFacts.ts'
import type { Call } from '../http/call.ts'

interface Question<Answer> {
  readonly assetId: string
  readonly signal: AbortSignal | undefined
  readonly ask: (asset: AssetFacts) => Promise<Answer>
  readonly isYes?: (answer: Answer) => boolean
}

/**
 * The answer about one state of an asset. If another client renames it, gives it a thumbnail, or takes it to the bin
 * and back, between the requests of `ask`, the answers of an honest server do not fit together: then it is asked once
 * more, and nothing of the first time counts. Throws what `ask` throws, and `readAsset`.
 */
export async function askUnchanged<Answer>(
  call: Call,
  { assetId, signal, ask, isYes = () => true }: Question<Answer>,
): Promise<Answer> {
  const asset = await readAsset(call, assetId, signal)
  const [first] = await Promise.allSettled([ask(asset)])
  const isSettled = first.status === 'fulfilled' && isYes(first.value)
  if (!isSettled && (await hasChanged(call, asset, signal))) return await ask(await readAsset(call, assetId, signal))
  if (first.status === 'rejected') throw first.reason
  return first.value
}

/** Whether the server describes it otherwise now, or has it no more. No if it gives no answer. */
export async function hasChanged(call: Call, asset: AssetFacts, signal?: AbortSignal): Promise<boolean> {
  try {
    const now = await findAsset(call, asset.assetId, signal)
    return JSON.stringify(now) !== JSON.stringify(asset)
  } catch {
    return false
  }
}
