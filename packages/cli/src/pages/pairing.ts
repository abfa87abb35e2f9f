/**
 * Whether a page is its owner's: it knows the eight digits that the terminal shows. Until then it gets nothing. A page
 * that does gets a token of this start, which is worthless afterwards.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

interface PairingPorts {
  /** Milliseconds of a clock that only goes on. */
  readonly elapsedMs: () => number
  readonly randomBytes: (count: number) => Uint8Array
  /** Shows a new code to the person at the terminal. */
  readonly onCode: (code: string) => void
}

type PairingAnswer =
  | { readonly is: 'paired'; readonly token: string }
  | { readonly is: 'wrong'; readonly triesLeft: number }
  /** There is no code any more: ask for another one. */
  | { readonly is: 'over' }

export interface Pairing {
  /** Shows a code, unless one that is shown is still good. False after too many wrong ones: start the program again. */
  ask(): boolean
  try(code: string): PairingAnswer
  /** Whether a page that has paired sends this token. */
  accepts(token: string | undefined): boolean
}

export const CODE_DIGITS = 8
const MAX_TRIES = 3
const CODE_MS = 120_000
/** Of one start. A guesser has 60 of 100 million. */
const MAX_CODES_IN_VAIN = 20
/** Open pages; the oldest has to pair again. */
const MAX_PAGES = 32
const TOKEN_BYTES = 32

export function createPairing({ elapsedMs, randomBytes, onCode }: PairingPorts): Pairing {
  let shown: { readonly code: string; readonly until: number; triesLeft: number } | undefined
  let inVain = 0
  /** SHA-256 of each. */
  let tokens: readonly Uint8Array[] = []

  const present = () => {
    if (shown !== undefined && (shown.triesLeft === 0 || elapsedMs() >= shown.until)) shown = undefined
    return shown
  }

  return {
    ask() {
      if (present() !== undefined) return true
      if (inVain >= MAX_CODES_IN_VAIN) return false
      inVain += 1
      shown = { code: newCode(randomBytes), until: elapsedMs() + CODE_MS, triesLeft: MAX_TRIES }
      onCode(shown.code)
      return true
    },
    try(code) {
      const asked = present()
      if (asked === undefined) return { is: 'over' }
      asked.triesLeft -= 1
      if (!timingSafeEqual(hashOf(code), hashOf(asked.code)))
        return asked.triesLeft === 0 ? { is: 'over' } : { is: 'wrong', triesLeft: asked.triesLeft }
      shown = undefined
      inVain = 0
      const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')
      tokens = [...tokens, hashOf(token)].slice(-MAX_PAGES)
      return { is: 'paired', token }
    },
    accepts(token) {
      const hash = hashOf(token ?? '')
      return token !== undefined && tokens.some((each) => timingSafeEqual(each, hash))
    },
  }
}

/** Equally likely: what would not be is drawn again. */
function newCode(randomBytes: PairingPorts['randomBytes']): string {
  const [codes, values] = [10 ** CODE_DIGITS, 2 ** 32]
  for (;;) {
    const value = Buffer.from(randomBytes(4)).readUInt32BE()
    if (value < values - (values % codes)) return String(value % codes).padStart(CODE_DIGITS, '0')
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
