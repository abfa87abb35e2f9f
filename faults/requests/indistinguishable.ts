/**
 * R11: what answers reveal. By bytes and time: whether an e-mail has an account, and an address was a link's or
 * share's. By bytes: whether another account's data exists.
 */
import { createClient } from '../../conformance/client.ts'
import { startServer } from '../../testing/startServer.ts'
import { FAULT_ENV } from '../harness/load.ts'
import { createRandom } from '../harness/random.ts'
import type { SharedOptions } from '../harness/report.ts'
import { askForAddresses } from './indistinguishable/addresses.ts'
import { askForEmails, type EmailReport } from './indistinguishable/emails.ts'
import { lookForHidden } from './indistinguishable/hidden.ts'

interface StrangerRun extends SharedOptions {
  /** For each operation, of known and of unknown e-mails; and for all hidden things together. */
  readonly samples: number
}

interface StrangerReport {
  readonly faults: readonly string[]
  readonly times: EmailReport['times']
}

/** No sweep runs during the measurements. */
const SETTINGS = { ...FAULT_ENV, SWEEP_SECONDS: '86400' }

export async function runIndistinguishable({ seed, samples, print }: StrangerRun): Promise<StrangerReport> {
  const random = createRandom(seed)
  const server = await startServer({ env: SETTINGS })
  try {
    const { faults, times } = await askForEmails({ url: server.url, samples, random: random.fork('emails') })
    for (const [name, { t, tCropped, knownMs, unknownMs }] of Object.entries(times))
      print(
        `${name}: t ${t.toFixed(2)}, without the slowest tenth ${tCropped.toFixed(2)}; medians ${knownMs.toFixed(3)} ms known, ${unknownMs.toFixed(3)} ms unknown`,
      )
    const client = await createClient(server.url)
    const addresses = await askForAddresses({ client, url: server.url, samples, random: random.fork('addresses') })
    for (const [name, { t, tCropped, deadMs, unknownMs }] of Object.entries(addresses.times))
      print(
        `${name}: t ${t.toFixed(2)}, without the slowest tenth ${tCropped.toFixed(2)}; medians ${deadMs.toFixed(3)} ms dead, ${unknownMs.toFixed(3)} ms unknown`,
      )
    const hidden = await lookForHidden(client, { samples, random: random.fork('hidden') })
    return { faults: [...faults, ...addresses.faults, ...hidden], times }
  } finally {
    await server.stop()
  }
}
