/** Secrets of one profile. Files that only this user may read; with the system's keyring they are sealed as well, under a key that only the keyring has. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalError } from '../exits.ts'
import { readPrivate, writePrivate } from './files.ts'

const CIPHER = 'aes-256-gcm'
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16]
const SERVICE = 'blindkeep'
/** The first characters of a sealed file. */
const SEALED = 'keyring:'

export interface Vault {
  /** What `write` was given; undefined if there is nothing under this name. */
  read(name: string): Promise<unknown>
  write(name: string, value: unknown): Promise<void>
  remove(name: string): Promise<void>
}

export interface VaultOptions {
  readonly directory: string
  /** Seals what is written from now on. What is sealed stays readable without it. */
  readonly keyring?: boolean | undefined
}

export function openVault({ directory, keyring = false }: VaultOptions): Vault {
  const pathOf = (name: string) => join(directory, `${name}.json`)
  return {
    async read(name) {
      const text = await readPrivate(pathOf(name))
      if (text === undefined) return undefined
      return JSON.parse(text.startsWith(SEALED) ? await opened(directory, name, text) : text)
    },
    async write(name, value) {
      const text = JSON.stringify(value)
      await writePrivate(pathOf(name), keyring ? await sealed(directory, name, text) : text)
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  }
}

/** Whether a file of the vault is sealed. */
export async function isSealed({ directory }: VaultOptions, name: string): Promise<boolean> {
  return (await readPrivate(join(directory, `${name}.json`)))?.startsWith(SEALED) ?? false
}

async function sealed(directory: string, name: string, text: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, await keyOf(directory, { make: true }), nonce).setAAD(Buffer.from(name))
  const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${SEALED}${bytes.toString('base64')}`
}

async function opened(directory: string, name: string, text: string): Promise<string> {
  const bytes = Buffer.from(text.slice(SEALED.length), 'base64')
  const key = await keyOf(directory, { make: false })
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const content = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
    return Buffer.concat(content).toString('utf8')
  } catch (cause) {
    throw new LocalError('The key in the keyring does not open what this profile keeps. Sign in again.', { cause })
  }
}

async function keyOf(directory: string, { make }: { readonly make: boolean }): Promise<Buffer> {
  const entry = await entryOf(directory)
  const found = await entry.getPassword().catch(unreachable)
  if (found) return Buffer.from(found, 'base64')
  if (!make) throw new LocalError('The keyring has no key for this profile any more. Sign in again.')
  const key = randomBytes(KEY_BYTES)
  await entry.setPassword(key.toString('base64')).catch(unreachable)
  return key
}

async function entryOf(directory: string) {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    return new AsyncEntry(SERVICE, directory)
  } catch (error) {
    return unreachable(error)
  }
}

function unreachable(cause: unknown): never {
  throw new LocalError(
    'The system’s keyring cannot be used here. Unlock it, or sign in without --keyring: then the keys are in files that only you may read.',
    { cause },
  )
}
