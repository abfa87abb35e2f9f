/** What deleting or moving files means for the shares that show them. */
import { ProblemError } from '@blindkeep/client/errors'
import type { AssetFacts } from '@blindkeep/client/owner'
import { countText } from '@blindkeep/protocol/counts'
import type { SignedIn } from '../account/session.ts'
import { namesText, shortId } from '../ground/texts.ts'

/** What a question about deleting or moving files says: `2 shares show it, and will not any more: …`. */
export async function losingText(
  { owner }: Pick<SignedIn, 'owner'>,
  assets: readonly AssetFacts[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const what = assets.length === 1 ? 'it' : 'some of them'
  try {
    const showing = await owner.showingShares(originalsOf(assets), { signal })
    if (showing.length === 0) return undefined
    const names = namesText(showing.map(({ share: { name, opaqueId } }) => name ?? shortId(opaqueId)))
    return `${countText(showing.length, 'share shows', 'shares show')} ${what}, and will not any more: ${names}.`
  } catch (error) {
    // The question is asked all the same.
    if (!(error instanceof ProblemError)) throw error
    return `The server does not say which shares show ${what}.`
  }
}

export function originalsOf(assets: readonly AssetFacts[]): readonly string[] {
  return assets.flatMap(({ blobs }) => blobs.filter(({ role }) => role === 'original').map(({ hash }) => hash))
}
