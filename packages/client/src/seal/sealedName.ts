/**
 * The owner's own name for a share, a session, a device, a passkey or a channel: one line. A sealed blob under the
 * account key without content, whose header has it as `name`. What is named is the purpose, and its id the context, so
 * a name that the server moves to another id does not open.
 */
import { type Bytes, fromBase64, utf8 } from '@blindkeep/protocol/bytes'
import { MAX_OWN_NAME_BYTES } from '@blindkeep/protocol/suites'
import type { OpenedText } from './open.ts'
import { plainLine } from './plainLine.ts'
import { SealError } from './sealError.ts'
import { type HeaderSeal, openWords, sealWords } from './sealedHeader.ts'

export interface NameSeal extends Omit<HeaderSeal, 'purpose'> {
  readonly purpose: 'share-name' | 'session-name' | 'device-name' | 'passkey-name' | 'channel-name'
}

/** Undefined for a name of nothing but spaces. Throws `RangeError` for one of more than 600 bytes. */
export async function sealName(seal: NameSeal, given: string | undefined): Promise<Bytes | undefined> {
  const name = plainLine(given)
  if (name === undefined) return undefined
  requireFittingName(name)
  return sealWords(seal, { name })
}

/** Throws `RangeError` for a name of more than 600 bytes. */
export function requireFittingName(name: string): void {
  if (!fits(name)) throw new RangeError(`a name has at most ${MAX_OWN_NAME_BYTES} bytes`)
}

/** Throws `SealError`. */
export async function openName(seal: NameSeal, sealed: Uint8Array): Promise<string | undefined> {
  const { name } = await openWords(seal, sealed)
  if (!fits(name ?? '')) throw new SealError('header_invalid', 'the name is too long')
  return plainLine(name)
}

/** From the server: base64, or nothing. `fault` says why it does not open. Never throws `SealError`. */
export async function openGivenName(seal: NameSeal, sealed: string | null | undefined): Promise<OpenedText> {
  if (sealed === undefined || sealed === null) return {}
  try {
    const text = await openName(seal, fromBase64(sealed))
    return text === undefined ? {} : { text }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { fault: error.message }
  }
}

const fits = (name: string) => utf8(name).length <= MAX_OWN_NAME_BYTES
