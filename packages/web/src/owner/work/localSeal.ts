/**
 * Seals what this browser keeps for the owner: AES-256-GCM under a key that follows from the account key, so that the
 * disk shows nothing of it after the session. For this browser alone: no server and no other client reads it.
 */
import type { Bytes } from '@blindkeep/protocol/bytes'

const NONCE_BYTES = 12

export interface LocalSeal {
  /** `place` says what it is and where it belongs: it opens at no other. */
  seal(place: string, value: unknown): Promise<Bytes>
  /** Undefined for what was not sealed here with this key, or at another place. */
  open(place: string, sealed: unknown): Promise<unknown>
}

/** `purpose` separates the keys of different stores. */
export function localSealOf(accountKey: Bytes, purpose: string): LocalSeal {
  const key = keyOf(accountKey, purpose)
  return {
    async seal(place, value) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const text = new TextEncoder().encode(JSON.stringify(value))
      const sealed = await crypto.subtle.encrypt(gcm(nonce, place), await key, text)
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(sealed), NONCE_BYTES)
      return bytes
    },
    async open(place, sealed) {
      if (!(sealed instanceof Uint8Array)) return undefined
      const bytes = Uint8Array.from(sealed)
      const algorithm = gcm(bytes.subarray(0, NONCE_BYTES), place)
      const opened = await crypto.subtle
        .decrypt(algorithm, await key, bytes.subarray(NONCE_BYTES))
        .catch(() => undefined)
      return opened && JSON.parse(new TextDecoder().decode(opened))
    },
  }
}

async function keyOf(accountKey: Bytes, purpose: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', accountKey, 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode(`blindkeep local ${purpose} 1`)
  const derivation = { name: 'HKDF', hash: 'SHA-512', salt: new Uint8Array(0), info }
  return await crypto.subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 256 }, false, [
    ...['encrypt' as const, 'decrypt' as const],
  ])
}

const gcm = (iv: Bytes, place: string) => ({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(place) })
