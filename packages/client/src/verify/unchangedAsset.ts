/** An asset while other clients of the account change it. */
import { type AssetFacts, findAsset, readAsset } from '../assets/assetFacts.ts'
import type { Call } from '../http/call.ts'

interface Question<Answer> {
  /** As the server described it before. */
  readonly asset: AssetFacts
  readonly signal: AbortSignal | undefined
  readonly ask: (asset: AssetFacts) => Promise<Answer>
  readonly isYes?: (answer: Answer) => boolean
}

/** A server that describes an asset otherwise each time is not asked without end. */
export const MAX_ASKED = 3

/**
 * The answer about one state of an asset. If another client renames it, gives it a thumbnail, or takes it to the bin
 * and back, between the requests of `ask`, the answers of an honest server do not fit together: then it is asked again,
 * and nothing of the time before counts. Throws what `ask` throws, and `readAsset`.
 */
export async function askUnchanged<Answer>(
  call: Call,
  { asset: before, signal, ask, isYes = () => true }: Question<Answer>,
): Promise<Answer> {
  let asset = before
  for (let asked = 1; ; asked++) {
    const [answer] = await Promise.allSettled([ask(asset)])
    const isSettled = answer.status === 'fulfilled' && isYes(answer.value)
    if (isSettled || asked === MAX_ASKED || !(await hasChanged(call, asset, signal))) {
      if (answer.status === 'rejected') throw answer.reason
      return answer.value
    }
    asset = await readAsset(call, asset.assetId, signal)
  }
}

/** Whether the server describes it otherwise now, or no more. No if it gives no answer. Throws why `signal` aborts. */
export async function hasChanged(call: Call, asset: AssetFacts, signal?: AbortSignal): Promise<boolean> {
  try {
    const now = await findAsset(call, asset.assetId, signal)
    return JSON.stringify(now) !== JSON.stringify(asset)
  } catch {
    signal?.throwIfAborted()
    return false
  }
}
