/** The part of a share's page that decrypts. It is loaded after the page is drawn, because it contains the client. */
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import { newVisit, type OpenedShare, openShare, type ShareParts } from '@blindkeep/client/share'
import { askSite, type Site } from '@blindkeep/client/site'
import { pageFetch } from '../common/address/localPage.ts'
import { deriveInWorker } from '../common/hashing/argon2.ts'
import { type PassphraseReason, passphraseReasonOf } from './faults.ts'

export type { OpenedShare, SharedAsset } from '@blindkeep/client/share'
export { type Fault, faultOf, fileFaultOf, type PassphraseReason } from './faults.ts'

const environment: Environment = {
  ...systemEnvironment,
  fetch: pageFetch,
  passphraseProof: (text, salt, options) => deriveInWorker({ kind: 'passphrase', text, salt }, options),
}

/** What the operator of the server says about itself. */
export const siteAt = ({ baseUrl }: ShareParts): Promise<Site | undefined> => askSite(baseUrl, environment)

/** The same after a reload, which is no other visit. It stays with this entry of the tab's history alone. */
function visitOfTab(): string {
  const kept: unknown = history.state?.visit
  if (typeof kept === 'string' && /^[0-9a-f]{32}$/.test(kept)) return kept
  const visit = newVisit()
  history.replaceState({ ...history.state, visit }, '')
  return visit
}

/** The share, or why a passphrase is asked for. Nothing of the passphrase is kept. */
export async function open(parts: ShareParts, passphrase: string | undefined): Promise<OpenedShare | PassphraseReason> {
  try {
    return await openShare(parts, environment, { passphrase, visit: visitOfTab() })
  } catch (error) {
    const asked = passphraseReasonOf(error)
    if (asked === undefined) throw error
    return asked
  }
}
