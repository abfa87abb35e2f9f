import { countText } from '@blindkeep/protocol/counts'
import { formatInstant, parseDropId, parseOpaqueId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { clockOf, openPresentStore } from '../assembly/data.ts'
import { holdSource, releaseSource } from '../domain/custody/sourceHolds.ts'
import type { HeldSource, Hold, Store } from '../ports/store.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'

const SOURCES = {
  link: {
    value: 'LINK',
    meaning: 'All that came through this link until now: its address (what is behind `#` is not needed), or its id.',
  },
  drop: { value: 'ID', meaning: 'One drop by its id, as its receipt and the log have it.' },
} as const

/** Withholding contents. The server may run; it follows a change from the next request on. */
export const holdCommands: readonly Command[] = [
  {
    name: 'hold add',
    summary: 'Withholds a content: its bytes are not served and not deleted.',
    details: [
      'The argument is the SHA-256 of the ciphertext. The hold applies to all objects of all accounts with this hash, also to later ones. Downloads get 403',
      'error.blob.withheld, and storage verification reports retrievable: false. Owners can adopt, discard and delete as before.',
      'In place of the hash, --link or --drop: what is in the inbox, kept, or in the bin, with its thumbnails; of a link also what is on its way. What a link',
      'brings later is not on hold: its owner revokes it, or `account suspend` stops it.',
    ],
    takes: ['ciphertext hash'],
    mayTakeNone: true,
    options: {
      ...SOURCES,
      reason: { value: 'TEXT', meaning: 'The reason, for operators. Only these commands show it.' },
    },
    run: (call) => withOpen(openPresentStore(call.config), (store) => add(store, call)),
  },
  {
    name: 'hold remove',
    summary: 'Ends a hold: the content is served again. If it is orphaned, it is deleted after the grace window.',
    details: [
      'With --link or --drop: the holds that `hold add` made with the same, and no others, also if the files were deleted since.',
    ],
    takes: ['ciphertext hash'],
    mayTakeNone: true,
    options: SOURCES,
    run: (call) => withOpen(openPresentStore(call.config), (store) => remove(store, call)),
  },
  {
    name: 'hold list',
    summary: 'Lists the holds, oldest first.',
    run: ({ config }) => withOpen(openPresentStore(config), list),
  },
]

async function add(store: Store, call: Call): Promise<Outcome> {
  const { config, given, option } = call
  const source = sourceIn(call)
  const reason = option('reason')?.trim()
  if (reason === undefined || reason === '') throw new UsageError('--reason is required')
  if (source !== undefined) return addAll({ store, config, source, reason })
  const ciphertextHash = hashIn(given)
  const hold: Hold = { ciphertextHash, reason, createdAt: (await clockOf(config)).now() }
  const isNew = await store.write(['removal'], (tx) => tx.holds.add(hold))
  const existing = isNew ? hold : await store.read((tx) => tx.holds.find(ciphertextHash))
  const since = existing === undefined ? '' : ` since ${formatInstant(existing.createdAt)}: ${existing.reason}`
  return {
    lines: [isNew ? `${ciphertextHash} is now on hold.` : `${ciphertextHash} was already on hold${since}`],
    json: { added: isNew, ...(existing && { hold: jsonOf(existing) }) },
  }
}

async function addAll(hold: {
  readonly store: Store
  readonly config: Call['config']
  readonly source: HeldSource
  readonly reason: string
}): Promise<Outcome> {
  const { store, config, source, reason } = hold
  const { found, added } = await holdSource({ store, clock: await clockOf(config) }, source, reason)
  if (found === 0) throw new Error('nothing that came from there is known. Is the id right?')
  const before = found - added
  return {
    lines: [
      `${countText(added, 'content')} now on hold.${before === 0 ? '' : ` ${countText(before, 'content')} on hold before, for another reason: \`hold list\`.`}`,
    ],
    json: { found, added },
  }
}

async function remove(store: Store, call: Call): Promise<Outcome> {
  const { given } = call
  const source = sourceIn(call)
  if (source !== undefined) {
    const removed = await releaseSource(store, source)
    return {
      lines: [`${countText(removed, 'content')} no longer on hold.`],
      json: { removed },
      isWrong: removed === 0,
    }
  }
  const ciphertextHash = hashIn(given)
  const isRemoved = await store.write(['removal'], (tx) => tx.holds.remove(ciphertextHash))
  return {
    lines: [isRemoved ? `${ciphertextHash} is no longer on hold.` : `${ciphertextHash} was not on hold.`],
    json: { removed: isRemoved },
    isWrong: !isRemoved,
  }
}

async function list(store: Store): Promise<Outcome> {
  const holds = await store.read((tx) => tx.holds.list())
  const lines = holds.map((hold) => `${hold.ciphertextHash}  ${formatInstant(hold.createdAt)}  ${hold.reason}`)
  return { lines: lines.length === 0 ? ['There are no holds.'] : lines, json: { holds: holds.map(jsonOf) } }
}

/** Undefined if a hash is given. Throws `UsageError` unless exactly one of the three is. */
function sourceIn({ given, option }: Call): HeldSource | undefined {
  const [link, drop] = [option('link'), option('drop')]
  if ([given[0], link, drop].filter((each) => each !== undefined).length !== 1)
    throw new UsageError('name one of: a ciphertext hash, --link, --drop')
  if (link !== undefined) {
    // A mail filter may have rewritten the `#`, and the id is before it.
    const opaqueId = parseOpaqueId(/(?:\/u\/|^)([0-9a-f]{32})(?![0-9a-f])/.exec(link.trim())?.[1] ?? '')
    if (opaqueId === undefined)
      throw new UsageError('--link takes the address of a link, or its id of 32 hexadecimal digits')
    return { opaqueId }
  }
  if (drop === undefined) return undefined
  const dropId = parseDropId(drop.trim())
  if (dropId === undefined) throw new UsageError('--drop takes the id of a drop, a UUID')
  return { dropId }
}

function hashIn([text = '']: readonly string[]): Sha256Hex {
  const hash = parseSha256Hex(text)
  if (hash === undefined) throw new UsageError('a ciphertext hash is 64 lowercase hexadecimal digits')
  return hash
}

function jsonOf({ ciphertextHash, reason, createdAt }: Hold) {
  return { ciphertext_hash: ciphertextHash, reason, created_at: formatInstant(createdAt) }
}
