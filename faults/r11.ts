/** What strangers can learn: whether an e-mail has an account, by answers and by time; and whether something is there that is not theirs, by answers. */
import { createClient } from '../conformance/client.ts'
import { startServer } from '../testing/startServer.ts'
import { FAULT_ENV } from './load.ts'
import { askForEmails, type EmailReport } from './r11/emails.ts'
import { lookForHidden } from './r11/hidden.ts'
import { createRandom } from './random.ts'
import type { SharedOptions } from './runs.ts'

interface StrangerRun extends SharedOptions {
  /** Of each operation, for known and for unknown e-mails; and of what is hidden, all together. */
  readonly samples: number
}

interface StrangerReport {
  readonly faults: readonly string[]
  readonly times: EmailReport['times']
}

/** Nothing that runs by the clock among the measurements. */
const SETTINGS = { ...FAULT_ENV, SWEEP_SECONDS: '86400' }

export async function runR11({ seed, samples, tell }: StrangerRun): Promise<StrangerReport> {
  const random = createRandom(seed)
  const server = await startServer({ env: SETTINGS })
  try {
    const { faults, times } = await askForEmails({ url: server.url, samples, random: random.fork('emails') })
    for (const [name, { t, tCropped, knownMs, unknownMs }] of Object.entries(times))
      tell(
        `${name}: t ${t.toFixed(2)}, without the slowest tenth ${tCropped.toFixed(2)}; medians ${knownMs.toFixed(3)} ms known, ${unknownMs.toFixed(3)} ms unknown`,
      )
    const hidden = await lookForHidden(await createClient(server.url), { samples, random: random.fork('hidden') })
    return { faults: [...faults, ...hidden], times }
  } finally {
    await server.stop()
  }
}
