import { formatInstant, parseInstant, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import type { Config } from '../config.ts'
import { openPresentStore } from '../data.ts'
import { createDeprecations, type Deprecations } from '../domain/discovery/deprecations.ts'
import type { Deprecation } from '../ports/store.ts'
import { type Call, type Command, type Outcome, UsageError } from './command.ts'

/** Ending the support of old protocol versions, announced in time. The server may run meanwhile, and tells of it within seconds. */
export const deprecationCommands: readonly Command[] = [
  {
    name: 'deprecation announce',
    summary: 'Announces that writes with old protocol versions will not be accepted any more.',
    details: [
      'For good: an announcement is never changed or taken back. From now on requests with an older version are warned, from the cutoff on their',
      'writes that create are refused. Each announcement names a later version than the one before it, and no earlier cutoff. It is judged by the',
      'protocol versions of the server as it last started on this data; DEPRECATION_LEAD_DAYS alone is read from the environment.',
    ],
    options: {
      'min-version': { value: 'YYYY-MM-DD', meaning: 'The oldest protocol version that is accepted after the cutoff.' },
      cutoff: { value: 'TIME', meaning: 'When that begins, as 2027-03-01T00:00:00Z.' },
      'detail-url': { value: 'URL', meaning: 'Where people read what to do; optional.' },
    },
    run: (call) => withDeprecations(call.config, (deprecations) => announce(deprecations, call)),
  },
  {
    name: 'deprecation list',
    summary: 'Lists what has been announced, in that order.',
    run: ({ config }) =>
      withDeprecations(config, async (deprecations) => {
        const announced = await deprecations.list()
        return {
          lines: announced.length === 0 ? ['Nothing has been announced.'] : announced.map(lineOf),
          json: { announcements: announced.map(jsonOf) },
        }
      }),
  },
]

async function withDeprecations(
  config: Config,
  work: (deprecations: Deprecations) => Promise<Outcome>,
): Promise<Outcome> {
  const store = await openPresentStore(config)
  try {
    return await work(createDeprecations({ store, clock: systemClock }, config))
  } finally {
    await store.close()
  }
}

async function announce(deprecations: Deprecations, { option }: Call): Promise<Outcome> {
  const minProtocolVersion = parseProtocolVersion(option('min-version') ?? '')
  if (minProtocolVersion === undefined) throw new UsageError('--min-version takes a date that exists, as 2026-06-01')
  const cutoff = parseInstant(option('cutoff') ?? '')
  if (cutoff === undefined) throw new UsageError('--cutoff takes a time of RFC 3339, as 2027-03-01T00:00:00Z')
  const answer = await deprecations.announce({ minProtocolVersion, cutoff, detailUrl: option('detail-url') })
  if ('refused' in answer) throw new Error(answer.detail)
  return { lines: ['Announced, for good:', lineOf(answer)], json: jsonOf(answer) }
}

function lineOf({ minProtocolVersion, announcedAt, cutoff, detailUrl }: Deprecation): string {
  const detail = detailUrl === undefined ? '' : `, see ${detailUrl}`
  return `versions below ${minProtocolVersion} until ${formatInstant(cutoff)}, announced ${formatInstant(announcedAt)}${detail}`
}

function jsonOf({ minProtocolVersion, announcedAt, cutoff, detailUrl }: Deprecation) {
  return {
    min_protocol_version: minProtocolVersion,
    announced_at: formatInstant(announcedAt),
    cutoff: formatInstant(cutoff),
    detail_url: detailUrl,
  }
}
