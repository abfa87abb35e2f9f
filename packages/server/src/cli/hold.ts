import { formatInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import type { Config } from '../config.ts'
import { openPresentStore } from '../data.ts'
import type { Hold, Store } from '../ports/store.ts'
import { type Call, type Command, type Outcome, UsageError } from './command.ts'

/** Contents that nobody is given. The server may run meanwhile, and obeys from the next request on. */
export const holdCommands: readonly Command[] = [
  {
    name: 'hold add',
    summary: 'Withholds a content: nobody is given its bytes, and the collector keeps them.',
    details: [
      'It is named by the SHA-256 of its ciphertext and goes for every object of every account, those that come later too. Downloads are answered 403',
      'error.blob.withheld, storage verification says that it is not retrievable. Owners can adopt, discard and delete as before.',
    ],
    takes: ['ciphertext hash'],
    options: { reason: { value: 'TEXT', meaning: 'Why, for operators. Only these commands show it.' } },
    run: (call) => withStore(call.config, (store) => add(store, call)),
  },
  {
    name: 'hold remove',
    summary:
      'Ends a hold: the content is given to its owners again. What nobody owns any more is collected after the grace window.',
    takes: ['ciphertext hash'],
    run: (call) => withStore(call.config, (store) => remove(store, call)),
  },
  {
    name: 'hold list',
    summary: 'Lists what is held, oldest first.',
    run: ({ config }) => withStore(config, list),
  },
]

async function withStore(config: Config, work: (store: Store) => Promise<Outcome>): Promise<Outcome> {
  const store = await openPresentStore(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function add(store: Store, { given, option }: Call): Promise<Outcome> {
  const ciphertextHash = hashIn(given)
  const reason = option('reason')?.trim()
  if (reason === undefined || reason === '') throw new UsageError('--reason is needed: why is it withheld?')
  const hold: Hold = { ciphertextHash, reason, createdAt: systemClock.now() }
  const isNew = await store.write((tx) => tx.holds.add(hold))
  const present = isNew ? hold : await store.read((tx) => tx.holds.find(ciphertextHash))
  const since = present === undefined ? '' : ` since ${formatInstant(present.createdAt)}: ${present.reason}`
  return {
    lines: [isNew ? `${ciphertextHash} is held from now on.` : `${ciphertextHash} is held already${since}`],
    json: { added: isNew, ...(present && { hold: jsonOf(present) }) },
  }
}

async function remove(store: Store, { given }: Call): Promise<Outcome> {
  const ciphertextHash = hashIn(given)
  const isRemoved = await store.write((tx) => tx.holds.remove(ciphertextHash))
  return {
    lines: [isRemoved ? `${ciphertextHash} is held no more.` : `${ciphertextHash} was not held.`],
    json: { removed: isRemoved },
    isWrong: !isRemoved,
  }
}

async function list(store: Store): Promise<Outcome> {
  const holds = await store.read((tx) => tx.holds.list())
  const lines = holds.map((hold) => `${hold.ciphertextHash}  ${formatInstant(hold.createdAt)}  ${hold.reason}`)
  return { lines: lines.length === 0 ? ['Nothing is held.'] : lines, json: { holds: holds.map(jsonOf) } }
}

function hashIn([text = '']: readonly string[]): Sha256Hex {
  const hash = parseSha256Hex(text)
  if (hash === undefined) throw new UsageError('a ciphertext hash is 64 lowercase hexadecimal digits')
  return hash
}

function jsonOf({ ciphertextHash, reason, createdAt }: Hold) {
  return { ciphertext_hash: ciphertextHash, reason, created_at: formatInstant(createdAt) }
}
