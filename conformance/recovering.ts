/** Accounts with recovery words. The server knows of them the hash of a key, and a sealed key that it cannot open. */
import { randomBytes } from 'node:crypto'
import type { Reply } from './call.ts'
import type { Client } from './client.ts'
import { type Key, newKey, sendProved } from './proving.ts'
import { base64, type Owner, signUp } from './world.ts'

/** Format, salt, commitment, number of header blocks; a header block and 32 bytes, each with its tag. */
export const SEALED_KEY_BYTES = 1 + 16 + 32 + 1 + (1024 + 16) + (32 + 16)

interface Recoverable {
  readonly owner: Owner
  readonly words: Key
  readonly salt: string
  readonly sealedAccountKey: string
  readonly sealedRecoveryKey: string
}

/** Random bytes in the visible form of a key that a client has sealed. */
export function sealedKey(): string {
  const sealed = randomBytes(SEALED_KEY_BYTES)
  sealed[0] = 1
  sealed[49] = 1
  return sealed.toString('base64')
}

export async function newRecoverable(client: Client): Promise<Recoverable> {
  const [words, salt, sealedAccountKey, sealedRecoveryKey] = [newKey(), base64(16), sealedKey(), sealedKey()]
  const owner = await signUp(client, {
    kdf_version: 1,
    salt,
    sealed_account_key: sealedAccountKey,
    sealed_recovery_key: sealedRecoveryKey,
    recovery_key: words.shown,
  })
  return { owner, words, salt, sealedAccountKey, sealedRecoveryKey }
}

/** New words, as the owner sends them. */
export function wordsBody(words: Key, over: object = {}): Record<string, unknown> {
  return { sealed_recovery_key: sealedKey(), recovery_key: words.shown, ...over }
}

/** With a proof of the owner's sign-in key, or of another one. */
export function changeWords({ client, token, key }: Owner, body: object, provedBy: Key = key): Promise<Reply> {
  return sendProved(client, provedBy, { method: 'POST', path: '/v1/auth/recovery-words', token, json: body })
}

export function confirmWords({ client, token }: Owner, words: Key): Promise<Reply> {
  return sendProved(client, words, { method: 'POST', path: '/v1/auth/recovery-words/confirm', token, json: {} })
}

export function start(client: Client, email: string): Promise<Reply> {
  return client.send({ method: 'POST', path: '/v1/auth/recover/start', json: { email } })
}

export function finishBody(email: string, over: object = {}): Record<string, unknown> {
  return { email, sign_in_key: newKey().shown, ...over }
}

/** With a proof of the words, by default of other ones. */
export function finish(client: Client, body: object, words: Key = newKey()): Promise<Reply> {
  return sendProved(client, words, { method: 'POST', path: '/v1/auth/recover/finish', json: body })
}
