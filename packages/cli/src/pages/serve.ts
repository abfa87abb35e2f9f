/** `blindkeep pages serve`: the owner's pages of this package, with the session and the memory of a profile. */
import { PAGE_INDEX } from '@blindkeep/protocol/pages'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { type Exit, UsageError } from '../ground/exits.ts'
import { localAccountOf } from './localAccount.ts'
import { type BrowserFlags, showPages } from './showPages.ts'

interface ServeFlags extends OwnerFlags, BrowserFlags {}

export async function servePages(address: string | undefined, flags: ServeFlags): Promise<Exit> {
  const signed = await signedIn(flags)
  const { server, report } = signed
  if (address !== undefined && address.replace(/\/+$/, '') !== server)
    throw new UsageError(`The profile is signed in at ${server}. Call: blindkeep pages serve ${server}`)
  const over = new AbortController()
  const shown = localAccountOf(signed, (error) => over.abort(error))
  const title = `The pages of ${server} are`
  return await showPages({ shown, document: PAGE_INDEX, about: 'proof', title, flags, report, over: over.signal })
}
