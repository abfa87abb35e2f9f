/** How documents in COSE messages are read: each kind has its content type, its bound, and the error of its reader. */
import { CoseError, type CoseFault, type CoseMessage, decodeCose, type HybridVerifiers, verifyCose } from '../cose.ts'

type MessageRefusal = new (reason: CoseFault | 'too_large', message: string, options?: ErrorOptions) => Error

interface SignedKind {
  readonly contentType: string
  readonly maxBytes: number
  /** With its article, for the message of an error. */
  readonly what: string
  readonly Refusal: MessageRefusal
}

/** Does not verify signatures. Throws `Refusal` for anything but the one accepted form. */
export function decodeSigned(bytes: Uint8Array, { contentType, maxBytes, what, Refusal }: SignedKind): CoseMessage {
  if (bytes.length > maxBytes) throw new Refusal('too_large', `${what} has at most ${maxBytes} bytes`)
  try {
    return decodeCose(bytes, contentType)
  } catch (cause) {
    throw refusalOf(cause, Refusal)
  }
}

interface Verification {
  /** 1984 bytes. */
  readonly publicKey: Uint8Array
  readonly verify: HybridVerifiers
  readonly Refusal: MessageRefusal
}

/** Throws `Refusal` unless both signatures are by this key. */
export async function verifySigned(message: CoseMessage, { publicKey, verify, Refusal }: Verification): Promise<void> {
  try {
    await verifyCose(message, publicKey, verify)
  } catch (cause) {
    throw refusalOf(cause, Refusal)
  }
}

function refusalOf(cause: unknown, Refusal: MessageRefusal): unknown {
  return cause instanceof CoseError ? new Refusal(cause.reason, cause.message, { cause }) : cause
}
