/** From where a check has the keys of a server: only those that the proof does not bring itself show whose it is. */
import { readFile } from 'node:fs/promises'
import { createCalls } from '@blindkeep/client/call'
import { type FileProof, ProofError } from '@blindkeep/client/fileProof'
import { nodeEnvironment, withPath } from '@blindkeep/client/node'
import { auditServer, type PinnedKeys, parsePublishedKeys } from '@blindkeep/client/receipts'
import { isObject } from '@blindkeep/protocol/json'
import { LOOPBACK_HOST } from '@blindkeep/protocol/loopback'
import { LocalError, UsageError } from '../ground/exits.ts'
import { timeText } from '../ground/texts.ts'
import { lastFollowed, pinsOf } from '../home/pins.ts'

export interface KeysOfCheck {
  readonly keys: PinnedKeys
  readonly from: 'file' | 'address' | 'pins' | 'proof'
  /** The end of a sentence: `from keys.json`. Absent for those of the proof itself. */
  readonly source?: string
  /** This machine knows keys of the server, and the one in the proof is none of them: it is newer, or forged. */
  readonly knowsOthers?: boolean
}

interface KeysQuestion {
  readonly home: string
  /** A file, or the address of a server. */
  readonly given: string | undefined
  /** The address that is expected of the server, where it is now. */
  readonly server: string | undefined
}

/**
 * Asks the network only for an address that was given. Throws `UsageError` for one that is none; what it returns throws
 * `ProofError` (`key`) if there are no keys.
 */
export function createKeysOfCheck({ home, given, server }: KeysQuestion): (proof: FileProof) => Promise<KeysOfCheck> {
  const expected = server === undefined ? undefined : originOf(server)
  if (given !== undefined && isAddress(given)) originOf(given)
  let asked: Promise<KeysOfCheck> | undefined
  const once = async (ask: () => Promise<KeysOfCheck>) => {
    asked ??= ask()
    return await asked
  }
  return async ({ receipt, hintedKeys }) => {
    if (given !== undefined) return await once(() => (isAddress(given) ? ofAddress(home, given) : ofFile(given)))
    const pins = await pinsOf(home, expected ?? (await presentName(home, receipt.server_id)))
    if (pins?.keys.some(({ keyId }) => keyId === receipt.server_key_id) === true)
      return { keys: pins, from: 'pins', source: `that this machine knows${sinceText(pins)}` }
    if (server !== undefined) return await once(() => ofAddress(home, server))
    if (hintedKeys !== undefined) return { keys: hintedKeys, from: 'proof', knowsOthers: pins !== undefined }
    const lack = 'it has no key, and none was given. Name the keys of the server with --keys FILE or ADDRESS'
    throw new ProofError('key', lack)
  }
}

/** Where this machine has followed the server to: only its present list says when its former names ended. */
export async function presentAddress(home: string, address: string): Promise<string> {
  originOf(address)
  return await lastFollowed(home, address)
}

/** The same of a name that comes with a proof, and may be any text. */
async function presentName(home: string, name: string): Promise<string> {
  const present = await lastFollowed(home, name)
  return URL.canParse(present) ? new URL(present).origin : present
}

const isAddress = (given: string) => /^https?:\/\//i.test(given)

/** Throws `UsageError` for what is no address, or one at which others on the way could answer. */
export function originOf(address: string): string {
  const { protocol, hostname, origin } = URL.canParse(address)
    ? new URL(address)
    : { protocol: '', hostname: '', origin: '' }
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new UsageError('The server is an address as in https://keep.example.org')
  if (protocol === 'http:' && !new RegExp(`^(?:${LOOPBACK_HOST})$`).test(hostname))
    throw new UsageError('Over http, any machine on the way could give other keys. Use https, or a file with the keys.')
  return origin
}

async function ofAddress(home: string, address: string): Promise<KeysOfCheck> {
  const origin = originOf(address)
  const calls = createCalls({ baseUrl: address, fetch: nodeEnvironment.fetch })
  const { keys } = await auditServer(calls, await pinsOf(home, origin))
  return { keys, from: 'address', source: `that ${origin} shows now` }
}

async function ofFile(path: string): Promise<KeysOfCheck> {
  return { keys: await parsePublishedKeys(await jsonOf(path)), from: 'file', source: `from ${path}` }
}

async function jsonOf(path: string): Promise<unknown> {
  const text = await withPath(path, () => readFile(path, 'utf8'))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new LocalError(`${path} is not JSON. Keys are what a server answers at /.well-known/service/attestation-keys`)
  }
  if (isObject(json) && 'receipt_cbor' in json)
    throw new LocalError(`${path} is a receipt. Keys that come with a receipt do not show whose they are.`)
  return json
}

const sinceText = ({ knownSince }: PinnedKeys) => (knownSince === undefined ? '' : ` since ${timeText(knownSince)}`)
