/** Ties the session to this browser's key, so that revoking it signs the browser out. Names both. */
import { systemEnvironment } from '@blindkeep/client/environment'
import { ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { useEffect } from 'preact/hooks'
import { isLocalPage } from '../../common/address/localPage.ts'
import { browserName } from '../browser/browserName.ts'
import { deviceOf, storedDevice } from '../browser/device.ts'

export interface Tying {
  /** The owner stays signed in: then a browser without a key gets one now, not with its first upload. */
  readonly isStored: boolean
  /** The session stays untied because the server refuses. The list of sign-ins shows it as well. */
  readonly onRefused: (error: ProblemError) => void
}

const firstTries = new WeakMap<Owner, Promise<void>>()

/** Resolves when the session is tied or the first attempt failed: lists that load later are current. */
export async function whenTied(owner: Owner): Promise<void> {
  await firstTries.get(owner)
}

const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 300_000

/** Runs once for each session of this tab, also for a resumed one: it may be from before this browser had a key. */
export function useTiedSession(owner: Owner, { isStored, onRefused }: Tying): void {
  useEffect(() => {
    // The session is the command line's, which has tied and named it.
    if (isLocalPage) return
    const left = new AbortController()
    void tieInTheEnd(owner, { isStored, onRefused }, left.signal)
    return () => left.abort()
  }, [owner])
}

/** Tries until it is done, refused, or the owner has left. */
async function tieInTheEnd(owner: Owner, { isStored, onRefused }: Tying, left: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_RETRY_MS; !left.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
    try {
      const tied = tie(owner, isStored).then(() => nameThisBrowser(owner))
      if (!firstTries.has(owner))
        firstTries.set(
          owner,
          tied.catch(() => undefined),
        )
      return await tied
    } catch (error) {
      if (left.aborted) return
      if (error instanceof ProblemError && isFinal(error)) {
        // The end of the session is shown by itself.
        if (error.status !== 401) onRefused(error)
        return
      }
    }
    await systemEnvironment.wait(waitMs, left).catch(() => undefined)
  }
}

async function tie(owner: Owner, isStored: boolean): Promise<void> {
  const stored = await storedDevice(owner)
  if (stored === undefined) {
    if (isStored) await deviceOf(owner)
    return
  }
  try {
    await owner.tieSession(stored.deviceId)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    // A session that began with another key ends with that one.
    if (error.code === 'error.auth.session_bound') return
    if (!KEY_IS_USELESS.includes(error.code)) throw error
    await deviceOf(owner)
  }
}

/** For the owner's lists, which show times and ids without it: so a failure is left to the next visit. */
async function nameThisBrowser(owner: Owner): Promise<void> {
  const device = await storedDevice(owner).catch(() => undefined)
  await owner.nameThisClient(browserName(), { deviceId: device?.deviceId }).catch(() => undefined)
}

/** The key was revoked, or never reached the server. */
const KEY_IS_USELESS: readonly ProblemError['code'][] = ['error.device.not_authorized', 'error.device.not_found']

function isFinal({ status }: ProblemError): boolean {
  return status < 500 && status !== 429
}
