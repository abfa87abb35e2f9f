import { Counter, Gauge, Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>
/** Values with their labels. */
export type Reading = readonly (readonly [labels: Labels, value: number])[]

export interface Figure {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
}

/**
 * Figures that are read when they are asked for. What happens often is counted in plain numbers: an observation by the
 * library takes two microseconds, and a request has several transactions.
 */
export interface Figures {
  readonly registry: Registry
  /** Only grows. */
  total(figure: Figure, read: () => Reading): void
  gauge(figure: Figure, read: () => Reading): void
}

export function createFigures(): Figures {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    total({ labelNames = [], ...figure }, read) {
      new Counter({
        ...figure,
        labelNames,
        registers,
        collect() {
          this.reset()
          for (const [labels, value] of read()) this.inc(labels, value)
        },
      })
    },
    gauge({ labelNames = [], ...figure }, read) {
      new Gauge({
        ...figure,
        labelNames,
        registers,
        collect() {
          this.reset()
          // The library gives a gauge without labels the value 0, which would be a claim.
          if (labelNames.length === 0) this.remove()
          for (const [labels, value] of read()) this.set(labels, value)
        },
      })
    },
  }
}

/** Counts by one word, in the order of first use. */
export function createTally() {
  const counts = new Map<string, number>()
  return {
    add(word: string, count = 1): void {
      counts.set(word, (counts.get(word) ?? 0) + count)
    },
    /** The counts, each with its word as the label `name`. */
    reading: (name: string): Reading => [...counts].map(([word, count]) => [{ [name]: word }, count]),
  }
}

/** One value without labels, or none. */
export function one(value: number | undefined): Reading {
  return value === undefined ? [] : [[{}, value]]
}
