/** Follows a server to another address, once a person agrees: what this machine knows of it goes on there. */
import { MoveError } from '@blindkeep/client/errors'
import { alsoLeft, type OldAddress, type PreparedMove, prepareMove } from '@blindkeep/client/move'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import { timeText } from '../ground/texts.ts'
import { bury, pinFollowed, pinsOf } from '../home/pins.ts'
import { noteReceipts, seenReceipts } from '../receipts/seenReceipts.ts'

export interface Following {
  readonly home: string
  /** Addresses. */
  readonly from: string
  readonly to: string
}

/** What a person decides, and what is done then. */
interface PreparedFollowing {
  readonly question: string
  readonly fact: object
  follow(): Promise<void>
}

/** Throws `MoveError` unless the new address proves to be the server that this machine knows. Sends no token. */
export async function prepareFollowing({ home, from, to }: Following): Promise<PreparedFollowing> {
  const serverId = new URL(from).origin
  const pinned = await pinsOf(home, serverId)
  if (pinned === undefined)
    throw new MoveError('not_known', `this machine knows no key of ${serverId}, so nothing can prove that it has moved`)
  const move = await prepareMove({ from, to, pinned, environment })
  const { pins, tombstone, ...facts } = move
  return {
    question: questionOf(move),
    fact: {
      from: facts.from,
      to: facts.to,
      between: facts.between,
      moved_at: facts.movedAt,
      known_since: pins.knownSince,
      old: facts.old.is,
    },
    async follow() {
      // The first step refuses a server other than the one that is known at the new address.
      await pinFollowed(home, pins)
      await noteReceipts(home, facts.to, await seenReceipts(home, facts.from))
      for (const name of facts.between) await leaveBetween(home, name, move)
      await bury(home, tombstone)
    },
  }
}

/** Of another profile or a link: the server may be known here by more than one of its names. */
async function leaveBetween(home: string, name: string, move: PreparedMove): Promise<void> {
  const known = await pinsOf(home, name)
  const left = known && (await alsoLeft(known, move))
  if (left === undefined) return
  await pinFollowed(home, left.pins)
  await noteReceipts(home, move.to, await seenReceipts(home, name))
  await bury(home, left.tombstone)
}

function questionOf({ from, to, movedAt, between, old, pins }: PreparedMove): string {
  const over = between.length === 0 ? '' : ` (over ${between.join(', ')})`
  const { knownSince, newestReceipt } = pins
  const since = knownSince === undefined ? 'knows' : `has known since ${timeText(knownSince)}`
  const seen =
    newestReceipt === undefined
      ? ''
      : `, and whose last receipt here is of ${timeText(newestReceipt.payload.received_at)}`
  return `${from} has moved to ${to}${over} on ${timeText(movedAt)}. That is signed by the key of the server that this machine ${since}${seen}. ${oldText(from, old)}`
}

function oldText(from: string, old: OldAddress): string {
  const alone = 'so nothing but that key vouches for it'
  switch (old.is) {
    case 'agrees':
      return `${from} says so, too.`
    case 'redirects':
      return `${from} leads there, too.`
    case 'without_tls':
      return `What answers at ${from} proves nothing without TLS, ${alone}.`
    case 'silent':
      return `${from} does not answer (${old.failure.message}), ${alone}.`
  }
}
