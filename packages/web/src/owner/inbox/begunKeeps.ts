/** Finishes what a page that was closed has begun to keep. */
import { NetworkError, ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { useEffect } from 'preact/hooks'
import { guardClosing } from '../../common/closeGuard.ts'
import { useText } from '../../common/reader.ts'
import type { OwnerPages } from '../context.ts'
import { deviceOf } from '../device.ts'
import { type BegunKeep, deleteKeep, storedKeeps } from './keepStore.ts'
import { inboxTexts } from './texts.ts'

/** The server may still finish the request of the closed page: until then the file is in the inbox. */
const MAX_AGE_MS = 86_400_000

type BegunKeepsPorts = Pick<OwnerPages, 'owner' | 'baseUrl' | 'showMessage'>

/** Once for each session of this tab. */
export function useBegunKeeps({ owner, baseUrl, showMessage }: BegunKeepsPorts): void {
  const text = useText(inboxTexts).keeping
  useEffect(() => {
    void finishAll(owner, baseUrl).then((finished) => {
      if (finished > 0) showMessage({ tone: 'good', text: text.finished(finished) })
    })
  }, [owner])
}

async function finishAll(owner: Owner, baseUrl: string): Promise<number> {
  const keeps = await storedKeeps({ accountId: owner.accountId, baseUrl })
  if (keeps.length === 0) return 0
  const releaseGuard = guardClosing()
  let finished = 0
  try {
    for (const keep of keeps) if (await finish(owner, keep)) finished++
  } catch {
    // The connection broke, or the session is over: the next visit goes on.
  } finally {
    releaseGuard()
  }
  return finished
}

/** False for a file still in the inbox, where the owner may decide otherwise, and where only the owner can judge. */
async function finish(owner: Owner, { assetId, albumId, drop, begunAt }: BegunKeep): Promise<boolean> {
  try {
    const { complete } = await owner.asset(assetId)
    if (!complete) await owner.adoptDrop(drop, { album: albumId, assetId, device: await deviceOf(owner) })
    await deleteKeep(assetId)
    return !complete
  } catch (error) {
    if (error instanceof NetworkError || (error instanceof ProblemError && isOfSession(error))) throw error
    const isInInbox = error instanceof ProblemError && error.code === 'error.asset.not_found'
    if (!isInInbox || Date.now() - begunAt > MAX_AGE_MS) await deleteKeep(assetId)
    return false
  }
}

function isOfSession({ status }: ProblemError): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500
}
