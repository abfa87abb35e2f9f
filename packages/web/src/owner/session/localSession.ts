/** The session of a local page: the command line's, in which the page takes part with a token of its own. */
import { resumeOwner } from '@blindkeep/client/account'
import { type Bytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { isObject } from '@blindkeep/protocol/json'
import { requireSeenAccount, seenRevocationsOf } from '../browser/seenByBrowser.ts'
import { readStoredSession, type StoredSession } from '../browser/storedSession.ts'
import { pageAddress } from '../ground/pageCalls.ts'
import { endBy } from './ownEnding.ts'
import { pageEnvironment } from './pageEnvironment.ts'
import type { PageSession } from './session.ts'
import { newSignIn, newTab, show, signOutLocally } from './sessionTab.ts'

/** What pairing gives. SECRET. */
export interface PairedAccount extends StoredSession {
  readonly token: string
  readonly sealedDevice: Bytes | undefined
}

/** Undefined for anything but the program's answer to the right code. */
export function pairedAccountIn(body: Readonly<Record<string, unknown>>): PairedAccount | undefined {
  const { token, email, account_key: key, sealed_device: sealed, tokens } = body
  if (typeof token !== 'string' || typeof key !== 'string' || !isObject(tokens)) return undefined
  const session = readStoredSession({
    email,
    accountKey: fromBase64(key),
    tokens: {
      accountId: tokens.account_id,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: tokens.expires_at,
    },
  })
  return session && { ...session, token, sealedDevice: typeof sealed === 'string' ? fromBase64(sealed) : undefined }
}

/** Throws `AccountError` when the account is not the one that this profile knows by its key. */
export async function localSessionOf(serverUrl: string, account: PairedAccount): Promise<PageSession> {
  const tab = newTab(serverUrl)
  const signIn = newSignIn(tab)
  tab.signIn = signIn
  const { email, accountKey, tokens } = account
  const environment = pageEnvironment(signIn.gate)
  const address = pageAddress(serverUrl)
  const owner = resumeOwner({ ...address, email, accountKey, tokens, ...signIn.listener, environment })
  await requireSeenAccount(owner)
  owner.keepRevocations(seenRevocationsOf(owner))
  show(tab, { stage: 'in', owner, isStored: false, isStoringRefused: false })
  return {
    view: () => tab.view,
    subscribe(listener) {
      tab.listeners.add(listener)
      return () => tab.listeners.delete(listener)
    },
    open: async () => undefined,
    newAttempt() {
      throw new Error('a local page has no sign-in')
    },
    signOut: () => signOutLocally(tab, signIn, { reason: 'signed_out' }),
    endBy: (ending, call) => endBy(tab, ending, call),
  }
}
