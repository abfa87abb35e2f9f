/** A profile's secrets, in files for this user only; with a keyring also sealed, under a key that only it has. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'
import { isSingleExecutable } from '../ground/ownFiles.ts'
import { parsed, type Reading } from './damaged.ts'
import { readPrivate, writePrivate } from './files.ts'

const CIPHER = 'aes-256-gcm'
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16]
const SERVICE = 'blindkeep'
/** The first characters of a sealed file. */
const SEALED = 'keyring:'
/** On Linux never the keyring of the kernel, which is empty after a restart of the machine. */
const OF_THE_DESKTOP = { linux: { store: 'secret-service' } } as const
const IN_FILES = 'without --keyring: then the keys are in files that only you may read.'
const UNREACHABLE =
  'The system’s keyring cannot be used here. Unlock it, install one if there is none (on Linux a Secret Service, such as gnome-keyring)'
/** It is an optional dependency: native code, which does not exist for every system. */
const NOT_INSTALLED =
  'The package @napi-rs/keyring, which reaches the system’s keyring, is not installed here. Install blindkeep again with optional dependencies (npm install --include=optional)'
const NOT_INSIDE =
  'This program is a single file, without the native code that reaches the system’s keyring. Use the package of blindkeep for Node'
const AGAIN = 'Sign out and in again: blindkeep logout, blindkeep login'

export interface Vault {
  /** What `write` was given; undefined if there is nothing under this name. Throws `Damaged`. */
  read<Value>(name: string, reading: Reading<Value>): Promise<Value | undefined>
  write(name: string, value: unknown): Promise<void>
  remove(name: string): Promise<void>
  /** Throws if nothing can be written, and `VaultLocked` if it could not be sealed. Before a sign-in: none is lost. */
  prepare(): Promise<void>
  /** Removes all that is sealed, for a person whose keyring has no key for it. */
  removeSealed(): Promise<void>
}

/** What is sealed cannot be opened: the keyring is away, or has not the right key. */
export class VaultLocked extends LocalError {}

interface VaultOptions {
  readonly directory: string
  /** Seals what is written from now on. What is sealed stays readable without it. */
  readonly keyring?: boolean | undefined
}

export function openVault({ directory, keyring = false }: VaultOptions): Vault {
  const pathOf = (name: string) => join(directory, `${name}.json`)
  return {
    async read(name, reading) {
      const text = await readPrivate(pathOf(name))
      if (text === undefined) return undefined
      return parsed(text.startsWith(SEALED) ? await opened(directory, name, text) : text, pathOf(name), reading)
    },
    async write(name, value) {
      const text = JSON.stringify(value)
      await writePrivate(pathOf(name), keyring ? await sealed(directory, name, text) : text)
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async prepare() {
      await writePrivate(pathOf('probe'), '{}')
      await rm(pathOf('probe'), { force: true })
      if (keyring) await keyOf(directory, { make: true, without: 'call this again' })
    },
    async removeSealed() {
      for (const file of (await readdir(directory).catch(unlessMissing)) ?? []) {
        const [name, isValue] = [file.replace(/\.json$/, ''), file.endsWith('.json')]
        if (isValue && (await isSealed({ directory }, name))) await rm(pathOf(name), { force: true })
      }
    },
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
    throw new VaultLocked(`The key in the keyring does not open what this profile keeps. ${AGAIN}`, { cause })
  }
}

interface KeyUse {
  /** Makes the key if there is none. */
  readonly make: boolean
  /** What a person can do to be without a keyring. */
  readonly without?: string
}

async function keyOf(
  directory: string,
  { make, without = 'sign out (blindkeep logout) and in again' }: KeyUse,
): Promise<Buffer> {
  const away = (what: string, cause: unknown) => new VaultLocked(`${what}, or ${without} ${IN_FILES}`, { cause })
  const { AsyncEntry } = await import('@napi-rs/keyring').catch((error: unknown) => {
    throw away(isSingleExecutable() ? NOT_INSIDE : NOT_INSTALLED, error)
  })
  try {
    const entry = new AsyncEntry(SERVICE, directory, OF_THE_DESKTOP)
    const found = await entry.getPassword()
    if (found) return Buffer.from(found, 'base64')
    if (make) {
      const key = randomBytes(KEY_BYTES)
      await entry.setPassword(key.toString('base64'))
      return key
    }
  } catch (error) {
    throw away(UNREACHABLE, error)
  }
  throw new VaultLocked(`The keyring has no key for this profile any more. ${AGAIN}`)
}
