/** Work for one size and its double in one run: the machine's speed does not matter. */
import assert from 'node:assert/strict'

/** Doublings of the input. Each doubles a linear function's time, and quadruples a quadratic one's. */
const DOUBLINGS = 3
const MAX_RATIO = 3 ** DOUBLINGS
const ROUNDS = 21
/** Rounds may meet a spell of other processes: work that seems more than linear is measured for longer. */
const PATIENCE_MS = 5000
const CONFIRMATIONS = 3
/** Shorter times are mostly noise: the function is repeated until one measurement takes at least this long. */
const MIN_MS = 0.05
const MAX_REPEATS = 128

export interface Work<Input> {
  /** The input of about this size. */
  readonly input: (size: number) => Input
  /** May throw: a refusal must not take longer either. */
  readonly run: (input: Input) => unknown
  /** The smaller size. */
  readonly size?: number
  /** After this time work that seems to be more than linear is believed to be. */
  readonly patienceMs?: number
}

/** Fails when eight times the input takes more than 27 times the work in the shortest round. `what` names the input. */
export async function assertLinear<Input>(
  { input, run, size = 2048, patienceMs = PATIENCE_MS }: Work<Input>,
  what = 'the input',
): Promise<void> {
  const [small, large] = [input(size), input(size * 2 ** DOUBLINGS)]
  const work = async (value: Input): Promise<void> => {
    try {
      const result = run(value)
      // Awaited only if it is a promise: a wait takes longer than many of these functions.
      if (result instanceof Promise) await result
    } catch {
      // Only the time matters here.
    }
  }
  const factor = 2 ** DOUBLINGS
  // Both measurements take about equally long, so that a busy machine interrupts both equally often.
  const measureLarge = await measurementOf(() => work(large))
  const measureSmall = await measurementOf(() => work(small))
  // Interruptions only add time. So the shortest times of all rounds come ever closer to the work itself, however busy
  // the machine is.
  let [largeMs, smallMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const startMs = performance.now()
  for (let round = 0; round < ROUNDS || performance.now() - startMs < patienceMs; round++) {
    largeMs = Math.min(largeMs, await measureLarge())
    smallMs = Math.min(smallMs, await measureSmall())
    // An interrupted measurement of the small input hides squares.
    for (let again = 0; again < CONFIRMATIONS && largeMs < MAX_RATIO * smallMs; again++)
      smallMs = Math.min(smallMs, await measureSmall())
    if (largeMs < MAX_RATIO * smallMs) return
  }
  assert.fail(`${factor} times ${what} takes ${(largeMs / smallMs).toFixed(1)} times the work`)
}

/** Returns a function that measures the milliseconds of one `work`. */
async function measurementOf(work: () => Promise<void>): Promise<() => Promise<number>> {
  await work()
  for (let repeats = 1; ; repeats *= 4) {
    const ofOne = async () => (await elapsedMs(work, repeats)) / repeats
    if (repeats >= MAX_REPEATS || (await elapsedMs(work, repeats)) >= MIN_MS) return ofOne
  }
}

async function elapsedMs(work: () => Promise<void>, repeats: number): Promise<number> {
  const startMs = performance.now()
  for (let count = 0; count < repeats; count++) await work()
  return performance.now() - startMs
}

const repeated = (piece: string) => (size: number) => piece.repeat(Math.ceil(size / piece.length))
const between = (piece: string) => (size: number) => `x${repeated(piece)(size)}x`

/** Texts for careless code: long runs that fail late, sequences that Unicode sorts or looks back over. */
export const HOSTILE_TEXTS: Readonly<Record<string, (size: number) => string>> = {
  letters: repeated('a'),
  digits: repeated('1'),
  'dots before a letter': between('.'),
  'spaces before a letter': between(' '),
  'dots and spaces in turn': between('. '),
  'all kinds of white space': between(' \t\u00A0\u3000\u2003'),
  'line ends': between('\r\n'),
  'slashes before a letter': between('/'),
  'backslashes before a letter': between('\\'),
  'path segments': repeated('/u/a'),
  'file endings': repeated('.a'),
  'a long file ending': (size) => `a.${repeated('b')(size)}!`,
  'combining marks in the wrong order': (size) => `a${repeated('\u0301')(size / 2)}${repeated('\u0316')(size / 2)}`,
  'combining marks in turn': (size) => `a${repeated('\u0301\u0316')(size)}`,
  'marks that compose': repeated('u\u0308\u0304'),
  'Hangul in parts': repeated('\u1100\u1161\u11A8'),
  'ligatures that decompose': repeated('\uFDFA'),
  'invisible characters': between('\u200B'),
  'joined emoji': repeated('👩\u200D'),
  'flags without an end': repeated('🇩'),
  'direction controls': repeated('\u202E\u2066'),
  'halves of surrogate pairs': repeated('\uD83D'),
  'capital sigmas': repeated('Σ\u0301'),
  'forbidden characters': repeated('<>:"|?*'),
  'at signs and dots': repeated('a@a.'),
  'field names': repeated('data:\n'),
  'open brackets': repeated('[{"a":'),
  'hex digits and hyphens': repeated('0a-'),
  base64: repeated('AAAA'),
}
