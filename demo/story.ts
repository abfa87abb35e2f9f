/** The output of the demo: numbered steps, each with its time, and the result of each check. */
export interface Story {
  /** Runs one step and returns its result. */
  step<Result>(title: string, work: () => Promise<Result>): Promise<Result>
  say(line: string): void
  /** Prints and counts a failure and continues, so that one run shows all failures. */
  check(isTrue: boolean, claim: string): void
  /** The number of failed checks. */
  failures(): number
}

export function createStory(): Story {
  let steps = 0
  let failures = 0
  return {
    step: async (title, work) => {
      console.log(`\n${String(++steps).padStart(2)}. ${title}`)
      const startedMs = performance.now()
      const result = await work()
      console.log(`    (${seconds(performance.now() - startedMs)})`)
      return result
    },
    say: (line) => console.log(`    ${line}`),
    check: (isTrue, claim) => {
      if (!isTrue) failures++
      console.log(`    ${isTrue ? 'yes ' : 'NO  '} ${claim}`)
    },
    failures: () => failures,
  }
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const

/** Decimal units, as file managers show them. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? ''}`
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}
