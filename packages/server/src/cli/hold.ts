import { formatInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { clockOf, openPresentStore } from '../assembly/data.ts'
import type { Hold, Store } from '../ports/store.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'

/** Withholding contents. The server may run; it follows a change from the next request on. */
export const holdCommands: readonly Command[] = [
  {
    name: 'hold add',
    summary: 'Withholds a content: its bytes are not served and not deleted.',
    details: [
      'The argument is the SHA-256 of the ciphertext. The hold applies to all objects of all accounts with this hash, also to later ones. Downloads get 403',
      'error.blob.withheld, and storage verification reports retrievable: false. Owners can adopt, discard and delete as before.',
    ],
    takes: ['ciphertext hash'],
    options: { reason: { value: 'TEXT', meaning: 'The reason, for operators. Only these commands show it.' } },
    run: (call) => withOpen(openPresentStore(call.config), (store) => add(store, call)),
  },
  {
    name: 'hold remove',
    summary: 'Ends a hold: the content is served again. If it is orphaned, it is deleted after the grace window.',
    takes: ['ciphertext hash'],
    run: (call) => withOpen(openPresentStore(call.config), (store) => remove(store, call)),
  },
  {
    name: 'hold list',
    summary: 'Lists the holds, oldest first.',
    run: ({ config }) => withOpen(openPresentStore(config), list),
  },
]

async function add(store: Store, { config, given, option }: Call): Promise<Outcome> {
  const ciphertextHash = hashIn(given)
  const reason = option('reason')?.trim()
  if (reason === undefined || reason === '') throw new UsageError('--reason is required')
  const hold: Hold = { ciphertextHash, reason, createdAt: (await clockOf(config)).now() }
  const isNew = await store.write(['removal'], (tx) => tx.holds.add(hold))
  const existing = isNew ? hold : await store.read((tx) => tx.holds.find(ciphertextHash))
  const since = existing === undefined ? '' : ` since ${formatInstant(existing.createdAt)}: ${existing.reason}`
  return {
    lines: [isNew ? `${ciphertextHash} is now on hold.` : `${ciphertextHash} was already on hold${since}`],
    json: { added: isNew, ...(existing && { hold: jsonOf(existing) }) },
  }
}

async function remove(store: Store, { given }: Call): Promise<Outcome> {
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

function hashIn([text = '']: readonly string[]): Sha256Hex {
  const hash = parseSha256Hex(text)
  if (hash === undefined) throw new UsageError('a ciphertext hash is 64 lowercase hexadecimal digits')
  return hash
}

function jsonOf({ ciphertextHash, reason, createdAt }: Hold) {
  return { ciphertext_hash: ciphertextHash, reason, created_at: formatInstant(createdAt) }
}
