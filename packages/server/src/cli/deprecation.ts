import { countText } from '@blindkeep/protocol/counts'
import { formatInstant, parseInstant, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openPresentStore } from '../assembly/data.ts'
import type { Config } from '../config/config.ts'
import { createDeprecations, type Deprecations } from '../domain/discovery/deprecations.ts'
import type { Deprecation } from '../ports/store.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'

/** Announcing the end of old protocol versions. A running server has the announcement within seconds. */
export const deprecationCommands: readonly Command[] = [
  {
    name: 'deprecation announce',
    summary: 'Announces when writes with old protocol versions will be refused.',
    details: [
      'An announcement cannot be changed or withdrawn. From now on, requests with an older version get a warning; from the cutoff on, their creating',
      'writes are refused. Each announcement must name a later version than the last one, and no earlier cutoff. The command checks it against the',
      'protocol versions of the last start of the server on this data. It reads only DEPRECATION_LEAD_DAYS from the environment.',
    ],
    options: {
      'min-version': { value: 'YYYY-MM-DD', meaning: 'The oldest protocol version that is accepted after the cutoff.' },
      cutoff: { value: 'TIME', meaning: 'When older versions end, for example 2027-03-01T00:00:00Z.' },
      'detail-url': { value: 'URL', meaning: 'A page that tells people what to do; optional.' },
      yes: YES,
    },
    run: (call) => withDeprecations(call.config, (deprecations) => announce(deprecations, call)),
  },
  {
    name: 'deprecation list',
    summary: 'Lists the announcements, in their order.',
    run: ({ config }) =>
      withDeprecations(config, async (deprecations) => {
        const announced = await deprecations.list()
        return {
          lines: announced.length === 0 ? ['There are no announcements.'] : announced.map(lineOf),
          json: { announcements: announced.map(jsonOf) },
        }
      }),
  },
]

function withDeprecations(config: Config, work: (deprecations: Deprecations) => Promise<Outcome>): Promise<Outcome> {
  return withOpen(openPresentStore(config), (store) => work(createDeprecations({ store, clock: systemClock }, config)))
}

async function announce(deprecations: Deprecations, call: Call): Promise<Outcome> {
  const { option } = call
  const minProtocolVersion = parseProtocolVersion(option('min-version') ?? '')
  if (minProtocolVersion === undefined)
    throw new UsageError('--min-version takes an existing date, for example 2026-06-01')
  const cutoff = parseInstant(option('cutoff') ?? '')
  if (cutoff === undefined) throw new UsageError('--cutoff takes a time of RFC 3339, for example 2027-03-01T00:00:00Z')
  const announcement = { minProtocolVersion, cutoff, detailUrl: option('detail-url') }
  const outlook = await deprecations.judge(announcement)
  if ('refused' in outlook) throw new Error(outlook.detail)
  const { oldest, newest, days } = outlook
  await requireConsent(call, {
    lines: [
      `Now clients with the versions ${oldest} to ${newest} may write.`,
      `From now on every answer to a version below ${minProtocolVersion} has a warning, and discovery lists the announcement.`,
      `From ${formatInstant(cutoff)} on, in ${countText(days, 'day')}, such clients create nothing any more: no account, link, upload or share (426). They still read and delete.`,
      'It cannot be changed or withdrawn.',
    ],
    word: minProtocolVersion,
  })
  const answer = await deprecations.announce(announcement)
  if ('refused' in answer) throw new Error(answer.detail)
  return { lines: ['Announced; this cannot be undone:', lineOf(answer)], json: jsonOf(answer) }
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
