import { addSeconds, formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { ReadTx } from '../../ports/store.ts'
import { collectorPausedUntil } from '../custody/collect.ts'
import { receiptSeqFloor } from '../custody/logLives.ts'
import { former, isPublicUrlForeign } from '../discovery/publicUrls.ts'
import { createFinding, type Finding, findBroken, type Repair } from './finding.ts'

/** A backup pauses for minutes at a time. */
const MAX_PAUSE_SECONDS = 86_400

/** Wrong facts that silently stop the log or the collector, or allow another name than accounts know. */
export async function checkFacts(tx: ReadTx, now: Instant): Promise<readonly Finding[]> {
  return [...(await checkRunning(tx, now)), ...(await checkAddresses(tx))]
}

async function checkRunning(tx: ReadTx, now: Instant): Promise<readonly Finding[]> {
  const floor = await read(() => receiptSeqFloor(tx))
  const pausedUntil = await read(() => collectorPausedUntil(tx))
  if (floor instanceof Error || pausedUntil instanceof Error)
    return [floor, pausedUntil].filter(isError).map(({ message }) => createFinding('fact_wrong', {}, message))
  const serverId = await tx.server.fact('server_id')
  const [account] = serverId === undefined ? await tx.accounts.list({ afterEmail: undefined, max: 1 }) : []
  return findBroken({}, [
    [
      account !== undefined,
      'fact_wrong',
      'there are accounts, and no server_id to which clients have bound their secrets',
    ],
    [
      serverId !== undefined && !isOrigin(new TextDecoder().decode(serverId)),
      'fact_wrong',
      'the server_id is no origin',
    ],
    [
      pausedUntil !== undefined && pausedUntil > addSeconds(now, MAX_PAUSE_SECONDS),
      'fact_wrong',
      `the collector is paused until ${pausedUntil === undefined ? 'never' : formatInstant(pausedUntil)}`,
    ],
  ])
}

async function checkAddresses(tx: ReadTx): Promise<readonly Finding[]> {
  const isForeign = await read(() => isPublicUrlForeign(tx))
  const noted = await read(() => former(tx))
  const forget = { repair: 'forget_public_url' } as const
  const complete = { repair: 'complete_former_urls' } as const
  return [
    ...(isForeign === false ? [] : [addressWrong(isForeign === true ? FOREIGN : isForeign.message, forget)]),
    ...listFaults(noted).map((what) => addressWrong(what, complete)),
  ]
}

const FOREIGN = 'the fact public_url is an address of another server than the server_id'

function listFaults(noted: Awaited<ReturnType<typeof former>> | Error): readonly string[] {
  if (noted instanceof Error) return [noted.message]
  return [
    ...noted.missing.map((name) => `the fact former_urls lacks ${name}`),
    ...noted.surplus.map((url) => `the fact former_urls has ${url}, which no move has left`),
  ]
}

const isError = (fact: unknown) => fact instanceof Error
const addressWrong = (what: string, repair: Repair) => createFinding('address_wrong', {}, what, repair)

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

/** Turns the plain error of a malformed fact into a value. */
async function read<Fact>(fact: () => Promise<Fact>): Promise<Fact | Error> {
  try {
    return await fact()
  } catch (error) {
    if (error instanceof Error && error.name === 'Error') return error
    throw error
  }
}
