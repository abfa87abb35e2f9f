/** Asks once before files get a retention: it cannot be taken back. */
import type { Owner } from '@blindkeep/client/owner'
import { countText } from '@blindkeep/protocol/counts'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { agrees } from '../ground/ask.ts'
import { UsageError } from '../ground/exits.ts'
import type { Expiry } from '../ground/options.ts'
import { timeText } from '../ground/texts.ts'
import { endOf } from './endOf.ts'
import type { OwnerFlags } from './profile.ts'

const DAY_MS = 86_400_000

/** RFC 3339. `declined` by the person. Throws `UsageError` for a time that has passed or that the server refuses. */
export async function retentionOf(
  owner: Owner,
  { retain, files }: { readonly retain: Expiry; readonly files: number },
  flags: OwnerFlags,
): Promise<string | 'declined'> {
  const until = await endOf(owner, retain)
  if (until === undefined) throw new Error('a retention has an end')
  await requireAccepted(owner, until)
  const [what, they] = files === 1 ? ['This file', 'It counts'] : [`These ${files} files`, 'They count']
  const question = `${what} cannot be deleted before ${timeText(until)}: neither by you, nor by the operator with the commands of the server. ${they} in your quota until then, and the account cannot be deleted either. This cannot be taken back. Go on?`
  return (await agrees(question, flags)) ? until : 'declined'
}

/** An older server does not state its bound; then its answer decides. */
async function requireAccepted(owner: Owner, until: string): Promise<void> {
  const { limits } = await owner.serverInfo()
  const { retention_days: days } = limits ?? {}
  if (days === 0) throw new UsageError('this server accepts no retention.')
  if (days !== undefined && millisecondsOf(until) > owner.now() + days * DAY_MS)
    throw new UsageError(`this server accepts a retention of at most ${countText(days, 'day')}.`)
}

/** Beside the name of a file. Undefined if it may be deleted. */
export function retentionMark(owner: Owner, retainedUntil: string | undefined): string | undefined {
  const isOver = retainedUntil === undefined || millisecondsOf(retainedUntil) <= owner.now()
  return isOver ? undefined : `retained until ${timeText(retainedUntil)}`
}
