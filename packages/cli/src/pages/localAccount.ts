/** The signed-in owner of the profile, as local pages have it: its keys in their memory, its session in the program. */
import { ProblemError } from '@blindkeep/client/errors'
import { isSessionOver, type SignedIn } from '../account/session.ts'
import { LocalError } from '../ground/exits.ts'
import type { Shown } from './localServer.ts'
import { memoryOf, seenByPage } from './memory.ts'
import type { AskedOperation } from './operationAt.ts'

export interface LocalAccount extends Shown {
  /** The device is sealed under the account key. Undefined once the profile is signed in to it no longer. */
  facts(): Promise<AccountFacts | undefined>
}

export interface AccountFacts {
  readonly email: string
  readonly account_id: string
  /** base64 */
  readonly account_key: string
  /** base64 */
  readonly sealed_device: string | null
  readonly tokens: object
}

/** `onOver`: the session is over, or the profile has another one. A page must not go on with the keys that it has. */
export function localAccountOf({ owner, profile, server }: SignedIn, onOver: (error: Error) => void): LocalAccount {
  const { origin: serverId } = new URL(server)
  const { accountId } = owner
  return {
    server,
    accessToken: () => owner.tokens().accessToken,
    memory: memoryOf({ profile, accountId, serverId }),
    passes: isForOwner,
    seenByPage: (json) => seenByPage(json, serverId),
    async facts() {
      if (!(await isSignedIn())) return undefined
      const device = await profile.device()
      return {
        email: owner.email,
        account_id: accountId,
        account_key: Buffer.from(owner.accountKey).toString('base64'),
        sealed_device: device?.accountId === accountId ? device.sealed : null,
        tokens: tokensForPages(),
      }
    },
    async renew() {
      if (!(await isSignedIn())) return undefined
      try {
        await owner.account()
        return { status: 200, body: tokensForPages() }
      } catch (error) {
        if (!(error instanceof ProblemError)) return undefined
        const { status, code } = error
        if (isSessionOver(error)) onOver(error)
        return { status, body: { type: 'about:blank', title: error.message, status, code } }
      }
    },
  }

  /** A command may have signed the profile out, or in to another account. */
  async function isSignedIn(): Promise<boolean> {
    const [kept, tokens] = [await profile.account(), await profile.tokens()]
    const isSame = tokens?.accountId === accountId && kept?.server === server
    if (!isSame) onOver(new LocalError('This profile is no longer signed in to the account of these pages.'))
    return isSame
  }

  /** In the form of a session. No server knows these tokens: the program puts the session's on what it passes on. */
  function tokensForPages() {
    const { expiresAt } = owner.tokens()
    return {
      access_token: 'local',
      refresh_token: 'local',
      token_type: 'Bearer',
      expires_at: expiresAt,
      account_id: accountId,
    }
  }
}

/**
 * Of the owner, who is signed in; not what hands out tokens, which stay in the program, nor what takes a password, for
 * which no local page asks.
 */
export function isForOwner({ name, row }: AskedOperation): boolean {
  return (row.auth === 'bearer' && row.proves !== true) || row.tag === 'discovery' || name === 'version'
}
