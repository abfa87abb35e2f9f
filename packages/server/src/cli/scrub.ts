import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { clockOf, type Data, openPresentData } from '../assembly/data.ts'
import { createScrubber } from '../domain/custody/scrub.ts'
import type { ScrubSum } from '../domain/custody/scrubbing.ts'
import type { Log } from '../ports/log.ts'
import { type Call, type Command, type Outcome, withOpen } from './command.ts'

/** Reading all objects again. */
export const scrubCommands: readonly Command[] = [
  {
    name: 'scrub',
    summary: 'Reads every kept object again now, and marks damaged ones.',
    details: [
      'The server does the same by itself within SCRUB_DAYS, some objects at a time; it may run. An object that is damaged or that the disk does not give is',
      'not served until a later read finds it intact. Exit status: 0 all are intact · 1 something is damaged or could not be read.',
    ],
    run: (call) => withOpen(openPresentData(call.config), (data) => scrubAll(call, data)),
  },
]

interface Entry {
  readonly event: string
  readonly [fact: string]: unknown
}

/** Between two lines of progress. */
const PROGRESS_MS = 2_000

async function scrubAll({ config, tell }: Call, { store, objects, staging }: Data): Promise<Outcome> {
  const found: Entry[] = []
  const log: Log = {
    info: (event, facts) => tell(lineOf({ event, ...facts })),
    warn: (event, facts) => tell(lineOf({ event, ...facts })),
    error: (event, facts) => void found.push({ event, ...facts }),
  }
  let sum: ScrubSum = { objects: 0, bytes: 0, damaged: 0, unreadable: 0 }
  const progress = setInterval(() => tell(`${sumText(sum)} so far`), PROGRESS_MS)
  try {
    const ports = { store, objects, staging, clock: await clockOf(config), log, isServer: false }
    const scrub = createScrubber(ports, config)
    await scrub.all(new AbortController().signal, (reached) => {
      sum = reached
    })
  } finally {
    clearInterval(progress)
  }
  return { lines: [...found.map(lineOf), `${sumText(sum)}.`], json: { ...sum, found }, isWrong: found.length > 0 }
}

function sumText({ objects, bytes, damaged, unreadable }: ScrubSum): string {
  return `${countText(objects, 'object')} read, ${sizeText(bytes)}; ${damaged} damaged, ${unreadable} could not be read`
}

/** `an object is damaged: assetId=… role=original hash=… size=3 found=missing` */
function lineOf({ event, ...facts }: Entry): string {
  return `${event}: ${Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`
}
